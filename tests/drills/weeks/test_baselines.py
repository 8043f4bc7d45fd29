"""Baselines: measured from judged windows or from labels, in force by date, and used with their uncertainty."""

import re
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np
import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.goals import Limit
from stratawatch.core.population import Segment
from stratawatch.engine.baselines.baselines_from_labels import LabelledItems, SideSizes
from stratawatch.engine.baselines.measure_baseline import BaselineRequest, keep_resampled_baselines, measure_baseline
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.errors import StratawatchError
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario, label_cycle, label_weeks

LR = StreamKey("spam", "lr", "precision")
DROP = (Limit("precision", max_drop=0.1, classifiers=("lr",)),)


def state_of(scenario: Scenario, key: StreamKey = LR):
    with scenario.ports.store.begin() as tx:
        return next(state for state in tx.alarms.current_states("spam") if state.key == key)


@dataclass
class Labels:
    """Labelled predictions that are there."""

    items: LabelledItems

    def read(self, panel):
        return self.items


def labels(precision: float, called: int, passed: int = 0, missed: int = 0, **changes) -> Labels:
    """Items called positive, of which a share is, and others, of which some are missed."""
    right = round(precision * called)
    truth = np.array([True] * right + [False] * (called - right) + [True] * missed + [False] * (passed - missed))
    calls = np.arange(called + passed) < called
    everyone = {"lr": np.ones(called + passed, bool), "rf": np.zeros(called + passed, bool)}
    facts = {
        "truth": truth,
        "calls": {"lr": calls, "rf": calls},
        "scored": everyone,
        "segments": {},
        "source": "a file",
    }
    return Labels(LabelledItems(**(facts | changes)))


WATCHED = spec(limits=DROP, budget=300)


@pytest.fixture
def watched(make_scenario):
    """A scenario that limits how far the precision of lr may fall."""
    return make_scenario(WATCHED)


@pytest.fixture
def month(make_scenario):
    """The same after four judged windows."""
    return make_scenario(WATCHED, *range(4))


