"""Answers that do not come, in a cycle: BLIND or a warning where they lean, silence where they are lost at random."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.goals import Limit
from stratawatch.core.population import Segment
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.labels.missing_answers import KEPT, missing_answers
from stratawatch.report import build
from stratawatch.report.page import panel_page
from tests.support.fakes import spec
from tests.support.scenario import cycle_of, only_cycle, open_all, severities

LIMIT = Limit("precision", floor=0.4, classifiers=("lr",))


def played(scenario, skipped=lambda key: False, silent=lambda key: False) -> int:
    """A cycle until it is judged: some items are skipped, to some nobody says anything before the deadline."""
    open_all(scenario)
    for _ in range(4):
        scenario.clock.advance(hours=30)
        assert advance(scenario.ports).troubles == ()
        scenario.queue.answer(scenario.clock.now(), only=lambda key: skipped(key) and not silent(key), value="skip")
        scenario.queue.answer(scenario.clock.now(), only=lambda key: not silent(key))
    return only_cycle(scenario)


def judged(scenario, cycle: int):
    with scenario.ports.store.begin() as tx:
        states = {state.key.classifier: state for state in tx.alarms.of_cycle(cycle)}
        estimates = tx.estimates.latest(cycle).estimates
        labelled = load_labelled_cycle(tx, scenario.panel, cycle)
        found = missing_answers(tx.cycles.get(cycle), labelled, estimates)
        return states, found, tx.labels.cursor(KEPT + "spam")


def at_random(share: float):
    drop = np.random.default_rng(1)
    chosen: dict[str, bool] = {}
    return lambda key: chosen.setdefault(key, bool(drop.random() < share))


def positives_half(scenario):
    half = at_random(0.5)
    return lambda key: scenario.queue.truth[key] and half(key)


@pytest.fixture
def scenario(make_scenario):
    return make_scenario(spec(budget=400, limits=(LIMIT,)))


class TestHalfOfThePositivesSkipped:
    def test_is_blind_with_the_reason_and_told(self, scenario):
        cycle = played(scenario, positives_half(scenario))
        states, found, kept = judged(scenario, cycle)
        assert {state.state for state in states.values()} == {AlarmState.BLIND}
        assert "are missing" in states["lr"].reason
        assert found.lean is not None
        assert (found.expired, found.open) == (0, 0)
        assert found.skipped > 20
        assert f"{found.skipped} skipped" in kept["sentence"]
        assert kept["leans"]
        assert severities(scenario) == ["warning", "warning"]
        assert "are taken to be like those of items alike in calls and scores" in scenario.channel.received[1].body

    def test_is_no_worry_where_even_the_worst_keeps_the_limit(self, make_scenario):
        scenario = make_scenario(spec(budget=400, limits=(replace(LIMIT, floor=0.05),)))
        states, _, _ = judged(scenario, played(scenario, positives_half(scenario)))
        assert {state.state for state in states.values()} == {AlarmState.OK}
        assert "however the missing answers had come out" in states["lr"].reason

    def test_ends_when_the_answers_come(self, scenario):
        cycle = played(scenario, positives_half(scenario))
        scenario.clock.advance(hours=1)
        skips = [event for event in scenario.queue.said if event.value == "skip"]
        now = scenario.clock.now()
        scenario.queue.said += [replace(one, event_id=f"late {one.event_id}", value="yes", at=now) for one in skips]
        advance(scenario.ports)
        states, found, kept = judged(scenario, cycle)
        assert AlarmState.BLIND not in {state.state for state in states.values()}
        assert found is None
        assert kept == {}


class TestEveryAnswerSkipped:
    def test_is_blind_because_answers_are_missing(self, scenario):
        cycle = played(scenario, lambda key: True)
        states, found, _ = judged(scenario, cycle)
        (blind,) = scenario.channel.received
        assert {state.state for state in states.values()} == {AlarmState.BLIND}
        said = f"{found.drawn} of {found.drawn} drawn items have no answer ({found.drawn} skipped)"
        assert states["lr"].reason.endswith(f"; {said}")
        assert blind.subject == "BLIND: spam cannot tell one of its metrics: answers are missing"
        assert said in blind.body
        assert "ask who labels why answers do not come" in blind.body


class TestAnswersInDispute:
    def test_are_counted_as_such_beside_skipped_ones(self, scenario):
        third = at_random(0.3)
        cycle = played(scenario, third)
        scenario.clock.advance(hours=1)
        now = scenario.clock.now()
        given = [one for one in scenario.queue.said if one.value in ("yes", "no")][:7]
        other = {"yes": "no", "no": "yes"}
        scenario.queue.said += [
            replace(one, event_id=f"other {one.event_id}", annotator="bob", value=other[one.value], at=now)
            for one in given
        ]
        advance(scenario.ports)
        _, found, kept = judged(scenario, cycle)
        skipped = len({one.item_key for one in scenario.queue.said if one.value == "skip"})
        assert (found.disputed, found.skipped) == (7, skipped)
        assert f" have no answer ({skipped} skipped, 7 in dispute)" in kept["sentence"]

    def test_are_not_those_that_somebody_skipped(self, make_scenario):
        scenario = make_scenario(spec(budget=400, limits=(LIMIT,), votes=2))
        open_all(scenario)
        for _ in range(3):
            scenario.clock.advance(hours=30)
            assert advance(scenario.ports).troubles == ()
            now = scenario.clock.now()
            scenario.queue.answer(now)
            asked = {one.item_key for one in scenario.queue.said if one.annotator == "bob"}
            scenario.queue.said += [
                replace(one, event_id=f"bob {one.event_id}", annotator="bob", value="skip")
                for one in scenario.queue.said
                if one.annotator == "ann" and one.item_key not in asked
            ]
        _, found, _ = judged(scenario, only_cycle(scenario))
        assert (found.disputed, found.skipped) == (0, found.drawn)

    def test_of_a_segment_that_is_not_there_are_not_missing(self, make_scenario):
        limit = replace(LIMIT, segment=Segment("country", "AT"))
        scenario = make_scenario(spec(budget=400, limits=(LIMIT, limit)))
        played(scenario, at_random(0.6))
        with scenario.ports.store.begin() as tx:
            (absent,) = [one for one in tx.alarms.current_states("spam") if one.key.segment]
            causes = {one.key.segment: one.dedup_key for one in tx.alarms.incidents(only_open=True)}
        assert absent.state == AlarmState.BLIND
        assert "few-labels" in causes["country=AT"]


class TestReport:
    def test_shows_bounds_and_counts_of_the_newest_window(self, scenario):
        cycle = played(scenario, positives_half(scenario))
        _, found, _ = judged(scenario, cycle)
        view = build(scenario.ports.store, scenario.panel, scenario.clock.now())
        assert view.missing.leans
        assert view.missing.sentence == found.sentence
        assert len(view.missing.bounds) == 6
        for row in view.missing.bounds:
            one = found.bounds[row.classifier, row.metric, None]
            assert (row.bounds.low, row.bounds.lowest) == pytest.approx((one.low, one.lowest))
        assert sum(row.skipped for row in view.missing.counts if row.stratum is not None) == found.skipped
        page = panel_page(view)
        assert "Answers that did not come" in page
        assert "called positive by lr" in page

    def test_says_nothing_where_every_answer_came(self, scenario):
        played(scenario)
        view = build(scenario.ports.store, scenario.panel, scenario.clock.now())
        assert view.missing is None
        assert "did not come" not in panel_page(view)


class TestLostAtRandom:
    def test_skips_have_bounds_and_warn_nobody(self, scenario):
        states, found, kept = judged(scenario, played(scenario, at_random(0.15)))
        assert AlarmState.BLIND not in {state.state for state in states.values()}
        assert severities(scenario) == []
        assert found.lean is None
        assert not kept["leans"]
        assert {metric for _, metric, _ in found.bounds} == {"precision", "recall", "false_omission_rate"}
        assert all(one.low <= one.lowest <= one.highest <= one.high for one in found.bounds.values())

    def test_answers_that_expire_are_counted_apart(self, scenario):
        _, found, _ = judged(scenario, played(scenario, at_random(0.1), silent=at_random(0.3)))
        strata = [one for one in found.counts if one.stratum is not None]
        assert sum(one.expired for one in strata) == found.expired > 0
        assert sum(one.skipped for one in strata) == found.skipped > 0
        assert found.open == 0
        assert found.expired + found.skipped + sum(one.answered for one in strata) == found.drawn


def test_nothing_is_kept_where_every_answer_came(scenario):
    cycle = played(scenario)
    _, found, kept = judged(scenario, cycle)
    assert found is None
    assert kept == {}
    assert cycle_of(scenario, cycle).state == "judged"
    assert severities(scenario) == []
