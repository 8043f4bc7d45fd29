"""The page of faults names only tests, commands and kinds of faults that there are."""

import ast
import re
from importlib.util import find_spec
from pathlib import Path

from benchmarks.chaos.faults import FAULTS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "faults.md"
LEAST_ROWS = 60
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("|") and not line.startswith(("|---", "| fault |"))
]
SHOWN_BY = [row[2].strip("`") for row in ROWS]


def named_in(file):
    """Every test of a file, as pytest names it."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            yield from (f"{node.name}::{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef))
        elif isinstance(node, ast.FunctionDef):
            yield node.name


def test_every_row_says_fault_outcome_and_what_shows_it():
    assert len(ROWS) >= LEAST_ROWS
    assert all(len(row) == 3 and all(row) for row in ROWS)
    assert len({row[0] for row in ROWS}) > len(ROWS) - 5  # "the same" may come again


def test_every_test_that_is_named_is_there():
    named = {tuple(name.split("::", 1)) for name in SHOWN_BY if ".py::" in name}
    there = {(file, test) for file in {file for file, _ in named} for test in named_in(ROOT / "tests" / file)}
    assert sorted(named - there) == []


def test_commands_and_kinds_that_are_named_are_there():
    others = [name for name in SHOWN_BY if ".py::" not in name]
    commands = {name.split()[2] for name in others if name.startswith("python -m ")}
    kinds = {name.removeprefix("chaos: ") for name in others if name.startswith("chaos: ")}
    assert len(others) == sum(bool(re.match("python -m |chaos: ", name)) for name in others)
    assert all(find_spec(command) for command in commands)
    assert kinds == {fault.kind for fault in FAULTS}
