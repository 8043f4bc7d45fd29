"""design = "tripathi" through the engine: one round, estimates from its own items, revisions, and what it refuses."""

import pytest

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.population import Segment
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.label_needs import label_needs
from stratawatch.engine.labels.import_labels import HandLabel, import_labels
from stratawatch.engine.model.states import CycleState, RoundState
from stratawatch.engine.model.windows import window_of_period
from stratawatch.report.page import panel_page
from stratawatch.report.view import build
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import cycle_of, label_cycle, open_all

METHODS = {"recycled sample, Wilson", "recycled totals, MOVER", "stratified share, FF/MID"}


@pytest.fixture
def recycling(make_scenario):
    return make_scenario(spec(design="tripathi", options={"parent": "lr"}, budget=200))


def revision_of(scenario, cycle):
    with scenario.ports.store.begin() as tx:
        return tx.estimates.latest(cycle)


class TestACycle:
    def test_is_one_round_that_spends_its_budget(self, recycling):
        cycle = label_cycle(recycling)
        with recycling.ports.store.begin() as tx:
            rounds = tx.rounds.of(cycle)
        assert [(one.state, one.plan.method) for one in rounds] == [(RoundState.SETTLED, "recycled samples")]
        assert len(set(recycling.queue.asked())) == recycling.panel.budget

    def test_tells_precision_recall_and_false_omission_rate_of_everyone(self, recycling):
        found = revision_of(recycling, label_cycle(recycling)).estimates
        whole = [one for one in found if one.segment is None]
        assert len(whole) == 6
        assert all(isinstance(one.result, IntervalEstimate) for one in whole)
        assert {one.method for one in whole} == METHODS

    def test_intervals_hold_the_truth_of_its_window(self, recycling):
        """Six intervals at once, of one fixed window."""
        found = revision_of(recycling, label_cycle(recycling)).estimates
        rows = recycling.source.windows[MONDAY]
        for place, classifier in enumerate(recycling.panel.classifiers):
            called = [row.truth for row in rows if row.scores[place] >= classifier.cut_off]
            others = [row.truth for row in rows if row.scores[place] < classifier.cut_off]
            truth = {
                "precision": sum(called) / len(called),
                "recall": sum(called) / (sum(called) + sum(others)),
                "false_omission_rate": sum(others) / len(others),
            }
            mine = {one.metric: one.result for one in found if one.classifier == classifier.name and not one.segment}
            for metric, value in truth.items():
                assert mine[metric].low <= value <= mine[metric].high

    def test_says_that_segments_are_not_told(self, recycling):
        found = revision_of(recycling, label_cycle(recycling)).estimates
        inside = {one.result for one in found if one.segment}
        assert inside == {Undefined("design = 'tripathi' tells nothing of segments")}

    def test_is_drawn_the_same_again(self, make_scenario):
        scenarios = [make_scenario(spec(design="tripathi")) for _ in range(2)]
        for scenario in scenarios:
            open_all(scenario)
            advance(scenario.ports)
        assert scenarios[0].queue.asked() == scenarios[1].queue.asked()

    def test_a_corrected_label_makes_a_revision_that_counts_its_repeats(self, recycling):
        cycle = label_cycle(recycling)
        before = revision_of(recycling, cycle)
        with recycling.ports.store.begin() as tx:
            said = tx.labels.of_panel("spam")
        recycling.clock.advance(hours=1)
        other = [HandLabel(item, "no" if event.value == "yes" else "yes", event.annotator) for item, event in said]
        import_labels(recycling.ports, "spam", other)
        advance(recycling.ports)
        after = revision_of(recycling, cycle)
        assert after.number == 2
        for one, two in zip(before.estimates, after.estimates, strict=True):
            if one.segment is None and one.metric == "precision":
                assert two.result.value == pytest.approx(1 - one.result.value)

    def test_what_was_not_answered_by_the_deadline_is_left_out(self, recycling):
        (cycle,) = open_all(recycling)
        advance(recycling.ports)
        kept = set(recycling.queue.asked()[::2])
        recycling.queue.answer(recycling.clock.now(), only=kept.__contains__)
        recycling.clock.advance(days=4)
        advance(recycling.ports)
        advance(recycling.ports)
        found = {
            (one.classifier, one.metric): one for one in revision_of(recycling, cycle).estimates if not one.segment
        }
        assert isinstance(found["lr", "precision"].result, IntervalEstimate)
        assert 0 < found["lr", "recall"].labels_used <= len(kept)

    def test_items_that_persist_are_not_asked_about_again(self, recycling):
        """The same window once more: the same sizes, so the same draw, and every label is there."""
        label_cycle(recycling)
        recycling.source.windows[MONDAY + WEEK] = recycling.source.windows[MONDAY]
        recycling.clock.moment = MONDAY + 2 * WEEK
        asked = len(recycling.queue.asked())
        (cycle,) = open_all(recycling)
        for _ in range(3):
            assert advance(recycling.ports).troubles == ()
        assert cycle_of(recycling, cycle).state == CycleState.JUDGED
        assert len(recycling.queue.asked()) == asked
        known = [one.result for one in revision_of(recycling, cycle).estimates if one.segment is None]
        assert all(isinstance(outcome, IntervalEstimate) for outcome in known)


class TestRefusals:
    def test_too_small_a_budget_refuses_the_window_in_a_sentence(self, make_scenario):
        scenario = make_scenario(spec(design="tripathi", options={"omission_share": 0.05}, budget=20))
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        refused = cycle_of(scenario, cycle)
        assert refused.state == CycleState.REFUSED
        assert "labels are too few for" in refused.reason

    def test_a_goal_that_it_does_not_serve_refuses_too(self, make_scenario):
        scenario = make_scenario(spec(design="tripathi", goals=(Goal("f1", 0.05),)))
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        assert "design = 'tripathi' does not tell F1" in cycle_of(scenario, cycle).reason


class TestOutlook:
    def test_more_labels_buy_narrower_intervals_until_goals_want_no_more(self, make_scenario):
        scenario = make_scenario(spec(design="tripathi", goals=(Goal("precision", 0.05),)))
        found = label_needs(scenario.ports, scenario.panel, window_of_period(scenario.panel.windows, 0), 0)
        widths = {step.labels: step.half_widths for step in found.curve}
        assert set(widths[120]) == {
            (name, metric) for name in ("lr", "rf") for metric in ("precision", "recall", "false_omission_rate")
        }
        assert all(widths[1000][key] < widths[100][key] for key in widths[100])
        assert all(wish.labels < 1000 for wish in found.goals)
        assert max(wish.labels for wish in found.goals) <= found.together


def test_the_report_shows_it(recycling):
    label_cycle(recycling)
    page = panel_page(build(recycling.ports.store, recycling.panel, recycling.clock.now()))
    assert "are by: recycled sample, Wilson; recycled totals, MOVER; stratified share, FF/MID." in page
    assert "half-widths came out 1.4 times as large" in page
    assert page.count("design = &#39;tripathi&#39; tells nothing of segments") == 1


def test_a_limit_inside_a_segment_is_blind_with_the_reason(make_scenario):
    limit = Limit("precision", floor=0.5, classifiers=("lr",), segment=Segment("country", "DE"))
    scenario = make_scenario(spec(design="tripathi", limits=(limit,)))
    label_cycle(scenario)
    with scenario.ports.store.begin() as tx:
        (state,) = tx.alarms.current_states("spam")
    assert state.state == "BLIND"
    assert "tells nothing of segments" in state.reason