class TestFromPastWindows:
    def test_is_the_mean_of_the_judged_windows_and_in_force_for_the_next(self, month):
        measured = measure_baseline(month.ports, month.panel, BaselineRequest())
        kept = next(one for one in measured.new if one.key == LR)
        with month.ports.store.begin() as tx:
            past = [
                estimate
                for _, revision in tx.estimates.history("spam")
                for estimate in revision.estimates
                if (estimate.classifier, estimate.metric, estimate.segment) == ("lr", "precision", None)
            ]
        assert kept.evidence.value == pytest.approx(np.mean([one.result.value for one in past]))
        assert (kept.valid_from, kept.valid_until) == (MONDAY + 4 * WEEK, None)
        assert (kept.n, kept.counted) == (sum(one.labels_used for one in past), "label")
        assert kept.source == "4 judged windows, 2026-01-05 to 2026-02-02"
        assert kept.measured_at == month.clock.now()

    def test_again_changes_nothing(self, month):
        first = measure_baseline(month.ports, month.panel, BaselineRequest())
        month.clock.advance(days=1)
        again = measure_baseline(month.ports, month.panel, BaselineRequest())
        assert (len(first.new), len(first.unchanged), first.undefined) == (6, 0, {})
        assert (again.new, [one.key for one in again.unchanged]) == ((), [one.key for one in first.new])

    def test_labels_again_after_another_window_change_nothing_either(self, watched):
        request = BaselineRequest(of=("lr",))
        first = measure_baseline(watched.ports, watched.panel, request, labels(0.9, 100))
        label_weeks(watched, *range(1))
        again = measure_baseline(watched.ports, watched.panel, request, labels(0.9, 100))
        assert (again.new, again.unchanged) == ((), first.new)
        later = replace(request, valid_from=MONDAY + WEEK)
        assert len(measure_baseline(watched.ports, watched.panel, later, labels(0.9, 100)).new) == len(first.new)
        assert measure_baseline(watched.ports, watched.panel, later, labels(0.9, 100)).new == ()

    @pytest.mark.parametrize("dates", [{}, {"valid_from": MONDAY + WEEK}], ids=["without dates", "with a date"])
    def test_what_was_measured_last_is_in_force_also_where_it_was_measured_before(self, watched, dates):
        request = BaselineRequest(of=("lr",), **dates)
        for precision in (0.9, 0.8, 0.9, 0.9):
            measure_baseline(watched.ports, watched.panel, request, labels(precision, 100))
            watched.clock.advance(hours=1)
        with watched.ports.store.begin() as tx:
            (now,) = [one for one in tx.baselines.in_force("spam", MONDAY + WEEK) if one.key == LR]
            kept = [one.evidence.value for one in tx.baselines.of("spam") if one.key == LR]
        assert (kept, now.evidence.value) == ([0.9, 0.8, 0.9], 0.9)

    @pytest.mark.parametrize("until", [None, MONDAY + 5 * WEEK])
    def test_of_some_time_is_kept_anew_once_something_else_holds_then(self, watched, until):
        dated = BaselineRequest(of=("lr",), valid_from=MONDAY + 2 * WEEK, valid_until=until)
        requests = [(dated, 0.9), (BaselineRequest(of=("lr",)), 0.8), (dated, 0.9), (dated, 0.9)]
        found = []
        for request, precision in requests:
            found.append(measure_baseline(watched.ports, watched.panel, request, labels(precision, 100)))
            watched.clock.advance(hours=1)
        assert [bool(one.new) for one in found] == [True, True, True, False]
        with watched.ports.store.begin() as tx:
            (now,) = [one for one in tx.baselines.in_force("spam", MONDAY + 2 * WEEK) if one.key == LR]
        assert now.evidence.value == 0.9

    def test_an_exception_for_some_time_stays_when_the_same_is_measured_again(self, watched):
        usual = BaselineRequest(of=("lr",))
        some = BaselineRequest(of=("lr",), valid_from=MONDAY, valid_until=MONDAY + WEEK)
        measure_baseline(watched.ports, watched.panel, usual, labels(0.9, 100))
        measure_baseline(watched.ports, watched.panel, some, labels(0.8, 100))
        assert measure_baseline(watched.ports, watched.panel, usual, labels(0.9, 100)).new == ()

    def test_what_is_planned_for_later_stays_when_the_same_is_measured_again(self, watched):
        now, later = BaselineRequest(of=("lr",)), BaselineRequest(of=("lr",), valid_from=MONDAY + 9 * WEEK)
        first = measure_baseline(watched.ports, watched.panel, now, labels(0.9, 100))
        measure_baseline(watched.ports, watched.panel, later, labels(0.8, 100))
        again = measure_baseline(watched.ports, watched.panel, now, labels(0.9, 100))
        assert (again.new, again.unchanged) == ((), first.new)

    def test_of_too_few_windows_is_refused(self, make_scenario):
        watched = make_scenario(WATCHED, *range(3))
        with pytest.raises(StratawatchError, match=r"too few judged windows.*at least 4; got 3; wait for more, or"):
            measure_baseline(watched.ports, watched.panel, BaselineRequest())
        with pytest.raises(StratawatchError, match="too few windows for a baseline; expected at least 4; got 2"):
            measure_baseline(watched.ports, watched.panel, BaselineRequest(windows=2))

    def test_is_not_for_the_windows_that_it_rests_on(self, month):
        request = BaselineRequest(valid_from=MONDAY + 3 * WEEK)
        with pytest.raises(StratawatchError, match="not for the windows that it was measured in"):
            measure_baseline(month.ports, month.panel, request)

    def test_does_not_mix_two_cut_offs(self, month):
        lower = (ClassifierSpec("lr", "score_lr", cut_off=0.4), month.panel.classifiers[1])
        measured = measure_baseline(month.ports, replace(month.panel, classifiers=lower), BaselineRequest())
        assert {one.key.classifier for one in measured.new} == {"rf"}
        assert measured.undefined[LR] == "4 of 4 windows are of another classifier, yes by score_lr >= 0.5"
        with pytest.raises(StratawatchError, match=r"can be told; got spam / lr / precision: 4 of 4 windows are of"):
            measure_baseline(
                month.ports, replace(month.panel, classifiers=lower), BaselineRequest(of=("lr",), windows=4)
            )

    def test_of_windows_that_a_changed_cut_off_left_says_why_they_are_few(self, watched):
        label_weeks(watched, *range(2))
        higher = (ClassifierSpec("lr", "score_lr", cut_off=0.6), watched.panel.classifiers[1])
        watched.panel = replace(watched.panel, classifiers=higher)
        label_weeks(watched, *range(2, 5))
        measured = measure_baseline(watched.ports, watched.panel, BaselineRequest())
        assert measured.undefined[LR] == (
            "3 past windows knew it, a baseline takes 4; "
            "2 of 5 windows are of another classifier, yes by score_lr >= 0.5"
        )

    def test_looks_only_at_what_had_been_judged_by_then(self, month):
        then = month.clock.now()
        label_weeks(month, *range(4, 6), quality=0.3)
        today = measure_baseline(month.ports, month.panel, BaselineRequest(of=("lr",)))
        month.clock.moment = then
        past = measure_baseline(month.ports, month.panel, BaselineRequest(of=("lr",)))
        assert {one.source for one in past.new} == {"4 judged windows, 2026-01-05 to 2026-02-02"}
        assert {one.source for one in today.new} == {"6 judged windows, 2026-01-05 to 2026-02-16"}
        assert {one.valid_from for one in past.new} == {MONDAY + 4 * WEEK}
        month.clock.moment = MONDAY + 2 * WEEK
        with pytest.raises(StratawatchError, match="too few judged windows for a baseline; expected at least 4; got 1"):
            measure_baseline(month.ports, month.panel, BaselineRequest())

    def test_takes_no_sizes_of_sides(self, watched):
        with pytest.raises(StratawatchError, match="drawn from apart are of labelled predictions; expected a file"):
            measure_baseline(watched.ports, watched.panel, BaselineRequest(sides=SideSizes(10, 90)))

    def test_of_a_metric_that_too_few_windows_knew_is_told_and_not_kept(self, make_scenario):
        limit = Limit("precision", max_drop=0.1, segment=Segment("country", "AT"))
        scenario = make_scenario(spec(limits=(limit,)), *range(4))
        measured = measure_baseline(scenario.ports, scenario.panel, BaselineRequest())
        assert measured.undefined[replace(LR, segment="country=AT")] == "no past window knew it"
        assert {one.key.segment for one in measured.new} == {None}


