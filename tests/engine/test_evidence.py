"""Evidence over windows in the engine: kept once, folded, paged, begun anew; and windows that stand alone."""

import re
from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.goals import Focus, Limit
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.judge_cycle import judge_cycle
from stratawatch.engine.evidence.loss_onset import loss_onset
from stratawatch.engine.evidence.panel_evidence import panel_evidence
from stratawatch.engine.evidence.replay_evidence import replay_evidence
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.errors import StratawatchError
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import cycle_of, label_cycle, label_weeks, open_all, relabel, severities

KEPT = Limit("precision", floor=0.5, classifiers=("rf",))
NEARLY = Limit("precision", floor=0.666, classifiers=("rf",))
"""About five points above where the classifier stands: no single window of 165 labels proves that before the third."""


def panel(limit=KEPT, budget=150, **more):
    return spec(budget=budget, limits=(limit,), **more)


def evidence(scenario):
    with scenario.ports.store.begin() as tx:
        return panel_evidence(tx, scenario.ports, scenario.panel)


def rows(scenario, cycle):
    with scenario.ports.store.begin() as tx:
        return tx.evidence.of_cycle(cycle)


def restarts(scenario):
    with scenario.ports.store.begin() as tx:
        return tx.evidence.restarts("spam")


def incidents(scenario):
    with scenario.ports.store.begin() as tx:
        return tx.alarms.incidents()


def rule(scenario, cycle):
    with scenario.ports.store.begin() as tx:
        return tx.evidence.rule_of(cycle)


def turn_one_round(scenario, cycle):
    """One answer of a cycle is corrected."""
    with scenario.ports.store.begin() as tx:
        keys = {draw.item_key for draw in tx.rounds.draws(cycle) if draw.bets}
    said = next(event for event in scenario.queue.said if event.item_key in keys)
    value = "no" if said.value == "yes" else "yes"
    scenario.clock.advance(hours=1)
    now = scenario.clock.now()
    scenario.queue.said.append(LabelEvent("fake", f"again:{now}", said.item_key, said.annotator, value, now))
    advance(scenario.ports)


class TestOnset:
    @pytest.fixture
    def healthy(self, make_scenario):
        return make_scenario(panel(), 0, 1, 2)

    def since(self, scenario, **other):
        (end,) = evidence(scenario).ends
        with scenario.ports.store.begin() as tx:
            return loss_onset(tx, scenario.panel, replace(end, **other)).since

    @pytest.mark.parametrize(("limit", "week"), [(0.95, 0), (0.1, 2)])
    def test_goes_by_the_estimates_of_windows(self, healthy, limit, week):
        """All estimates lie below 95%, and so since the first window; none does below 10%."""
        assert self.since(healthy, limit=limit, log_e=np.array([[0.1] * 3] * 3)) == MONDAY + week * WEEK

    def test_goes_by_their_bets_as_well(self, healthy):
        log_e = np.outer([-400.0, 4.0, 4.0], [0.2, 0.5, 1.0])
        assert self.since(healthy, limit=0.95, log_e=log_e) == MONDAY + WEEK

    def test_of_a_largest_drop_goes_by_its_bets(self, healthy):
        assert self.since(healthy, limit=None, log_e=np.array([[-4.0] * 3, [-4.0] * 3, [4.0] * 3])) == MONDAY + 2 * WEEK


