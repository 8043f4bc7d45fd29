"""Notebooks import from `stratawatch` itself; the command line does not pay for that."""

import ast
from pathlib import Path

import pytest

import stratawatch
from tests.support.machine_speed import program_seconds, slowness_of_starts
from tests.support.programs import environment, loaded


@pytest.mark.parametrize("name", stratawatch.__all__)
def test_every_name_is_there(name):
    assert getattr(stratawatch, name).__name__ == name
    assert name in dir(stratawatch)


def test_nothing_else_is_shown():
    assert dir(stratawatch) == sorted(stratawatch.__all__)


def test_the_table_of_homes_is_what_type_checkers_read():
    text = Path(stratawatch.__file__).read_text(encoding="utf-8")
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) and node.level == 0]
    read = {one.module: tuple(alias.name for alias in one.names) for one in imports if "stratawatch" in str(one.module)}
    assert read == stratawatch._HOMES
    assert sorted(name for names in read.values() for name in names) == sorted(stratawatch.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Sturdy'"):
        stratawatch.Sturdy  # noqa: B018


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import stratawatch", ("numpy", "pandas", "scipy")),
        (
            "from stratawatch import Goal, Study",
            ("pandas", "pyarrow", "polars", "scipy", "stratawatch.engine", "stratawatch.literature"),
        ),
    ],
)
def test_nothing_heavy_is_loaded(code, heavy):
    assert loaded(code, heavy) == set()


@pytest.mark.parametrize(("code", "limit"), [("import stratawatch", 0.02), ("from stratawatch import Study", 0.45)])
def test_importing_is_quick(code, limit, tmp_path):
    """CPU seconds beyond those of Python's own start, the least of some tries; the first compiles what it imports."""
    compiled = environment({"PYTHONPYCACHEPREFIX": str(tmp_path)}, without=("PYTHONDONTWRITEBYTECODE",))

    def least(program: str) -> float:
        return min(program_seconds("-c", program, env=compiled) for _ in range(5))

    assert least(code) - least("pass") < limit * slowness_of_starts()
