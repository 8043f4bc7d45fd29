"""The benchmark of tuned constants changes one at a time, and leaves all as they were."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from benchmarks.tuning import Measured, changed, compared, constants
from stratawatch.core.tuning import BORROWED, EVIDENCE, FORECAST, HISTORY, PLANNER, SOLVER

PAGE = (Path(__file__).parents[2] / "docs/tuning.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("table", "name", "doubled"),
    [(PLANNER, "score_ridge", 0.2), (PLANNER, "pilot_labels", (400, 2000)), (HISTORY, "min_labels", 400)],
)
def test_a_constant_is_changed_for_as_long_as_the_context_lasts(table, name, doubled):
    before = getattr(table, name)
    with changed(table, name, 2):
        assert getattr(table, name) == doubled
    assert getattr(table, name) == before


def test_parts_of_one_are_never_doubled():
    assert {name: tuple(factors) for _, name, factors in constants()}["slope_discount"] == (0.5,)


def test_changes_are_told_in_percent_and_in_goals():
    usual, now = Measured((0.0, 0.0), (100, 100), (True, False)), Measured((0.1, 0.1), (100, 120), (True, True))
    assert compared(usual, now) == {"half-widths": "+10.5%", "labels for goals": "+10.0%", "goals held": "+1 of 2"}


@pytest.mark.parametrize(
    "table", [PLANNER, HISTORY, BORROWED, FORECAST, SOLVER, EVIDENCE], ids=lambda table: type(table).__name__
)
def test_the_page_names_every_constant_with_its_value(table):
    values = dict(
        re.findall(
            r"^\| `(\w+)` \| ([^|]+?) \|", PAGE.split(f"## {type(table).__name__}\n")[1].split("\n## ")[0], re.MULTILINE
        )
    )
    for one in fields(table):
        value = getattr(table, one.name)
        shown = ", ".join(f"{part:g}" for part in value) if isinstance(value, tuple) else f"{value:g}"
        assert values[one.name] == shown
