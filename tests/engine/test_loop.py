"""The whole loop on fakes: predictions in, labels out and back, estimates, alarms."""

from datetime import timedelta

from stratawatch.core.alarms.states import AlarmState
from stratawatch.core.estimate import Known, Undefined
from stratawatch.core.goals import Goal
from stratawatch.engine.cycle.advance import advance, due
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.model.states import BatchState, CycleState, Entity, RoundState
from tests.engine.town import MONDAY, WEEK, Town, spec


def open_all(town: Town) -> tuple[int, ...]:
    return open_cycles(town.ports, {town.panel.name: town.panel})


def label_a_cycle(town: Town) -> int:
    """Open, advance and answer until everything is judged; returns the cycle."""
    (cycle,) = open_all(town)
    for _ in range(3):
        town.clock.pass_(hours=1)
        done = advance(town.ports)
        assert done.troubles == ()
        town.queue.answer(town.clock.now())
    return cycle


def cycle_of(town: Town, number: int):
    with town.ports.store.begin() as tx:
        return tx.cycles.get(number)


class TestAnOrdinaryCycle:
    def test_goes_through_all_states_to_judged(self, town):
        cycle = label_a_cycle(town)
        with town.ports.store.begin() as tx:
            moves = [(m.old, m.new) for m in tx.cycles.moves(Entity.CYCLE, cycle)]
            rounds = tx.rounds.of(cycle)
            batches = tx.rounds.batches(cycle_id=cycle)
        assert moves == [("open", "frozen"), ("frozen", "labelling"), ("labelling", "settled"), ("settled", "judged")]
        assert [r.state for r in rounds] == [RoundState.SETTLED, RoundState.SETTLED]
        assert {b.state for b in batches} == {BatchState.CLOSED}

    def test_spends_its_budget_on_distinct_items(self, town):
        label_a_cycle(town)
        asked = town.queue.asked()
        assert len(asked) == len(set(asked)) == town.panel.budget

    def test_spends_two_fifths_first(self, town):
        open_all(town)
        advance(town.ports)
        assert len(town.queue.asked()) == 48

    def test_a_simple_random_sample_is_drawn_at_once_and_read_as_one(self, make_town):
        town = make_town(spec(design="srs"))
        cycle = label_a_cycle(town)
        with town.ports.store.begin() as tx:
            rounds, revision = tx.rounds.of(cycle), tx.estimates.latest(cycle)
        assert len(rounds) == 1
        assert len(town.queue.asked()) == town.panel.budget
        assert {estimate.method for estimate in revision.estimates} == {"simple random sample, Wilson"}
        whole = [e.outcome for e in revision.estimates if e.segment is None]
        assert all(isinstance(outcome, Known) for outcome in whole)

    def test_estimates_every_classifier_metric_and_segment(self, town):
        cycle = label_a_cycle(town)
        with town.ports.store.begin() as tx:
            revision = tx.estimates.latest(cycle)
        assert revision.number == 1
        keys = {(e.classifier, e.metric, str(e.segment) if e.segment else None) for e in revision.estimates}
        assert len(keys) == len(revision.estimates) == 2 * 3 * 3
        known = [e.outcome for e in revision.estimates if e.segment is None]
        assert all(isinstance(outcome, Known) for outcome in known)
        assert all(0 <= o.low <= o.value <= o.high <= 1 and o.n_eff > 0 for o in known)

    def test_is_not_opened_again(self, town):
        label_a_cycle(town)
        assert open_all(town) == ()

    def test_leaves_nothing_due(self, town):
        label_a_cycle(town)
        what = due(town.ports)
        assert (what.freeze, what.plan, what.dispatch, what.settle, what.judge) == ((), (), (), (), ())


class TestWhatLabellersSee:
    def test_only_the_allow_listed_payload(self, town):
        open_all(town)
        advance(town.ports)
        payloads = [task.payload for batch in town.queue.published.values() for task in batch.tasks]
        assert payloads
        assert all(set(payload) == {"text"} for payload in payloads)

    def test_an_order_that_does_not_give_atoms_away(self, town):
        (cycle,) = open_all(town)
        advance(town.ports)
        with town.ports.store.begin() as tx:
            atom_of = {d.item_key: d.atom for d in tx.rounds.draws(cycle)}
        atoms = [atom_of[key] for key in town.queue.asked()]
        assert atoms != sorted(atoms)