class TestFromLabels:
    def test_is_of_the_items_that_the_classifier_scored(self, scenario):
        measured = measure_baseline(scenario.ports, scenario.panel, BaselineRequest(), labels(0.8, 200, 800, 40))
        kept = {one.key.metric: one for one in measured.new}
        assert {metric: one.evidence.value for metric, one in kept.items()} == pytest.approx(
            {"precision": 0.8, "recall": 0.8, "false_omission_rate": 0.05, "accuracy": 0.92}
        )
        assert {one.key.classifier for one in measured.new} == {"lr"}
        assert measured.undefined[StreamKey("spam", "rf", "accuracy")] == "there are no labelled items"
        assert kept["precision"].valid_from == MONDAY

    def test_says_which_rows_do_not_count(self, scenario):
        items = replace(labels(0.8, 20, 80, 4).items, unlabelled=1200)
        measured = measure_baseline(scenario.ports, scenario.panel, BaselineRequest(), Labels(items))
        assert measured.notes == (
            "1,200 of 1,300 rows have no label and are left out",
            "100 of 100 labels are of rows without a call of rf",
        )

    @pytest.mark.parametrize(("precision", "said"), [(1.0, "yes"), (0.0, "no")])
    def test_that_all_say_the_same_asks_whether_they_are_labels(self, scenario, precision, said):
        request = BaselineRequest(of=("lr",))
        measured = measure_baseline(scenario.ports, scenario.panel, request, labels(precision, 40))
        assert measured.notes[-1] == f"all 40 labels say {said}; is it the right column?"
        assert all("all 40" not in note for note in self.noted(scenario, request, 0.5))

    def noted(self, scenario, request, precision):
        return measure_baseline(scenario.ports, scenario.panel, request, labels(precision, 40)).notes

    def test_that_were_drawn_apart_take_the_numbers_of_either_side(self, scenario):
        request = BaselineRequest(of=("lr",), sides=SideSizes(1000, 9000))
        measured = measure_baseline(scenario.ports, scenario.panel, request, labels(0.8, 100, 400, 8))
        values = {one.key.metric: one.evidence.interval_at(0.95).value for one in measured.new}
        assert values["recall"] == pytest.approx(800 / (800 + 180))
        with pytest.raises(StratawatchError, match="are of one classifier; expected its name; name it with --of"):
            measure_baseline(scenario.ports, scenario.panel, replace(request, of=()), labels(0.8, 100, 400, 8))

    def test_in_a_segment_takes_its_column(self, make_scenario):
        limit = Limit("precision", max_drop=0.1, classifiers=("lr",), segment=Segment("country", "DE"))
        scenario = make_scenario(spec(limits=(limit,)))
        inside = replace(LR, segment="country=DE")
        without = measure_baseline(scenario.ports, scenario.panel, BaselineRequest(), labels(0.5, 4))
        assert without.undefined[inside] == "the labelled predictions have no such column"
        countries = {"country": ("DE", "FR", "FR", None)}
        measured = measure_baseline(
            scenario.ports, scenario.panel, BaselineRequest(), labels(0.5, 4, segments=countries)
        )
        kept = next(one for one in measured.new if one.key == inside)
        assert (kept.evidence.value, kept.n) == (1.0, 1)

    @pytest.mark.parametrize(
        ("request_", "message"),
        [
            (BaselineRequest(of=("svm",)), "panel 'spam' has no classifier 'svm'; expected lr, rf"),
            (BaselineRequest(valid_until=MONDAY), "a baseline is in force for some time"),
        ],
    )
    def test_for_nobody_or_no_time_is_refused(self, scenario, request_, message):
        with pytest.raises(StratawatchError, match=message):
            measure_baseline(scenario.ports, scenario.panel, request_, labels(0.8, 10))

    def test_takes_no_number_of_windows(self, scenario):
        with pytest.raises(StratawatchError, match="measured from windows or from labelled predictions"):
            measure_baseline(scenario.ports, scenario.panel, BaselineRequest(windows=8), labels(0.8, 10))


