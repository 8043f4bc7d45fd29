"""`--help` and `status` start in under half a second of CPU, with nothing heavy loaded."""

import resource

import pytest

from tests.support import programs
from tests.support.programs import loaded, run

LIMIT = 0.5
HEAVY = ("numpy", "pandas", "scipy", "sklearn", "duckdb", "matplotlib", "great_expectations", "prefect", "sqlalchemy")


def cpu_seconds(*arguments: str, environment: dict[str, str]) -> float:
    """User and system time of one run of the command line."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("-m", "stratawatch.cli", *arguments, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture
def environment(judged) -> dict[str, str]:
    return programs.environment({"STRATAWATCH_CONFIG": str(judged.config)}, without=("COV_", "COVERAGE_"))


@pytest.mark.parametrize("arguments", [("--help",), ("status",), ("status", "--json"), ("cycles", "--help")])
def test_it_starts_quickly(environment, arguments):
    best = min(cpu_seconds(*arguments, environment=environment) for _ in range(3))
    assert best < LIMIT


@pytest.mark.parametrize("arguments", [["--help"], ["status"]])
def test_nothing_heavy_is_loaded(environment, arguments):
    code = (
        "from stratawatch.cli.app import app\n"
        f"try:\n    app({arguments!r})\nexcept SystemExit as end:\n    assert not end.code, end.code"
    )
    assert loaded(code, HEAVY, env=environment) == set()
