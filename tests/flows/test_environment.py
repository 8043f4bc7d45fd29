"""What Prefect finds in the environment when the flows are imported first."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tasks import environment

ROOT = Path(__file__).parents[2]

ASK_PREFECT = """
import json, sys
import flows.up
early = [name for name in ("prefect", "pandas", "duckdb", "great_expectations") if name in sys.modules]
import flows
from prefect.settings import get_current_settings
server = get_current_settings().server
print(json.dumps([early, server.analytics_enabled, server.ephemeral.startup_timeout_seconds]))
"""


def run(*command: str, **extra: str) -> subprocess.CompletedProcess:
    """Python in the project's root, without any of Prefect's variables but these."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=clean | extra,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


class TestPrepare:
    def test_sets_what_is_not_set_and_respects_what_is(self, monkeypatch):
        first, second = list(environment.DEFAULTS)[:2]
        monkeypatch.setenv(first, "mine")
        monkeypatch.delenv(second, raising=False)
        environment.prepare()
        assert os.environ[first] == "mine"
        assert os.environ[second] == environment.DEFAULTS[second]

    def test_prefect_reads_it_and_the_starter_of_servers_stays_light(self, tmp_path):
        done = run("-c", ASK_PREFECT, PREFECT_HOME=str(tmp_path))
        assert json.loads(done.stdout) == [[], False, 120]


class TestServeWithoutServer:
    def test_says_so_instead_of_serving_schedules_that_never_run(self, tmp_path):
        done = run("-m", "flows.serve", PREFECT_HOME=str(tmp_path))
        assert done.returncode == 2
        [line] = done.stderr.strip().splitlines()
        assert "no Prefect server is named" in line
        assert "make up" in line
