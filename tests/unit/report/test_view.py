"""What the view says about a panel, from a store in memory."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import Undefined
from stratawatch.core.goals import Limit
from stratawatch.engine.model.cycle_facts import Transition
from stratawatch.engine.model.states import BatchState, CycleState, Entity
from stratawatch.report.view import build, relative_docs
from tests.support.report_quarter import (
    NOW,
    REGIONS,
    Memory,
    cycle,
    estimate,
    input_profile,
    known,
    quarter,
    spec,
    stream,
)


@pytest.fixture(scope="module")
def view():
    memory = quarter()
    return build(memory, memory.panel, NOW)


def one(memory, **changes):
    return build(memory, memory.panel, NOW, **changes)


def score_of(view, classifier, metric):
    return next(s for s in view.scores if (s.classifier, s.metric) == (classifier, metric))


class TestScorecard:
    def test_has_one_score_for_every_classifier_and_metric_in_the_panels_order(self, view):
        assert [(s.classifier, s.metric) for s in view.scores[:4]] == [
            ("lr", "precision"),
            ("lr", "recall"),
            ("lr", "false_omission_rate"),
            ("nb", "precision"),
        ]
        assert len(view.scores) == 12

    def test_stands_on_the_newest_judged_window_not_on_the_one_under_way(self, view):
        assert view.window == cycle(9).window

    def test_change_is_against_the_window_before(self, view):
        score = score_of(view, "nb", "precision")
        assert score.estimate.value == pytest.approx(0.708 + 0.5 * 0.01)
        assert score.change == pytest.approx((0.5 - 0.2) * 0.01)

    def test_change_skips_windows_that_could_not_be_told(self):
        memory = Memory(spec())
        memory.judge(cycle(0), [estimate("nb", "precision", known(0.80, 0.02))])
        memory.refuse(cycle(1), "no rows")
        memory.judge(cycle(2), [estimate("nb", "precision", known(0.75, 0.02))])
        assert score_of(one(memory), "nb", "precision").change == pytest.approx(-0.05)

    def test_a_refused_newest_window_shows_no_value_but_the_last_known_one(self):
        memory = Memory(spec())
        memory.judge(cycle(0), [estimate("nb", "precision", known(0.80, 0.02))])
        memory.refuse(cycle(1), "no rows", [stream()])
        score = score_of(one(memory), "nb", "precision")
        assert score.estimate is None
        assert score.state == AlarmState.BLIND
        assert (score.previous.value, score.previous.window) == (0.80, cycle(0).window)
        assert "no rows" in score.reason

    def test_undefined_says_why_and_is_never_zero(self):
        memory = Memory(spec())
        memory.judge(cycle(0), [estimate("nb", "precision", Undefined("it calls no item positive"))])
        score = score_of(one(memory), "nb", "precision")
        assert (score.estimate, score.reason) == (None, "it calls no item positive")

    def test_the_limit_is_the_one_in_force_when_the_cycle_was_opened(self):
        memory = Memory(spec(limits=(Limit("precision", floor=0.9),)))
        memory.judge(cycle(0), [estimate("nb", "precision", known(0.80, 0.02))])
        today = spec(limits=(Limit("precision", floor=0.5),))
        assert build(memory, today, NOW).scores[0].limit_value == 0.9

    def test_segments_have_their_own_scores(self, view):
        south = [s for s in view.segments if (s.segment, s.classifier, s.metric) == ("region=south", "nb", "precision")]
        assert [s.estimate.value for s in south] == [0.581]


class TestScales:
    def test_hold_every_interval_and_limit_of_the_metric(self, view):
        scale = score_of(view, "lr", "precision").scale
        ends = [p for t in view.trends if t.metric == "precision" for p in t.points]
        assert scale.low <= min(p.estimate.low for p in ends if p.estimate)
        assert scale.high >= max(p.estimate.high for p in ends if p.estimate)
        assert scale.low <= 0.78 <= scale.high

    def test_are_shared_by_all_classifiers_of_a_metric(self, view):
        assert len({t.scale for t in view.trends if t.metric == "recall"}) == 1

    @pytest.mark.parametrize(
        ("value", "half"), [(0.0, 0.0), (1.0, 0.0), (0.5, 0.0), (0.0002, 0.0001), (0.9999, 0.0001)]
    )
    def test_never_collapse(self, value, half):
        memory = Memory(spec(limits=()))
        memory.judge(cycle(0), [estimate("nb", "precision", known(value, half))])
        scale = one(memory).scores[0].scale
        assert 0 <= scale.low < scale.high <= 1
        assert scale.low <= value <= scale.high


class TestTrends:
    def test_a_refused_window_and_one_under_way_are_gaps_with_their_reasons(self, view):
        trend = next(t for t in view.trends if (t.classifier, t.metric) == ("nb", "precision"))
        gaps = {i: p for i, p in enumerate(trend.points) if p.estimate is None}
        assert sorted(gaps) == [3, 10]
        assert "score_nb" in gaps[3].gap
        assert not gaps[3].under_way
        assert gaps[10].gap == "the cycle is labelling"
        assert gaps[10].under_way

    def test_carry_limit_and_state_of_every_window(self, view):
        trend = next(t for t in view.trends if (t.classifier, t.metric) == ("nb", "precision"))
        assert trend.limit_word == "floor"
        assert {p.limit for p in trend.points} == {0.78}
        assert [p.state == AlarmState.BREACH for p in trend.points] == [i in range(6, 10) for i in range(11)]

    def test_show_only_the_newest_cycles_and_count_the_others(self):
        shown = one(quarter(), cycles=4)
        assert len(shown.trends[0].points) == 4
        assert shown.older == 7


class TestHeadline:
    def test_a_breach_comes_first_with_its_sentence_and_its_worst_segment(self, view):
        assert view.headline.state == AlarmState.BREACH
        assert view.headline.sentence.startswith("Precision of nb: 70.9%")
        assert "Precision of nb is worst in region=south: 58.1% (53.4 to 62.7)" in view.headline.details

    def test_a_segment_whose_interval_holds_the_overall_value_is_not_blamed(self):
        memory = Memory(spec())
        south = [estimate("nb", "precision", known(0.68, 0.05), segment) for segment in [REGIONS[1]]]
        memory.judge(
            cycle(0), [estimate("nb", "precision", known(0.70, 0.03)), *south], [(stream(), AlarmState.BREACH, "low")]
        )
        assert not any("worst in" in line for line in one(memory).headline.details)

    def test_under_a_ceiling_the_worst_segment_is_the_highest(self):
        memory = Memory(spec(limits=(Limit("false_omission_rate", ceiling=0.01),)))
        key = stream(metric="false_omission_rate")
        values = [known(0.02, 0.002), known(0.03, 0.002), known(0.015, 0.002)]
        made = [
            estimate("nb", key.metric, value, segment) for value, segment in zip(values, [None, *REGIONS], strict=True)
        ]
        memory.judge(cycle(0), made, [(key, AlarmState.BREACH, "high")])
        assert (
            "False-omission rate of nb is worst in region=north: 3.00% (2.80 to 3.20)" in one(memory).headline.details
        )

    def test_an_open_incident_is_named_with_its_beginning(self, view):
        assert "1 incident open: BREACH, precision of nb, opened 2026-02-25" in view.headline.details

    def test_many_open_incidents_are_only_counted(self):
        memory = quarter()
        memory.incidents += [replace(memory.incidents[-1], id=number) for number in (10, 11)]
        assert "3 incidents open" in one(memory).headline.details

    def test_several_breaches_are_named_together(self):
        memory = Memory(spec())
        states = [(stream(name), AlarmState.BREACH, "low") for name in ("lr", "nb")]
        memory.judge(cycle(0), [estimate(n, "precision", known(0.7, 0.02)) for n in ("lr", "nb")], states)
        said = one(memory).headline.sentence
        assert said == "2 metrics are outside their limits, paged: precision of lr; precision of nb."

    @pytest.mark.parametrize("state", [AlarmState.BLIND, AlarmState.AT_RISK])
    def test_blind_and_at_risk_outrank_ok(self, state):
        memory = Memory(spec())
        states = [(stream("lr"), AlarmState.OK, "fine"), (stream("nb"), state, "because of this")]
        memory.judge(cycle(0), [estimate(n, "precision", known(0.8, 0.02)) for n in ("lr", "nb")], states)
        shown = one(memory).headline
        assert shown.state == state
        assert shown.sentence == "Precision of nb: because of this."

    def test_unproven_is_not_dressed_up_as_trouble(self):
        memory = Memory(spec())
        states = [(stream("lr"), AlarmState.OK, "fine"), (stream("nb"), AlarmState.UNPROVEN, "near")]
        memory.judge(cycle(0), [estimate(n, "precision", known(0.8, 0.02)) for n in ("lr", "nb")], states)
        assert one(memory).headline.sentence == (
            "Nothing is outside its limit; 1 of 2 metrics is inside so far, not proven: precision of nb."
        )

    def test_all_well_says_so(self):
        memory = Memory(spec())
        states = [(stream(name), AlarmState.OK, "fine") for name in ("lr", "nb")]
        memory.judge(cycle(0), [estimate(n, "precision", known(0.9, 0.02)) for n in ("lr", "nb")], states)
        assert one(memory).headline.sentence == (
            "Nothing needs attention: all 2 metrics with a limit are inside their limits."
        )

    def test_several_at_risk_are_outside_so_far(self):
        memory = Memory(spec())
        states = [(stream(name), AlarmState.AT_RISK, "low") for name in ("lr", "nb")]
        memory.judge(cycle(0), [estimate(n, "precision", known(0.7, 0.1)) for n in ("lr", "nb")], states)
        assert one(memory).headline.sentence == (
            "2 metrics are outside their limits so far, not proven: precision of lr; precision of nb."
        )

    def test_a_refused_newest_window_outranks_an_older_all_well(self):
        memory = Memory(spec())
        memory.judge(cycle(0), [estimate("nb", "precision", known(0.9, 0.02))], [(stream(), AlarmState.OK, "fine")])
        memory.refuse(cycle(1), "the window has no rows", [stream()])
        shown = one(memory).headline
        assert shown.state == AlarmState.BLIND
        assert "refused (the window has no rows)" in shown.sentence

    def test_without_limits_it_promises_nothing(self):
        memory = Memory(spec(limits=()))
        memory.judge(cycle(0), [estimate("nb", "precision", known(0.9, 0.02))])
        assert one(memory).headline.state is None
        assert "no metric has a limit" in one(memory).headline.sentence

    def test_an_empty_store_is_said_to_be_empty(self):
        assert one(Memory(spec())).headline.sentence == "No window has been opened yet."

    def test_windows_under_way_are_mentioned_with_their_last_error(self):
        memory = Memory(spec())
        memory.cycles.append(cycle(0, CycleState.OPEN, failures=2, last_error="no file matches"))
        shown = one(memory).headline
        assert shown.sentence == "No window has been judged yet."
        assert any("is open (last error: no file matches)" in line for line in shown.details)


class TestLabels:
    def test_are_counted_by_what_became_of_them(self):
        memory = Memory(spec())
        memory.label(one_cycle := cycle(0), 20, yes=3, no=9, skip=2, reused=5)
        memory.judge(one_cycle, [estimate("nb", "precision", known(0.9, 0.02))])
        labels = one(memory).labels
        assert (labels.drawn, labels.new, labels.reused, labels.used) == (25, 20, 5, 17)
        assert (labels.skipped, labels.open, labels.expired, labels.unsent) == (2, 0, 6, 0)

    def test_unanswered_ones_are_open_while_the_cycle_is_under_way(self, view):
        row = view.cycles[0]
        assert (row.labels.open, row.labels.expired) == (360 - 141, 0)

    def test_unsent_batches_are_not_counted_as_asked(self):
        memory = Memory(spec())
        memory.label(one_cycle := cycle(0, CycleState.LABELLING), 20)
        memory.batches[one_cycle.id] = [replace(memory.batches[one_cycle.id][0], state=BatchState.PLANNED)]
        memory.cycles.append(one_cycle)
        labels = one(memory).cycles[0].labels
        assert (labels.new, labels.open, labels.unsent) == (0, 0, 20)

    @pytest.mark.parametrize(("had_been_sent", "asked"), [(True, 20), (False, 0)])
    def test_a_withdrawn_batch_counts_only_if_people_had_it(self, had_been_sent, asked):
        memory = Memory(spec())
        memory.label(one_cycle := cycle(0), 20)
        batch = replace(memory.batches[one_cycle.id][0], state=BatchState.CANCELLED)
        memory.batches[one_cycle.id] = [batch]
        if had_been_sent:
            memory.moves.append(Transition(Entity.BATCH, batch.id, "planned", "sent", "", NOW))
        memory.judge(one_cycle, [estimate("nb", "precision", known(0.9, 0.02))])
        assert one(memory).labels.new == asked


class TestCyclesAndIncidents:
    def test_cycles_come_newest_first_with_state_revision_and_rows_set_aside(self, view):
        assert [row.period for row in view.cycles] == list(range(10, -1, -1))
        row = next(row for row in view.cycles if row.period == 7)
        assert (row.state, row.quarantined, row.rows, row.revision) == (CycleState.JUDGED, 412, 100_000, 1)
        assert next(row for row in view.cycles if row.period == 5).revision == 2

    def test_of_a_refused_window_is_said_what_was_counted(self):
        memory = quarter()
        memory.cycles[3] = replace(memory.cycles[3], profile=input_profile(10_000, 9230))
        row = next(row for row in one(memory).cycles if row.period == 3)
        assert (row.state, row.rows, row.quarantined) == (CycleState.REFUSED, 10_000, 9230)

    def test_of_one_that_was_not_counted_nothing_is_said(self):
        memory = quarter()
        memory.cycles[3] = replace(memory.cycles[3], profile=None)
        row = next(row for row in one(memory).cycles if row.period == 3)
        assert (row.rows, row.quarantined) == (None, None)

    def test_open_incidents_come_first(self, view):
        assert [row.resolved_at is None for row in view.incidents] == [True, False, False]
        assert view.incidents[0].reason.startswith("70.9%")

    def test_incidents_that_ended_before_the_report_begins_are_left_out(self):
        assert [row.kind for row in one(quarter(), cycles=3).incidents] == [AlarmState.BREACH]

    def test_notifications_of_other_panels_and_other_times_are_left_out(self):
        memory = quarter()
        other = replace(memory.notifications[-1], dedup_key="stratawatch:fraud:1", facts={"panel": "fraud"})
        early = replace(memory.notifications[-1], created_at=cycle(0).opened_at - timedelta(days=1))
        memory.notifications += [other, early]
        assert [row.severity for row in one(memory).notifications] == ["page", "resolved", "warning"]

    def test_word_of_a_report_is_shown_as_that(self):
        memory = quarter()
        facts = {"panel": "toxicity", "update": "report"}
        memory.notifications.append(replace(memory.notifications[-1], severity="update", facts=facts))
        assert one(memory).notifications[0].severity == "report"

    def test_docs_links_stay_inside_the_report_folder(self):
        assert relative_docs(cycle(0)) == "../checks/toxicity/p00000/index.html"
        for bad in ("../../etc/passwd", "/etc/passwd", "javascript:alert(1)", "a\\b", "https://elsewhere.example"):
            assert relative_docs(cycle(0, docs=bad)) is None


class TestUntold:
    def test_lists_refused_windows_and_blind_metrics_with_their_reasons(self):
        memory = quarter()
        memory.judge(
            cycle(11),
            [estimate("nb", "precision", Undefined("no label came back"))],
            [(stream(), AlarmState.BLIND, "no label came back")],
        )
        told = {line.what: line.why for line in one(memory).undefined}
        assert told["Window 2026-01-26 to 2026-02-02"].startswith("refused: column 'score_nb'")
        assert told["Precision of nb"] == "no label came back"

    def test_says_why_a_window_was_cancelled_held_up_or_judged_on_what_came(self):
        memory = Memory(spec())
        memory.cycles.append(cycle(0, CycleState.CANCELLED, reason="wrong export"))
        memory.label(late := cycle(1, reason="deadline passed; 5 of 9 drawn items have a verdict"), 9, no=5)
        memory.judge(late, [estimate("nb", "precision", known(0.8, 0.1))])
        memory.cycles.append(cycle(2, CycleState.OPEN, failures=3, last_error="no file matches"))
        assert [line.why for line in one(memory).undefined if line.what.startswith("Window")] == [
            "cancelled: wrong export",
            "judged on what came: deadline passed; 5 of 9 drawn items have a verdict",
            "held up after 3 failed attempts: no file matches",
        ]

    def test_a_small_segment_without_a_limit_is_no_trouble(self, view):
        assert not any("region=north" in line.what for line in view.undefined)