class TestSlowLosses:
    @pytest.fixture
    def paged(self, make_scenario):
        return make_scenario(panel(NEARLY, 165), 0, 1, 2)

    def test_are_paged_by_windows_together(self, paged):
        (incident,) = incidents(paged)
        assert (incident.kind, incident.rule, incident.cycle_id) == (AlarmState.BREACH, "evidence", paged.cycles[2])
        assert incident.evidence > 52 / 0.8
        assert incident.since == MONDAY
        assert severities(paged) == ["page"]

    def test_say_since_when_and_how_sure(self, paged):
        page = paged.channel.received[0]
        assert f"Since: the week of {MONDAY:%Y-%m-%d}, most likely (90% sure: " in page.body
        assert "Sure: proven by this week alone; at most one false page a year is expected" in page.body
        assert "luck" not in page.body
        assert "luck reaches that at most 0.8 times a year" in page.facts["reason"]

    def test_begin_at_0_afterwards_and_say_why(self, paged):
        assert evidence(paged).total == 0
        (restart,) = restarts(paged)
        assert (restart.key, restart.cycle_id, restart.why) == (
            None,
            paged.cycles[2],
            "spam / rf / precision was paged",
        )

    def test_draw_more_labels_before_and_say_so(self, paged):
        assert [cycle_of(paged, cycle).focus for cycle in paged.cycles] == [None, None, Focus("rf", "precision")]
        with paged.ports.store.begin() as tx:
            moves = [move.why for move in tx.cycles.transitions() if move.new == "labelling"]
        assert ["more labels for the precision of rf" in why for why in moves if " drawn" in why][-1]

    def test_of_precision_wait_for_more_evidence_where_recall_is_watched_too(self, make_scenario):
        """The same windows: their evidence is above 20 before the third one and below 50."""
        never = Limit("recall", floor=0.01, classifiers=("rf",))
        scenario = make_scenario(spec(budget=165, limits=(NEARLY, never)), 0, 1)
        cycles = list(scenario.cycles)
        assert 20 <= max(end.value for end in evidence(scenario).ends) < 50
        cycles += label_weeks(scenario, 2)
        assert {cycle_of(scenario, cycle).focus for cycle in cycles} == {None}

    def test_do_not_where_the_panel_wants_none(self, make_scenario):
        scenario = make_scenario(panel(NEARLY, 165, focus=False), 0, 1, 2)
        cycles = list(scenario.cycles)
        assert {cycle_of(scenario, cycle).focus for cycle in cycles} == {None}

    def test_an_open_incident_is_out_of_the_sum(self, paged):
        label_weeks(paged, 3, quality=0.4)
        assert evidence(paged).ends == ()
        assert severities(paged) == ["page", "update"]

    def test_gather_anew_once_it_is_over(self, paged):
        label_weeks(paged, 3, 4, quality=1.3)
        assert [incident.resolved_at is None for incident in incidents(paged)] == [False]
        assert restarts(paged)[-1].why == "its incident is over"
        gathered = [end.value for end in evidence(paged).ends]
        label_weeks(paged, 5, quality=1.3)
        assert len(evidence(paged).ends) == 1
        assert len(gathered) <= 1


class TestJudgedAgain:
    def test_without_news_nothing_changes(self, make_scenario):
        scenario = make_scenario(panel(), 0)
        (cycle,) = scenario.cycles
        before, total = rows(scenario, cycle), evidence(scenario).total
        for _ in range(10):
            judge_cycle(scenario.ports, cycle)
            advance(scenario.ports)
        assert (rows(scenario, cycle), evidence(scenario).total) == (before, total)

    def test_a_corrected_label_replaces_its_own_factor_at_the_same_stake(self, make_scenario):
        scenario = make_scenario(panel(), 0)
        (cycle,) = scenario.cycles
        before = rows(scenario, cycle)
        turn_one_round(scenario, cycle)
        after = rows(scenario, cycle)
        assert [row.stake for row in after] == [row.stake for row in before]
        assert [row.labels for row in after] == [row.labels for row in before]
        assert all(row.revision == 2 for row in after)
        assert [row.log_e for row in after] != [row.log_e for row in before]

    def test_one_of_a_window_before_the_newest_too(self, make_scenario):
        scenario = make_scenario(panel(), 0, 1)
        first, _ = scenario.cycles
        total = evidence(scenario).total
        turn_one_round(scenario, first)
        assert rows(scenario, first)[0].revision == 2
        assert evidence(scenario).total != total

    def test_answers_that_are_taken_back_keep_their_place_with_the_smaller_factor(self, make_scenario):
        scenario = make_scenario(replace(panel(), budget=39))  # so few are drawn in one round
        (cycle,) = label_weeks(scenario, 0)
        before = rows(scenario, cycle)
        relabel(scenario, "retract")
        withdrawn = rows(scenario, cycle)
        assert [row.labels for row in withdrawn] == [row.labels for row in before]
        assert all(now.log_e < then.log_e for now, then in zip(withdrawn, before, strict=True))

    def test_an_answer_that_came_late_does_not_bet(self, make_scenario):
        scenario = make_scenario(replace(panel(), budget=39))
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        scenario.queue.answer(scenario.clock.now())
        late = scenario.queue.said.pop()
        scenario.clock.advance(days=8)
        advance(scenario.ports)
        before = rows(scenario, cycle)
        scenario.queue.said.append(replace(late, at=scenario.clock.now()))
        scenario.clock.advance(hours=1)
        advance(scenario.ports)
        with scenario.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == 2
            assert [draw.item_key for draw in tx.rounds.draws(cycle) if not draw.bets] == [late.item_key]
        assert [replace(row, revision=1) for row in rows(scenario, cycle)] == list(before)


