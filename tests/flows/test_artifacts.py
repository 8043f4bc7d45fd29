"""What is shown in the Prefect UI says what the store says."""

import re
from datetime import UTC, datetime

import pytest

from flows.artifacts import artifact_key, estimate_rows, plan_page, states_page
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom, Segment
from stratawatch.engine.model.alarm_records import StreamKey, StreamState
from stratawatch.engine.model.cycle_facts import Cycle, Round
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import Window
from stratawatch.engine.model.states import CycleState, RoundState

DAY = datetime(2026, 1, 5, tzinfo=UTC)
KNOWN = Estimate("lr", "precision", None, IntervalEstimate(0.812, 0.77, 0.85, 300.0), 214, "ff", 0.95)
UNKNOWN = Estimate("lr", "recall", Segment("country", "DE"), Undefined("calls no item positive"), 0, "mover", 0.95)


def stream(state: AlarmState, reason: str, segment: str | None = None) -> StreamState:
    return StreamState(StreamKey("spam", "lr", "precision", segment), 1, 1, state, reason, DAY)


class TestKeys:
    @pytest.mark.parametrize("panel", ["spam", "Spam_EU", "été / 2", "a--b", "x" * 80])
    def test_prefect_accepts_whatever_a_panel_is_called(self, panel):
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", artifact_key("plan", panel))

    def test_panels_keep_apart(self):
        assert artifact_key("plan", "spam") != artifact_key("plan", "fraud")


class TestPlan:
    def page(self, panel: str = "spam") -> str:
        profile = InputProfile(1, 0, 0, None, None, {}, warnings=("twice | the rows",))
        cycle = Cycle(1, panel, 1, 0, Window(DAY, DAY), CycleState.LABELLING, DAY, None, profile=profile)
        atoms = [
            Atom("00", 0, 31, 1000, 0.1, stratum=0),
            Atom("10", 32, 1023, 50, 0.8, stratum=1),
            Atom("11", -1, -1, 25, None, stratum=1),
            Atom("--", -1, -1, 9, None, stratum=2),
        ]
        plan = Plan((20, 30, 0), {("lr", "precision"): 0.031}, "sum of squares")
        return plan_page(cycle, atoms, Round(1, 1, 2, RoundState.PLANNED, plan, DAY))

    def test_says_labels_per_stratum_and_what_they_buy(self):
        page = self.page()
        assert "round 2: 50 labels so far" in page
        assert "| lr | precision | ±3.1% |" in page
        assert "| 00 | 0.100 | 1000 | 20 |" in page
        assert "| 10, 11 | 0.800 | 75 | 30 |" in page
        assert "| -- | none | 9 | 0 |" in page

    def test_says_what_was_odd_about_the_input(self):
        assert "- Input: twice \\| the rows" in self.page()


class TestEstimates:
    def test_a_defined_one_comes_with_its_interval_and_state(self):
        [row] = estimate_rows([KNOWN], [stream(AlarmState.AT_RISK, "below")])
        assert row["estimate"] == "81.2% (77.0 to 85.0, 95%)"
        assert (row["segment"], row["labels used"], row["state"]) == ("all", 214, "AT RISK")

    def test_an_undefined_one_says_why_and_shows_no_number(self):
        [row] = estimate_rows([UNKNOWN], [])
        assert row["estimate"] == "undefined: calls no item positive"
        assert (row["segment"], row["state"]) == ("country=DE", "no limit")

    def test_a_segments_state_is_not_the_whole_populations(self):
        states = [stream(AlarmState.OK, "fine", "country=DE")]
        [row] = estimate_rows([KNOWN], states)
        assert row["state"] == "no limit"


class TestStates:
    def test_every_stream_has_its_state_and_reason(self):
        page = states_page([stream(AlarmState.BREACH, "71% is proven below 80%")])
        assert "| spam / lr / precision | BREACH: outside, paged | 71% is proven below 80% |" in page

    def test_a_reason_cannot_break_the_table(self):
        assert "| a \\| b c |" in states_page([stream(AlarmState.OK, "a | b\nc")])

    def test_names_and_reasons_are_never_markup(self):
        evil = "<img src=x onerror=alert(1)> [free](javascript:1) `x` **"
        page = states_page([stream(AlarmState.OK, evil, evil)])
        assert not re.search(r"(?<!\\)[<>`*\[]", page)

    def test_nothing_judged_yet_is_a_sentence(self):
        assert states_page([]) == "No stream has been judged yet."
