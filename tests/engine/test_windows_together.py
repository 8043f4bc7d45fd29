"""Readings of several windows: pooled label by label from the store, whatever the windows were designed like."""

from dataclasses import replace

import pytest
from sqlalchemy import event

from stratawatch.core.alarms.readings import readings
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.pooled_windows import PooledWindows
from stratawatch.core.goals import Limit
from stratawatch.core.population import Segment
from stratawatch.engine.alarms.past_readings import estimates_so_far
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.evidence.windows_together import windows_together
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.panel_spec import ClassifierSpec
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import label_weeks, open_all, work_on

LR = StreamKey("spam", "lr", "precision")
LIMIT = Limit("precision", floor=0.4, classifiers=("lr",))
NAMES = ("lr", "rf")


def together_of(scenario, cycle_id: int, key=LR):
    """What the windows up to one say together of a stream, and the stream's estimates so far."""
    with scenario.ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        panel = tx.panels.get(cycle.panel_version)
        segment = Segment(*key.segment.split("=")) if key.segment else None
        current = next(
            one
            for one in tx.estimates.latest(cycle_id).estimates
            if (one.classifier, one.metric, one.segment) == (key.classifier, key.metric, segment)
        )
        so_far = estimates_so_far(tx, panel, cycle, {key: current})
        found = windows_together(tx, panel, cycle, load_labelled_cycle(tx, panel, cycle_id), so_far)
        return found.of(key) if found else None, so_far[key]


def by_hand(scenario, *cycles: int, segments=(None,)):
    """The windows pooled from all that the store has of them."""
    with scenario.ports.store.begin() as tx:
        labelled = [load_labelled_cycle(tx, tx.panels.get(tx.cycles.get(one).panel_version), one) for one in cycles]
    windows = tuple(one.design.window_labels(one.ledger, one.drawn, segments) for one in labelled)
    request = EstimationRequest(0.95, ("precision",), segments)
    return PooledWindows(windows).estimates(range(len(windows)), NAMES, request)


@pytest.fixture
def weeks(make_scenario):
    """Two judged weeks, of which none pages."""
    return make_scenario(spec(limits=(LIMIT,)), 0, 1)


class TestWhatWindowsSayTogether:
    def test_is_the_pool_of_their_labels(self, weeks):
        first, second, last = 1, 2, *label_weeks(weeks, 2)
        found, so_far = together_of(weeks, last)
        assert found(3) == by_hand(weeks, first, second, last)[0]
        assert found(2) == by_hand(weeks, second, last)[0]
        assert isinstance(found(3).result, IntervalEstimate)
        assert found(3).labels_used == sum(one.labels_used for one in so_far)

    def test_a_week_that_nobody_answered_is_a_gap(self, weeks):
        """Its labels expire, and the next week still has its readings, of the weeks that were answered."""
        weeks.produce(2)
        weeks.clock.moment = MONDAY + 3 * WEEK
        (silent,) = open_all(weeks)
        for hours in (1, 24 * 4, 1):
            weeks.clock.advance(hours=hours)
            advance(weeks.ports)
        found, _ = together_of(weeks, silent)
        assert found(2) == by_hand(weeks, 2)[0]
        weeks.queue.published.clear()  # nor later
        (last,) = label_weeks(weeks, 3)
        found, so_far = together_of(weeks, last)
        assert found(2) == by_hand(weeks, last)[0]
        assert found(3) == by_hand(weeks, 2, last)[0]
        assert found(4) == by_hand(weeks, 1, 2, last)[0]
        assert not isinstance(readings(so_far, 1.0, found), Undefined)

    def test_is_what_states_are_judged_by(self, weeks):
        *_, last = label_weeks(weeks, 2)
        found, so_far = together_of(weeks, last)
        with weeks.ports.store.begin() as tx:
            reasons = [one.reason for one in tx.alarms.of_cycle(last) if one.key == LR]
        few = readings(so_far, 1.0, found).few
        assert few.interval == found(3).result
        assert all(few.text in reason or "over the last" not in reason for reason in reasons)

    def test_counts_a_window_that_was_refused_as_a_gap(self, weeks):
        weeks.produce(3)
        weeks.clock.moment = MONDAY + 4 * WEEK
        *_, last = open_all(weeks)
        work_on(weeks, 3)
        found, so_far = together_of(weeks, last)
        assert len(so_far) == 4
        assert found(2) == by_hand(weeks, last)[0]
        assert found(3) == by_hand(weeks, 2, last)[0]

    def test_inside_a_segment_is_of_its_labels(self, make_scenario):
        north = Segment("country", "DE")
        scenario = make_scenario(spec(limits=(replace(LIMIT, segment=north),)), 0)
        (last,) = label_weeks(scenario, 1)
        found, _ = together_of(scenario, last, StreamKey("spam", "lr", "precision", str(north)))
        assert found(2) == by_hand(scenario, 1, last, segments=(north,))[0]

    def test_of_classifiers_in_another_order_is_the_same(self, weeks):
        lr, rf = weeks.panel.classifiers
        other = ClassifierSpec("new", "score_lr", cut_off=0.7)
        weeks.panel = replace(weeks.panel, classifiers=(other, rf, lr))
        (last,) = label_weeks(weeks, 2)
        found, so_far = together_of(weeks, last)
        assert found(3).labels_used == sum(one.labels_used for one in so_far)
        values = [one.result.value for one in so_far]
        assert min(values) < found(3).result.value < max(values)

    def test_is_not_known_where_a_window_has_plain_shares(self, weeks):
        weeks.panel = replace(weeks.panel, design="srs")
        (last,) = label_weeks(weeks, 2)
        assert together_of(weeks, last)[0] is None
        weeks.panel = replace(weeks.panel, design="joint")
        *_, last = (*label_weeks(weeks, 3), *label_weeks(weeks, 4))
        found, so_far = together_of(weeks, last)
        assert len(so_far) == 5
        assert found(3) is None
        assert isinstance(found(2).result, IntervalEstimate)

    def test_is_nothing_beyond_one_window(self, make_scenario):
        assert together_of(make_scenario(spec(limits=(LIMIT,)), 0), 1)[0] is None


def test_the_pools_of_earlier_windows_are_not_read(weeks):
    sent = []
    with weeks.ports.store.begin() as tx:
        panel, cycle = tx.panels.get(tx.cycles.get(2).panel_version), tx.cycles.get(2)
        labelled = load_labelled_cycle(tx, panel, 2)
        current = next(one for one in tx.estimates.latest(2).estimates if one.metric == "precision")
        so_far = estimates_so_far(tx, panel, cycle, {LR: current})
        listen = lambda *said: sent.append(said[2])  # noqa: E731
        event.listen(weeks.ports.store._engine, "before_cursor_execute", listen)
        windows_together(tx, panel, cycle, labelled, so_far)
        event.remove(weeks.ports.store._engine, "before_cursor_execute", listen)
    assert sent
    assert not [one for one in sent if "FROM candidates" in one]