class TestWhatBeginsAnew:
    def test_a_changed_limit(self, make_scenario):
        scenario = make_scenario(panel(), 0)
        scenario.panel = panel(Limit("precision", floor=0.45, classifiers=("rf",)))
        label_weeks(scenario, 1)
        assert [one.why for one in restarts(scenario)] == [
            "its limit is a precision of at least 45%, no longer a precision of at least 50%"
        ]
        with scenario.ports.store.begin() as tx:
            assert {row.limit for row in tx.evidence.since_restarts("spam")} == {0.45}

    def test_a_changed_question(self, make_scenario):
        scenario = make_scenario(panel(), 0)
        scenario.panel = replace(scenario.panel, question="Is it very spam?")
        label_weeks(scenario, 1)
        (restart,) = restarts(scenario)
        assert (restart.key, restart.why) == (None, "another question is asked")

    def test_a_changed_cut_off(self, make_scenario):
        scenario = make_scenario(panel(), 0)
        lr, rf = scenario.panel.classifiers
        scenario.panel = replace(scenario.panel, classifiers=(lr, replace(rf, cut_off=0.55)))
        label_weeks(scenario, 1)
        (restart,) = restarts(scenario)
        assert restart.key.classifier == "rf"
        assert "says yes by" in restart.why


class TestWindowsThatStandAlone:
    def test_where_most_items_were_there_before(self, make_scenario):
        scenario = make_scenario(panel())
        first = label_cycle(scenario)
        scenario.source.windows[MONDAY + WEEK] = scenario.source.windows[MONDAY]
        scenario.clock.moment = MONDAY + 2 * WEEK
        second = label_cycle(scenario)
        assert rule(scenario, first).rule == "evidence"
        kept = rule(scenario, second)
        assert (kept.rule, kept.persisting) == ("window", pytest.approx(1))
        assert kept.why == "100% of what the limit of spam / rf / precision looks at was there in an earlier window"
        assert rows(scenario, second) == ()

    def test_where_the_panel_wants_it(self, make_scenario):
        scenario = make_scenario(panel(NEARLY, 165, alarms="window"), 0, 1)
        cycles = list(scenario.cycles)
        assert {rule(scenario, cycle).rule for cycle in cycles} == {"window"}
        assert evidence(scenario).total == 0

    def test_a_window_that_bets_on_nothing_counts_with_a_factor_of_1(self, make_scenario):
        """Its classifier calls nothing positive: a precision has nothing to bet on, and the window counts all the same."""
        scenario = make_scenario(panel())
        lr, rf = scenario.panel.classifiers
        scenario.panel = replace(scenario.panel, classifiers=(lr, replace(rf, cut_off=2.0)))
        (cycle,) = label_weeks(scenario, 0)
        (row,) = rows(scenario, cycle)
        assert (row.loss, row.stake, row.log_e, row.labels) == (0.0, 0.0, 0.0, 0)


