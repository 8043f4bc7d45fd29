"""The whole loop on fakes: predictions in, labels out and back, estimates, alarms."""

import re
from datetime import timedelta

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.goals import Goal
from stratawatch.engine.cycle.advance import advance, panels_due
from stratawatch.engine.model.states import BatchState, CycleState, Entity, RoundState
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario, cycle_of, label_cycle, only_cycle, open_all


class TestAnOrdinaryCycle:
    def test_goes_through_all_states_to_judged(self, labelled):
        cycle = only_cycle(labelled)
        with labelled.ports.store.begin() as tx:
            moves = [(m.old, m.new) for m in tx.cycles.transitions(Entity.CYCLE, cycle)]
            rounds = tx.rounds.of(cycle)
            batches = tx.rounds.batches(cycle_id=cycle)
        assert moves == [("open", "frozen"), ("frozen", "labelling"), ("labelling", "settled"), ("settled", "judged")]
        assert [r.state for r in rounds] == [RoundState.SETTLED, RoundState.SETTLED]
        assert {b.state for b in batches} == {BatchState.CLOSED}

    def test_spends_its_budget_on_distinct_items(self, labelled):
        asked = labelled.queue.asked()
        assert len(asked) == len(set(asked)) == labelled.panel.budget

    def test_spends_two_fifths_first(self, scenario):
        open_all(scenario)
        advance(scenario.ports)
        assert len(scenario.queue.asked()) == 48

    def test_a_simple_random_sample_is_drawn_at_once_and_read_as_one(self, make_scenario):
        scenario = make_scenario(spec(design="srs"))
        cycle = label_cycle(scenario)
        with scenario.ports.store.begin() as tx:
            rounds, revision = tx.rounds.of(cycle), tx.estimates.latest(cycle)
        assert len(rounds) == 1
        assert len(scenario.queue.asked()) == scenario.panel.budget
        assert {estimate.method for estimate in revision.estimates} == {"simple random sample, Wilson"}
        whole = [e.result for e in revision.estimates if e.segment is None]
        assert all(isinstance(outcome, IntervalEstimate) for outcome in whole)

    def test_estimates_every_classifier_metric_and_segment(self, labelled):
        cycle = only_cycle(labelled)
        with labelled.ports.store.begin() as tx:
            revision = tx.estimates.latest(cycle)
        assert revision.number == 1
        keys = {(e.classifier, e.metric, str(e.segment) if e.segment else None) for e in revision.estimates}
        assert len(keys) == len(revision.estimates) == 2 * 3 * 3
        known = [e.result for e in revision.estimates if e.segment is None]
        assert all(isinstance(outcome, IntervalEstimate) for outcome in known)
        assert all(0 <= o.low <= o.value <= o.high <= 1 and o.n_eff > 0 for o in known)

    def test_is_not_opened_again(self, labelled):
        assert open_all(labelled) == ()

    def test_leaves_nothing_due(self, labelled):
        assert panels_due(labelled.ports) == {}


class TestWhatLabellersSee:
    def test_only_the_allow_listed_payload(self, scenario):
        open_all(scenario)
        advance(scenario.ports)
        payloads = [task.payload for batch in scenario.queue.published.values() for task in batch.tasks]
        assert payloads
        assert all(set(payload) == {"text"} for payload in payloads)

    def test_an_order_that_does_not_give_atoms_away(self, scenario):
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        with scenario.ports.store.begin() as tx:
            atom_of = {d.item_key: d.atom for d in tx.rounds.draws(cycle)}
        atoms = [atom_of[key] for key in scenario.queue.asked()]
        assert atoms != sorted(atoms)


class TestPastWindows:
    def test_open_in_order_and_are_judged_in_order(self, scenario):
        for period in (1, 2):
            scenario.produce(period)
        scenario.clock.moment = MONDAY + 3 * WEEK
        cycles = open_all(scenario)
        assert [cycle_of(scenario, c).period for c in cycles] == [0, 1, 2]
        advance(scenario.ports)
        newest = {t.item_key for b in scenario.queue.published.values() if "-p00002-" in b.key for t in b.tasks}
        scenario.queue.answer(scenario.clock.now(), only=lambda key: key in newest)
        advance(scenario.ports)
        newest = {t.item_key for b in scenario.queue.published.values() if "-p00002-" in b.key for t in b.tasks}
        scenario.queue.answer(scenario.clock.now(), only=lambda key: key in newest)
        advance(scenario.ports)
        assert cycle_of(scenario, cycles[2]).state == CycleState.SETTLED
        for _ in range(3):
            scenario.queue.answer(scenario.clock.now())
            advance(scenario.ports)
        advance(scenario.ports)
        assert [cycle_of(scenario, c).state for c in cycles] == [CycleState.JUDGED] * 3

    def test_wait_when_too_many_are_under_way(self, scenario):
        scenario.clock.moment = MONDAY + 20 * WEEK
        assert len(open_all(scenario)) == 8
        assert open_all(scenario) == ()


