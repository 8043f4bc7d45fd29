"""The page on the input shows files that are read, and names the columns and the keys that there are."""

import json
import re
from dataclasses import fields
from html import unescape
from pathlib import Path

from stratawatch.adapters.checks.candidate_suite import candidate_suite
from stratawatch.adapters.checks.profile_suite import profile_suite
from stratawatch.adapters.checks.user_expectations import extended
from stratawatch.engine.alarms.failures import WARN_AFTER
from stratawatch.engine.cycle.freeze_cycle import MOST_READS
from stratawatch.engine.input.window_drift import REMEMBERED
from stratawatch.engine.model.drift_rule import DriftRule
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns
from tests.support.predictions.panels import WINDOW, panel
from tests.support.suites import suite_of

PAGE = (Path(__file__).parents[3] / "docs/input.md").read_text(encoding="utf-8")
PANEL = panel((ClassifierSpec("lr", "score", call="flag"),), columns=Columns("id", "ts", ("text",), ("country",)))
COUNTS = dict.fromkeys(("nulls", "invalid", "positives", "score_nulls", "score_invalid"), 0)
PROFILE = profile_suite(PANEL, WINDOW, InputProfile(9, 0, 0, WINDOW.start, WINDOW.start, {"lr": COUNTS}))
CANDIDATES = candidate_suite(PANEL, WINDOW, [])


def row_of(first: str) -> str:
    """The line of a table that begins with this cell."""
    (line,) = re.findall(rf"^\| `{first}` \|(.*)\|$", PAGE, re.MULTILINE)
    return line


def test_the_suite_it_shows_is_read_and_fits_the_profile():
    (block,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    suite = suite_of(json.loads(block), "the page")
    assert len(extended(PROFILE, [suite], "toxicity").rules) == len(PROFILE.rules) + 2


def test_it_names_every_column_of_both_frames():
    for suite in (PROFILE, CANDIDATES):
        assert set(re.findall(r"`([^`]+)`", row_of(suite.name))) == {unescape(column) for column in suite.frame}


def test_it_names_every_key_of_drift_with_its_default():
    for field in fields(DriftRule):
        if field.name != "factor":
            assert row_of(field.name).endswith(f'`"{field.default}"` ')
    assert f"`factor` ({DriftRule.factor})" in row_of("volume")


def test_its_numbers_are_those_of_the_program():
    assert REMEMBERED == 4
    assert "the last four judged ones" in PAGE
    assert (WARN_AFTER, MOST_READS) == (6, 288)
    assert "after six failures, and after 288" in PAGE
