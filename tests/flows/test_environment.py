"""What Prefect finds in the environment when the flows are imported first."""

import json
import os

from tasks import environment
from tests.support import programs

ASK_PREFECT = """
import json, sys
import flows.up
early = [name for name in ("prefect", "pandas", "duckdb", "great_expectations") if name in sys.modules]
import flows
from prefect.settings import get_current_settings
server = get_current_settings().server
print(json.dumps([early, server.analytics_enabled, server.ephemeral.startup_timeout_seconds]))
"""


def prefect_home(folder):
    """An environment without any of Prefect's variables but this."""
    return programs.environment({"PREFECT_HOME": str(folder)}, without=("PREFECT_",))


class TestPrepare:
    def test_sets_what_is_not_set_and_respects_what_is(self, monkeypatch):
        first, second = list(environment.DEFAULTS)[:2]
        monkeypatch.setenv(first, "mine")
        monkeypatch.delenv(second, raising=False)
        environment.prepare()
        assert os.environ[first] == "mine"
        assert os.environ[second] == environment.DEFAULTS[second]

    def test_prefect_reads_it_and_the_starter_of_servers_stays_light(self, tmp_path):
        done = programs.run("-c", ASK_PREFECT, env=prefect_home(tmp_path))
        assert json.loads(done.stdout) == [[], False, 120]


class TestServeWithoutServer:
    def test_says_so_instead_of_serving_schedules_that_never_run(self, tmp_path):
        done = programs.run("-m", "flows.serve", env=prefect_home(tmp_path), status=2)
        [line] = done.stderr.strip().splitlines()
        assert "no Prefect server is named" in line
        assert "make up" in line
