"""`--help` and `status` start in under half a second of CPU, with nothing heavy loaded."""

import os
import resource
import subprocess
import sys

import pytest

LIMIT = 0.5
HEAVY = ("numpy", "pandas", "scipy", "sklearn", "duckdb", "matplotlib", "great_expectations", "prefect", "sqlalchemy")


def cpu_seconds(*arguments: str, environment: dict[str, str]) -> float:
    """User and system time of one run of the command line."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "stratawatch.cli", *arguments], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture
def environment(judged) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "COVERAGE_"))}
    return {**plain, "STRATAWATCH_CONFIG": str(judged.config)}


@pytest.mark.parametrize("arguments", [("--help",), ("status",), ("status", "--json"), ("cycles", "--help")])
def test_it_starts_quickly(environment, arguments):
    best = min(cpu_seconds(*arguments, environment=environment) for _ in range(3))
    assert best < LIMIT


@pytest.mark.parametrize("arguments", [["--help"], ["status"]])
def test_nothing_heavy_is_loaded(environment, arguments):
    code = (
        "import sys\nfrom stratawatch.cli.app import app\n"
        f"try:\n    app({arguments!r})\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        f"print('loaded:', *[name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "loaded:"
