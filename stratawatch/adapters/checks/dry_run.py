"""Run the user's expectations on a few made-up rows of every panel's frames, to find those that cannot run at all."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from stratawatch.adapters.checks.candidate_suite import candidate_suite
from stratawatch.adapters.checks.gx_runner import unaskable
from stratawatch.adapters.checks.profile_suite import profile_suite
from stratawatch.adapters.checks.rules import Suite
from stratawatch.adapters.checks.user_expectations import user_rules
from stratawatch.adapters.checks.user_suites import UserSuite
from stratawatch.engine.model.cycle_facts import CandidateItem
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.errors import ConfigError

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)
_WINDOW: Final = Window(_START, _START + timedelta(days=7))
_ROWS: Final = 3
_COLUMN: Final = {"nulls": 0, "invalid": 0, "positives": 1, "score_nulls": 0, "score_invalid": 0}


def check_expectations(panel: PanelSpec, own: Iterable[UserSuite]) -> Iterator[ConfigError]:
    """An error for each expectation of this panel that cannot be run; whether the rows meet it does not matter."""
    for suite in trial_suites(panel):
        rules, faults = user_rules(suite, own, panel.name)
        yield from faults
        if rules:
            yield from unaskable(replace(suite, rules=tuple(rules)))


def trial_suites(panel: PanelSpec) -> tuple[Suite, Suite]:
    """The profile and the candidates of a made-up window."""
    return profile_suite(panel, _WINDOW, _profile(panel)), candidate_suite(panel, _WINDOW, _items(panel))


def _profile(panel: PanelSpec) -> InputProfile:
    """A profile with every number, so that a bound of another type fails on it."""
    names = [one.name for one in panel.classifiers]
    return InputProfile(
        rows=_ROWS,
        bad_rows=0,
        null_items=0,
        first_time=_START,
        last_time=_START,
        columns=dict.fromkeys(names, _COLUMN),
        null_times=0,
        late=0,
        early=0,
        repeated=0,
        ranges=dict.fromkeys(names, (0.0, 1.0)),
    )


def _items(panel: PanelSpec) -> list[CandidateItem]:
    """Candidates whose texts are digits, which pass expectations of numbers, dates or JSON."""
    letters = len(panel.classifiers) + len(panel.auxiliary)
    return [
        CandidateItem(
            item=str(number),
            atom=0,
            digest=f"{number:032x}",
            pattern="1" * letters,
            bin=number,
            time=_START + timedelta(hours=number),
            payload=dict.fromkeys(panel.columns.payload, "1"),
            segments=dict.fromkeys(panel.columns.segments, "1"),
        )
        for number in range(1, _ROWS + 1)
    ]