class TestStoresOfBefore:
    @pytest.fixture
    def upgraded(self, make_scenario):
        """Three windows that were judged before evidence was kept."""
        scenario = make_scenario(panel(), 0, 1, 2)
        with scenario.ports.store.begin() as tx:
            for table in ("evidence", "judgement_rules", "evidence_restarts"):
                tx._sql.exec_driver_sql(f"DELETE FROM {table}")
            tx._sql.exec_driver_sql("UPDATE draws SET bets = NULL")
            tx.commit()
        return scenario

    def test_begin_at_nothing_and_people_hear_of_it_once(self, upgraded):
        label_weeks(upgraded, 3, 4)
        (notice,) = [
            notification for notification in upgraded.channel.received if "Evidence is added up" in notification.subject
        ]
        assert "alerts replay spam --windows 8" in notice.body
        with upgraded.ports.store.begin() as tx:
            assert {row.cycle_id for row in tx.evidence.since_restarts("spam")}.isdisjoint(upgraded.cycles)

    def test_take_in_past_windows_when_somebody_says_so(self, upgraded):
        added = replay_evidence(upgraded.ports, "spam", 2, "after the upgrade")
        assert [cycle.id for cycle in added] == list(upgraded.cycles[1:])
        assert severities(upgraded) == []
        assert replay_evidence(upgraded.ports, "spam", 2) == ()
        with upgraded.ports.store.begin() as tx:
            assert sorted({row.cycle_id for row in tx.evidence.since_restarts("spam")}) == list(upgraded.cycles[1:])
            assert [entry.action for entry in tx.audit.entries()] == ["replayed"]
        label_weeks(upgraded, 3)
        assert len(evidence(upgraded).ends) == 1

    def test_an_answer_that_came_after_the_judgement_does_not_bet_then_either(self, upgraded):
        with upgraded.ports.store.begin() as tx:
            drawn = tx.rounds.draws(upgraded.cycles[2])
        replay_evidence(upgraded.ports, "spam", 1)
        with upgraded.ports.store.begin() as tx:
            assert [draw.bets for draw in tx.rounds.draws(upgraded.cycles[2])] == [not draw.reused for draw in drawn]

    def test_a_panel_that_there_is_not_is_refused(self, upgraded):
        with pytest.raises(StratawatchError, match="there is no panel 'scam' in the store; expected one of spam"):
            replay_evidence(upgraded.ports, "scam", 2)


class TestWhatAPageSays:
    @pytest.fixture
    def fallen(self, make_scenario):
        scenario = make_scenario(panel(), 0, 1)
        label_weeks(scenario, 2, quality=0.3)
        return scenario

    def test_how_large_the_fall_is_and_what_it_costs(self, fallen):
        (page,) = fallen.channel.received
        said = re.match(
            r"Now: ([\d.]+)% of its flags are wrong \((.+) to (.+)\), at most 50% allowed; usually (.+)%\.", page.body
        )
        now, least, most, usual = map(float, said.groups())
        assert least <= now <= most
        assert usual < 50 < least
        # In all segments alike. The body has tenths of the same numbers, and what it rounds to .5 goes either way.
        subject = re.fullmatch(r"rf \(spam\): (\d+)% of its flags are wrong, usually (\d+)%", page.subject)
        for whole, tenths in zip(subject.groups(), (now, usual), strict=True):
            assert abs(int(whole) - tenths) < 0.56
        low, middle, high = wrong_flags(page.body)
        assert low <= middle <= high
        assert middle <= flags(fallen, 2)

    def test_the_sign_that_needs_no_label_is_counted(self, fallen):
        (page,) = fallen.channel.received
        before = (flags(fallen, 0) + flags(fallen, 1)) / 2
        assert f"Clue: flags a week from {before:,.0f} to {flags(fallen, 2):,}; by rf alone from" in page.body.replace(
            "\n", " "
        )

    def test_without_windows_before_there_is_nothing_to_compare_with(self, make_scenario):
        scenario = make_scenario(panel(), 0, quality=0.3)
        (page,) = scenario.channel.received
        assert "usually" not in page.subject + page.body

    def test_another_cut_off_is_another_classifier(self, make_scenario):
        scenario = make_scenario(panel(), 0)
        lr, rf = scenario.panel.classifiers
        scenario.panel = replace(scenario.panel, classifiers=(lr, replace(rf, cut_off=0.55)))
        label_weeks(scenario, 1, quality=0.3)
        (page,) = scenario.channel.received
        assert "usually" not in page.subject + page.body


def wrong_flags(body):
    """The wrong flags of the window: low, middle and high."""
    found = re.search(r"about ([\d,]+) wrong flags \(([\d,]+) to ([\d,]+)\) this week, of ", body)
    middle, low, high = (int(number.replace(",", "")) for number in found.groups())
    return low, middle, high


def flags(scenario, period):
    """What the classifier called positive in a window, counted from its rows."""
    return sum(row.scores[1] >= 0.6 for row in scenario.source.windows[MONDAY + period * WEEK])