class TestABreach:
    def test_pages_once_and_resolves_when_proven_inside(self, make_scenario):
        scenario = make_scenario(spec(budget=400), 0, quality=0.2)
        assert [n.severity for n in scenario.channel.received] == ["page"]
        assert re.fullmatch(r"lr \(spam\): \d\d% of its flags are wrong", scenario.channel.received[0].subject)
        scenario.produce(1, quality=0.2)
        scenario.clock.moment = MONDAY + 2 * WEEK
        label_cycle(scenario)
        assert [n.severity for n in scenario.channel.received] == ["page", "update"]
        for period, quality in ((2, 1.0), (3, 1.0)):
            scenario.produce(period, quality=quality)
            scenario.clock.moment = MONDAY + (period + 1) * WEEK
            label_cycle(scenario)
        received = [n for n in scenario.channel.received if n.severity != "update"]
        assert [n.severity for n in received] == ["page", "resolved"]
        assert len({n.dedup_key for n in scenario.channel.received}) == 1

    def test_says_how_many_labels_it_stands_on(self, make_scenario):
        scenario = make_scenario(spec(budget=400), 0, quality=0.2)
        assert "labels" in scenario.channel.received[0].body

    def test_shows_the_segments_worst_first(self, make_scenario):
        scenario = make_scenario(spec(budget=400), 0, quality=0.2)
        lines = [line for line in scenario.channel.received[0].body.splitlines() if line.startswith("country=")]
        shares = [float(line.split()[1].rstrip("%")) for line in lines]
        assert len(lines) == 2
        assert shares == sorted(shares)


class TestNoLabels:
    def test_expires_blind_and_alerts(self, scenario):
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        scenario.clock.advance(days=4)
        advance(scenario.ports)
        assert cycle_of(scenario, cycle).state == CycleState.JUDGED
        with scenario.ports.store.begin() as tx:
            (state,) = tx.alarms.current_states("spam")
            estimates = tx.estimates.latest(cycle).estimates
        assert state.state == AlarmState.BLIND
        assert all(isinstance(e.result, Undefined) for e in estimates)
        assert [n.severity for n in scenario.channel.received] == ["warning"]
        assert scenario.queue.cancelled == list(scenario.queue.published)

    def test_sees_again_next_week(self, scenario):
        open_all(scenario)
        advance(scenario.ports)
        scenario.clock.advance(days=4)
        advance(scenario.ports)
        scenario.produce(1)
        scenario.clock.moment = MONDAY + 2 * WEEK
        label_cycle(scenario)
        assert [n.severity for n in scenario.channel.received] == ["warning", "resolved"]

    def test_some_labels_are_judged_on_what_came(self, scenario):
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        scenario.queue.answer(scenario.clock.now(), only=lambda key: key < "c")
        scenario.clock.advance(days=4)
        advance(scenario.ports)
        with scenario.ports.store.begin() as tx:
            estimates = tx.estimates.latest(cycle).estimates
            moved = [m.new for m in tx.cycles.transitions(Entity.CYCLE, cycle)]
        assert moved[-2:] == ["expired", "judged"]
        assert any(isinstance(e.result, IntervalEstimate) for e in estimates)