class TestPastWindows:
    def test_open_in_order_and_are_judged_in_order(self, town):
        for period in (1, 2):
            town.produce(period)
        town.clock.moment = MONDAY + 3 * WEEK
        cycles = open_all(town)
        assert [cycle_of(town, c).period for c in cycles] == [0, 1, 2]
        advance(town.ports)
        newest = {t.item_key for b in town.queue.published.values() if "-p00002-" in b.key for t in b.tasks}
        town.queue.answer(town.clock.now(), only=lambda key: key in newest)
        advance(town.ports)
        newest = {t.item_key for b in town.queue.published.values() if "-p00002-" in b.key for t in b.tasks}
        town.queue.answer(town.clock.now(), only=lambda key: key in newest)
        advance(town.ports)
        assert cycle_of(town, cycles[2]).state == CycleState.SETTLED
        for _ in range(3):
            town.queue.answer(town.clock.now())
            advance(town.ports)
        advance(town.ports)
        assert [cycle_of(town, c).state for c in cycles] == [CycleState.JUDGED] * 3

    def test_wait_when_too_many_are_under_way(self, town):
        town.clock.moment = MONDAY + 20 * WEEK
        assert len(open_all(town)) == 8
        assert open_all(town) == ()


class TestABreach:
    def test_pages_once_and_resolves_when_proven_inside(self, make_town):
        town = make_town(spec(budget=400))
        town.produce(0, quality=0.2)
        label_a_cycle(town)
        assert [n.severity for n in town.desk.told] == ["page"]
        assert "precision of lr" in town.desk.told[0].subject
        town.produce(1, quality=0.2)
        town.clock.moment = MONDAY + 2 * WEEK
        label_a_cycle(town)
        assert len(town.desk.told) == 1
        for period, quality in ((2, 1.0), (3, 1.0)):
            town.produce(period, quality=quality)
            town.clock.moment = MONDAY + (period + 1) * WEEK
            label_a_cycle(town)
        assert [n.severity for n in town.desk.told] == ["page", "resolved"]
        assert town.desk.told[0].dedup_key == town.desk.told[1].dedup_key

    def test_says_how_many_labels_it_stands_on(self, make_town):
        town = make_town(spec(budget=400))
        town.produce(0, quality=0.2)
        label_a_cycle(town)
        assert "labels" in town.desk.told[0].body

    def test_shows_the_segments_worst_first(self, make_town):
        town = make_town(spec(budget=400))
        town.produce(0, quality=0.2)
        label_a_cycle(town)
        lines = [line for line in town.desk.told[0].body.splitlines() if line.startswith("country=")]
        shares = [float(line.split()[1].rstrip("%")) for line in lines]
        assert len(lines) == 2
        assert shares == sorted(shares)


class TestNoLabels:
    def test_expires_blind_and_alerts(self, town):
        (cycle,) = open_all(town)
        advance(town.ports)
        town.clock.pass_(days=4)
        advance(town.ports)
        assert cycle_of(town, cycle).state == CycleState.JUDGED
        with town.ports.store.begin() as tx:
            (state,) = tx.alarms.current("spam")
            estimates = tx.estimates.latest(cycle).estimates
        assert state.state == AlarmState.BLIND
        assert all(isinstance(e.outcome, Undefined) for e in estimates)
        assert [n.severity for n in town.desk.told] == ["warning"]
        assert town.queue.cancelled == list(town.queue.published)

    def test_sees_again_next_week(self, town):
        open_all(town)
        advance(town.ports)
        town.clock.pass_(days=4)
        advance(town.ports)
        town.produce(1)
        town.clock.moment = MONDAY + 2 * WEEK
        label_a_cycle(town)
        assert [n.severity for n in town.desk.told] == ["warning", "resolved"]

    def test_some_labels_are_judged_on_what_came(self, town):
        (cycle,) = open_all(town)
        advance(town.ports)
        town.queue.answer(town.clock.now(), only=lambda key: key < "c")
        town.clock.pass_(days=4)
        advance(town.ports)
        with town.ports.store.begin() as tx:
            estimates = tx.estimates.latest(cycle).estimates
            moved = [m.new for m in tx.cycles.moves(Entity.CYCLE, cycle)]
        assert moved[-2:] == ["expired", "judged"]
        assert any(isinstance(e.outcome, Known) for e in estimates)