class TestKeep:
    def test_takes_what_scikit_learn_measured_with_its_dates(self, scenario):
        from stratawatch.core.baselines.labelled import labelled_baselines

        rows = labels(0.75, 40).items
        found = [
            replace(one, method="stratified 10-fold, Wilson", seed=7, valid_until="2026-06-01T00:00:00+00:00")
            for one in labelled_baselines(rows.calls["lr"], rows.truth)
        ]
        measured = keep_resampled_baselines(
            scenario.ports, scenario.panel, "lr", found, source="training data of 2026-01"
        )
        with scenario.ports.store.begin() as tx:
            stored = {one.key.metric: one for one in tx.baselines.of("spam")}
        assert stored["precision"] == next(one for one in measured.new if one.key.metric == "precision")
        assert (stored["precision"].seed, stored["precision"].valid_until.month) == (7, 6)
        assert measured.undefined == {replace(LR, metric="false_omission_rate"): "no labelled item is called negative"}

    @pytest.mark.parametrize("said", ["2026-06-01", "in June"])
    def test_dates_without_an_offset_are_refused(self, scenario, said):
        from stratawatch.core.baselines.labelled import labelled_baselines

        rows = labels(0.75, 40).items
        found = [replace(one, valid_from=said) for one in labelled_baselines(rows.calls["lr"], rows.truth)]
        with pytest.raises(StratawatchError, match=f"not a moment with its offset from UTC; got {said}; write"):
            keep_resampled_baselines(scenario.ports, scenario.panel, "lr", found, source="training data")
        naive = BaselineRequest(valid_until=MONDAY.replace(tzinfo=None))
        with pytest.raises(StratawatchError, match="not a moment with its offset from UTC"):
            measure_baseline(scenario.ports, scenario.panel, naive, labels(0.8, 10))


