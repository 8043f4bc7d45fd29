"""`--help` and `status` start in under half a second of CPU, with nothing heavy loaded."""

import pytest

from tests.support import programs
from tests.support.machine_speed import program_seconds, slowness_of_starts
from tests.support.programs import loaded

LIMIT = 0.5
HEAVY = ("numpy", "pandas", "scipy", "sklearn", "duckdb", "matplotlib", "great_expectations", "prefect", "sqlalchemy")


@pytest.fixture
def environment(judged) -> dict[str, str]:
    return programs.environment({"STRATAWATCH_CONFIG": str(judged.config)}, without=("COV_", "COVERAGE_"))


@pytest.mark.parametrize("arguments", [("--help",), ("status",), ("status", "--json"), ("cycles", "--help")])
def test_it_starts_quickly(environment, arguments):
    best = min(program_seconds("-m", "stratawatch.cli", *arguments, env=environment) for _ in range(3))
    assert best < LIMIT * slowness_of_starts()


@pytest.mark.parametrize("arguments", [["--help"], ["status"]])
def test_nothing_heavy_is_loaded(environment, arguments):
    code = (
        "from stratawatch.cli.app import app\n"
        f"try:\n    app({arguments!r})\nexcept SystemExit as end:\n    assert not end.code, end.code"
    )
    assert loaded(code, HEAVY, env=environment) == set()