class TestLateLabels:
    def expired(self, town: Town) -> int:
        (cycle,) = open_all(town)
        advance(town.ports)
        town.clock.pass_(days=4)
        advance(town.ports)
        return cycle

    def test_make_a_new_revision_and_judge_again(self, town):
        cycle = self.expired(town)
        town.clock.pass_(hours=1)
        town.queue.answer(town.clock.now())
        advance(town.ports)
        with town.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == 2
            (state,) = tx.alarms.current("spam")
        assert state.revision == 2
        assert state.state != AlarmState.BLIND

    def test_never_undo_what_a_later_window_said(self, town):
        cycle = self.expired(town)
        town.produce(1)
        town.clock.moment = MONDAY + 2 * WEEK
        (later,) = open_all(town)
        advance(town.ports)
        town.clock.pass_(days=4)
        advance(town.ports)
        first = {t.item_key for b in town.queue.published.values() if "-p00000-" in b.key for t in b.tasks}
        town.queue.answer(town.clock.now(), only=lambda key: key in first)
        advance(town.ports)
        with town.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == 2
            (state,) = tx.alarms.current("spam")
        assert (state.cycle_id, state.state) == (later, AlarmState.BLIND)

    def test_that_repeat_what_is_known_change_nothing(self, town):
        cycle = label_a_cycle(town)
        event = town.queue.said[0]
        town.clock.pass_(hours=1)
        town.queue.said.append(
            type(event)("fake", "again", event.item_key, event.annotator, event.value, town.clock.now())
        )
        advance(town.ports)
        with town.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == 1
        assert due(town.ports).judge == ()

    def test_of_unknown_items_are_set_aside(self, town):
        label_a_cycle(town)
        event = town.queue.said[0]
        town.queue.said.append(type(event)("fake", "stray", "no-such-item", "ann", "yes", town.clock.now()))
        assert advance(town.ports).collected.unknown == 1
        with town.ports.store.begin() as tx:
            assert [row.key for row in tx.cycles.quarantined() if row.kind == "label"] == ["no-such-item"]


class TestSkippedItems:
    def test_settle_the_round_but_are_not_used(self, town):
        (cycle,) = open_all(town)
        for _ in range(3):
            town.clock.pass_(hours=1)
            advance(town.ports)
            town.queue.answer(town.clock.now(), only=lambda key: key < "2", value="skip")
            town.queue.answer(town.clock.now())
        assert cycle_of(town, cycle).state == CycleState.JUDGED
        with town.ports.store.begin() as tx:
            estimates = tx.estimates.latest(cycle).estimates
        skipped = sum(event.value == "skip" for event in town.queue.said)
        assert skipped > 0
        assert max(e.labels_used for e in estimates) == town.panel.budget - skipped


class TestPersistingItems:
    def label_the_same_again(self, town: Town) -> int:
        """Two windows with the same items; returns the second one's cycle."""
        label_a_cycle(town)
        town.source.windows[MONDAY + WEEK] = town.source.windows[MONDAY]
        town.clock.moment = MONDAY + 2 * WEEK
        return label_a_cycle(town)

    def test_are_not_asked_about_twice_and_cost_no_budget(self, town):
        cycle = self.label_the_same_again(town)
        assert cycle_of(town, cycle).state == CycleState.JUDGED
        asked = town.queue.asked()
        assert len(asked) == len(set(asked)) == 2 * town.panel.budget
        with town.ports.store.begin() as tx:
            reused = [draw for draw in tx.rounds.draws(cycle) if draw.reused]
            used = max(e.labels_used for e in tx.estimates.latest(cycle).estimates)
        assert len(reused) > town.panel.budget / 2
        assert used == town.panel.budget + len(reused)

    def test_spare_labels_where_the_goals_decide(self, make_town):
        town = make_town(spec(budget=400, stop_rule="goals", goals=(Goal("precision", 0.1),)))
        cycle = self.label_the_same_again(town)
        assert cycle_of(town, cycle).state == CycleState.JUDGED
        with town.ports.store.begin() as tx:
            first, second = (tx.rounds.draws(number) for number in (cycle - 1, cycle))
        assert len({draw.item for draw in first}) == len(first)
        assert sum(not draw.reused for draw in second) < len(first) / 2

    def test_are_asked_about_again_when_their_labels_have_expired(self, make_town):
        town = make_town(spec(label_validity=timedelta(days=2)))
        label_a_cycle(town)
        asked = len(town.queue.published)
        town.source.windows[MONDAY + WEEK] = town.source.windows[MONDAY]
        town.clock.moment = MONDAY + 2 * WEEK
        open_all(town)
        advance(town.ports)
        assert len(town.queue.published) > asked
        assert sum(len(b.tasks) for b in list(town.queue.published.values())[asked:]) == 48