class TestJudging:
    def measure(self, scenario, precision, called, **request):
        measure_baseline(
            scenario.ports, scenario.panel, BaselineRequest(of=("lr",), **request), labels(precision, called)
        )

    def test_without_a_baseline_is_blind_and_says_which_command_measures_one(self, watched):
        label_cycle(watched)
        assert state_of(watched).state == AlarmState.BLIND
        assert state_of(watched).reason == (
            "cannot see how far it fell: no baseline is in force; measure one: stratawatch baseline measure spam"
        )
        (notification,) = watched.channel.received
        assert (notification.severity, "stratawatch baseline measure spam" in notification.body) == ("warning", True)

    def test_a_drop_that_is_proven_beyond_pages(self, watched):
        self.measure(watched, 0.95, 2000)
        watched.produce(0, quality=0.3)
        label_cycle(watched)
        assert state_of(watched).state == AlarmState.BREACH
        (notification,) = watched.channel.received
        assert notification.severity == "page"
        assert "at most 10 points more than its baseline of 5.0% (measured 2026-01-12) allowed" in notification.body
        reason = notification.facts["reason"]
        assert "against the baseline of 2026-01-12, a fall of 10 is allowed: proven to be more (at least" in reason

    def test_the_same_drop_from_an_uncertain_baseline_does_not(self, watched):
        self.measure(watched, 0.5, 40)
        watched.produce(0, quality=0.65)
        label_cycle(watched)
        uncertain = state_of(watched)
        assert uncertain.state == AlarmState.AT_RISK, uncertain.reason
        assert watched.channel.received == []

    def test_and_the_certain_one_shows_that_the_drop_is_real(self, watched):
        self.measure(watched, 0.5, 20_000)
        watched.produce(0, quality=0.65)
        label_cycle(watched)
        assert state_of(watched).state == AlarmState.BREACH

    def test_a_metric_that_stands_where_it_was_is_not_at_risk(self, month):
        measure_baseline(month.ports, month.panel, BaselineRequest())
        label_weeks(month, *range(4, 5))
        assert state_of(month).state in (AlarmState.OK, AlarmState.UNPROVEN)

    def test_a_baseline_of_another_cut_off_does_not_count(self, watched):
        lower = replace(watched.panel, classifiers=(ClassifierSpec("lr", "score_lr", cut_off=0.4),))
        request = BaselineRequest(of=("lr",))
        measure_baseline(watched.ports, lower, request, labels(0.95, 2000))
        label_cycle(watched)
        assert "the baseline is of another classifier, yes by score_lr >= 0.4" in state_of(watched).reason

    def test_a_baseline_that_begins_or_ends_later_does_not_count(self, watched):
        self.measure(watched, 0.95, 2000, valid_from=MONDAY + timedelta(minutes=1))
        label_cycle(watched)
        assert state_of(watched).state == AlarmState.BLIND

    def test_of_a_simulated_moment_does_not_know_what_was_measured_later(self, watched):
        then = watched.clock.now()
        watched.clock.advance(days=60)
        self.measure(watched, 0.95, 2000, valid_from=MONDAY)
        watched.clock.moment = then
        label_cycle(watched)
        assert state_of(watched).state == AlarmState.BLIND
        assert "the baseline of 2026-03-13 was measured after the moment of this judgement" in state_of(watched).reason

    def test_of_a_floor_and_a_drop_the_worse_one_decides(self, make_scenario):
        scenario = make_scenario(
            spec(limits=(Limit("precision", floor=0.1, max_drop=0.1, classifiers=("lr",)),), budget=300)
        )
        self.measure(scenario, 0.95, 20_000)
        scenario.produce(0, quality=0.3)
        label_cycle(scenario)
        assert (state_of(scenario).state, "of 10 is allowed" in state_of(scenario).reason) == (AlarmState.BREACH, True)

    def test_a_rise_is_what_worsens_where_small_is_good(self, make_scenario):
        key = StreamKey("spam", "lr", "false_omission_rate")
        scenario = make_scenario(spec(limits=(Limit(key.metric, max_drop=0.005, classifiers=("lr",)),), budget=300))
        request = BaselineRequest(of=("lr",))
        measure_baseline(scenario.ports, scenario.panel, request, labels(0.9, 10, 40_000, 40))
        label_cycle(scenario)
        assert state_of(scenario, key).state == AlarmState.BREACH
        assert re.search(r"^rose by .* a rise of 0\.5 is allowed: proven to be more", state_of(scenario, key).reason)