class TestLateLabels:
    def expired(self, scenario: Scenario) -> int:
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        scenario.clock.advance(days=4)
        advance(scenario.ports)
        return cycle

    def test_make_a_new_revision_and_judge_again(self, scenario):
        cycle = self.expired(scenario)
        scenario.clock.advance(hours=1)
        scenario.queue.answer(scenario.clock.now())
        advance(scenario.ports)
        with scenario.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == 2
            (state,) = tx.alarms.current_states("spam")
        assert state.revision == 2
        assert state.state != AlarmState.BLIND

    def test_never_undo_what_a_later_window_said(self, scenario):
        cycle = self.expired(scenario)
        scenario.produce(1)
        scenario.clock.moment = MONDAY + 2 * WEEK
        (later,) = open_all(scenario)
        advance(scenario.ports)
        scenario.clock.advance(days=4)
        advance(scenario.ports)
        first = {t.item_key for b in scenario.queue.published.values() if "-p00000-" in b.key for t in b.tasks}
        scenario.queue.answer(scenario.clock.now(), only=lambda key: key in first)
        advance(scenario.ports)
        with scenario.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == 2
            (state,) = tx.alarms.current_states("spam")
        assert (state.cycle_id, state.state) == (later, AlarmState.BLIND)

    def test_that_repeat_what_is_known_change_nothing(self, labelled):
        cycle = only_cycle(labelled)
        event = labelled.queue.said[0]
        labelled.clock.advance(hours=1)
        labelled.queue.said.append(
            type(event)("fake", "again", event.item_key, event.annotator, event.value, labelled.clock.now())
        )
        advance(labelled.ports)
        with labelled.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == 1
        assert panels_due(labelled.ports) == {}

    def test_of_unknown_items_wait(self, labelled):
        event = labelled.queue.said[0]
        stray = "0" * 64
        labelled.queue.said.append(type(event)("fake", "stray", stray, "ann", "yes", labelled.clock.now()))
        assert advance(labelled.ports).collected.unknown == 1
        with labelled.ports.store.begin() as tx:
            assert [event.item_key for event in tx.labels.waiting_events()] == [stray]
            assert tx.cycles.quarantined() == ()

    @pytest.mark.parametrize("key", ["w0-00017", "0" * 63, "0" * 65, "g" * 64, "0" * 64 + "\n"])
    def test_by_what_is_no_key_are_rejected_and_do_not_wait(self, labelled, key):
        event = labelled.queue.said[0]
        labelled.queue.said.append(type(event)("fake", "stray", key, "ann", "yes", labelled.clock.now()))
        found = advance(labelled.ports).collected
        assert (found.unknown, found.rejected, found.origin) == (0, 1, "fake")
        assert found.reason == f"'{key}' is no key of a question; answers carry the `key` of the line that asked"
        with labelled.ports.store.begin() as tx:
            assert tx.labels.waiting_events() == ()
            (row,) = tx.cycles.quarantined()
        assert row.content["lines"][0]["key"] == key


class TestSkippedItems:
    def test_settle_the_round_but_are_not_used(self, scenario):
        (cycle,) = open_all(scenario)
        for _ in range(3):
            scenario.clock.advance(hours=1)
            advance(scenario.ports)
            scenario.queue.answer(scenario.clock.now(), only=lambda key: key < "2", value="skip")
            scenario.queue.answer(scenario.clock.now())
        assert cycle_of(scenario, cycle).state == CycleState.JUDGED
        with scenario.ports.store.begin() as tx:
            estimates = tx.estimates.latest(cycle).estimates
        skipped = sum(event.value == "skip" for event in scenario.queue.said)
        assert skipped > 0
        assert max(e.labels_used for e in estimates) == scenario.panel.budget - skipped


class TestPersistingItems:
    def label_the_same_again(self, scenario: Scenario) -> int:
        """Two windows with the same items; returns the second one's cycle."""
        label_cycle(scenario)
        scenario.source.windows[MONDAY + WEEK] = scenario.source.windows[MONDAY]
        scenario.clock.moment = MONDAY + 2 * WEEK
        return label_cycle(scenario)

    def test_are_not_asked_about_twice_and_cost_no_budget(self, scenario):
        cycle = self.label_the_same_again(scenario)
        assert cycle_of(scenario, cycle).state == CycleState.JUDGED
        asked = scenario.queue.asked()
        assert len(asked) == len(set(asked)) == 2 * scenario.panel.budget
        with scenario.ports.store.begin() as tx:
            reused = [draw for draw in tx.rounds.draws(cycle) if draw.reused]
            used = max(e.labels_used for e in tx.estimates.latest(cycle).estimates)
        assert len(reused) > scenario.panel.budget / 2
        assert used == scenario.panel.budget + len(reused)

    def test_spare_labels_where_the_goals_decide(self, make_scenario):
        scenario = make_scenario(spec(budget=400, stop_rule="goals", goals=(Goal("precision", 0.1),)))
        cycle = self.label_the_same_again(scenario)
        assert cycle_of(scenario, cycle).state == CycleState.JUDGED
        with scenario.ports.store.begin() as tx:
            first, second = (tx.rounds.draws(number) for number in (cycle - 1, cycle))
        assert len({draw.item for draw in first}) == len(first)
        assert sum(not draw.reused for draw in second) < len(first) / 2

    def test_are_asked_about_again_when_their_labels_have_expired(self, make_scenario):
        scenario = make_scenario(spec(label_validity=timedelta(days=2)))
        label_cycle(scenario)
        asked = len(scenario.queue.published)
        scenario.source.windows[MONDAY + WEEK] = scenario.source.windows[MONDAY]
        scenario.clock.moment = MONDAY + 2 * WEEK
        open_all(scenario)
        advance(scenario.ports)
        assert len(scenario.queue.published) > asked
        assert sum(len(b.tasks) for b in list(scenario.queue.published.values())[asked:]) == 48
