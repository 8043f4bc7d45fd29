from dataclasses import replace

import pytest

from stratawatch.core.plan import Plan
from stratawatch.engine.model.label_events import LabelTask, NewBatch
from stratawatch.engine.model.states import BatchState, Entity, RoundState
from stratawatch.errors import StaleState, StratawatchError
from tests.support.store.examples import MINUTE, NOW, PLAN, WEEK, draws, frozen_cycle, item_key, planned_round

EMPTY = Plan((), {}, "none")


class TestAdd:
    def test_keeps_the_plan_exactly(self, store):
        with store.begin() as tx:
            planned = planned_round(tx)
            round_ = tx.rounds.get(planned.round)
        assert round_.plan == PLAN
        assert (round_.cycle_id, round_.ordinal, round_.state) == (planned.cycle, 1, RoundState.PLANNED)
        assert round_.planned_at == NOW

    def test_numbers_the_rounds_of_a_cycle_from_one(self, store):
        with store.begin() as tx:
            first, other = frozen_cycle(tx, 0), frozen_cycle(tx, 1)
            for cycle in (first, other, first):
                tx.rounds.add(cycle, EMPTY, (), (), NOW)
            assert [round_.ordinal for round_ in tx.rounds.of(first)] == [1, 2]
            assert [round_.ordinal for round_ in tx.rounds.of(other)] == [1]

    def test_refuses_to_draw_an_item_twice_in_a_cycle(self, store):
        with store.begin() as tx:
            cycle = planned_round(tx).cycle
            tx.commit()
            with pytest.raises(StaleState, match="got a round from someone else"):
                tx.rounds.add(cycle, PLAN, draws(("c",)), (), NOW)
        with store.begin() as tx:
            assert len(tx.rounds.of(cycle)) == 1

    def test_refuses_a_batch_whose_key_is_taken(self, store):
        with store.begin() as tx:
            planned = planned_round(tx)
            key = tx.rounds.batch(planned.batch).key
            with pytest.raises(StaleState):
                tx.rounds.add(planned.cycle, EMPTY, (), [NewBatch(key, "q", "g", ())], NOW)

    def test_leaves_nothing_behind_without_a_commit(self, store):
        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            tx.commit()
            tx.rounds.add(cycle, PLAN, draws(), (), NOW)
        with store.begin() as tx:
            assert (tx.rounds.of(cycle), tx.rounds.draws(cycle)) == ((), ())


class TestAddBatches:
    def test_keeps_which_vote_a_batch_asks_for_and_by_which_rule(self, store):
        new = NewBatch("spam-p0-r1-v2-1", "Q?", "G", (LabelTask("a", {}),), "q1", 2, "called_negative_yes")
        with store.begin() as tx:
            planned = planned_round(tx)
            tx.rounds.add_batches(planned.round, [new])
            tx.commit()
        with store.begin() as tx:
            first, second = tx.rounds.batches(round_id=planned.round)
        assert (first.vote, first.rule) == (1, "")
        assert (second.key, second.tasks, second.state) == (new.key, new.tasks, BatchState.PLANNED)
        assert (second.question_key, second.vote, second.rule) == ("q1", 2, "called_negative_yes")


class TestGet:
    def test_says_what_is_not_there(self, store):
        with store.begin() as tx:
            with pytest.raises(StratawatchError, match="no round 9"):
                tx.rounds.get(9)
            with pytest.raises(StratawatchError, match="no batch 9"):
                tx.rounds.batch(9)


class TestDraws:
    def test_return_the_design_facts_as_drawn_by_atom_and_digest(self, store):
        wanted = (
            replace(draws(("x",))[0], atom=1, digest="0" * 32, inclusion=1 / 3, reused=True),
            replace(draws(("y",))[0], atom=0, digest="b" * 32),
            replace(draws(("z",))[0], atom=0, digest="a" * 32),
        )
        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            tx.rounds.add(cycle, PLAN, wanted, (), NOW)
            assert tx.rounds.draws(cycle) == (wanted[2], wanted[1], wanted[0])

    def test_can_be_asked_for_one_round(self, store):
        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            first = tx.rounds.add(cycle, PLAN, draws(("a",)), (), NOW)
            second = tx.rounds.add(cycle, PLAN, draws(("b",)), (), NOW)
            assert [draw.item for draw in tx.rounds.draws(cycle, first)] == ["a"]
            assert [draw.item for draw in tx.rounds.draws(cycle, second)] == ["b"]
            assert len(tx.rounds.draws(cycle)) == 2

    def test_need_an_atom_of_the_frozen_design(self, store):
        from sqlalchemy.exc import IntegrityError

        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            with pytest.raises(IntegrityError):
                tx.rounds.add(cycle, PLAN, [replace(draws(("x",))[0], atom=99)], (), NOW)

    def test_recur_in_the_next_cycle(self, store):
        with store.begin() as tx:
            first, second = planned_round(tx, 0), planned_round(tx, 1)
            assert tx.rounds.draws(first.cycle) == tx.rounds.draws(second.cycle)


class TestEverDrawn:
    def test_has_every_item_once_with_its_first_time_by_item_id(self, store):
        with store.begin() as tx:
            for period, items, at in ((0, ("b", "B", "a"), NOW + WEEK), (1, ("b", "é"), NOW)):
                tx.rounds.add(frozen_cycle(tx, period), PLAN, draws(items), (), at)
            tx.rounds.add(frozen_cycle(tx, 0, panel="other"), PLAN, draws(("z",), "other"), (), NOW)
            drawn = tx.rounds.ever_drawn("spam")
        assert drawn == (("B", NOW + WEEK), ("a", NOW + WEEK), ("b", NOW), ("é", NOW))
        assert all(at.tzinfo is not None for _, at in drawn)

    def test_is_empty_for_a_panel_nobody_knows(self, store):
        with store.begin() as tx:
            assert tx.rounds.ever_drawn("nobody") == ()


class TestBatches:
    def test_keep_their_words_and_tasks_exactly(self, store):
        tasks = (
            LabelTask("k1", {"text": "'; DROP TABLE batches; --\0\n\N{PILE OF POO}", "n": 1.25, "none": None}),
            LabelTask("k0", {}),
        )
        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            tx.rounds.add(cycle, EMPTY, (), [NewBatch("spam-p0-r1-b1", "Q?\0", "G", tasks)], NOW)
            (batch,) = tx.rounds.batches(cycle_id=cycle)
        assert (batch.tasks, batch.question, batch.guideline) == (tasks, "Q?\0", "G")
        assert (batch.state, batch.attempts) == (BatchState.PLANNED, 0)

    def test_take_payload_values_as_a_source_may_return_them(self, store):
        from datetime import date, timedelta
        from decimal import Decimal
        from uuid import UUID

        import numpy as np

        payload = {
            "time": NOW,
            "day": date(2026, 1, 5),
            "price": Decimal("1.10"),
            "id": UUID(int=1),
            "raw": b"\x01",
            "took": timedelta(seconds=90),
            "n": np.int64(3),
            "share": np.float32(0.5),
            "odd": [float("nan"), float("-inf")],
        }
        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            tx.rounds.add(cycle, EMPTY, (), [NewBatch("b", "", "", (LabelTask("k", payload),))], NOW)
            back = tx.rounds.batches()[0].tasks[0].payload
        assert back == {
            "time": "2026-02-02T09:30:15.123456+00:00",
            "day": "2026-01-05",
            "price": "1.10",
            "id": "00000000-0000-0000-0000-000000000001",
            "raw": "01",
            "took": 90,
            "n": 3,
            "share": 0.5,
            "odd": ["NaN", "-Infinity"],
        }

    def test_are_found_by_cycle_round_and_state_oldest_first(self, store):
        with store.begin() as tx:
            first, second = planned_round(tx, 0), planned_round(tx, 1)
            tx.move(Entity.BATCH, first.batch, BatchState.PLANNED, BatchState.SENT, at=NOW, why="")
            ids = [first.batch, second.batch]
            assert [b.id for b in tx.rounds.batches()] == ids
            assert [b.id for b in tx.rounds.batches(cycle_id=second.cycle)] == ids[1:]
            assert [b.id for b in tx.rounds.batches(round_id=first.round)] == ids[:1]
            assert [b.id for b in tx.rounds.batches(states=[BatchState.SENT])] == ids[:1]
            assert tx.rounds.batches(cycle_id=first.cycle, states=[BatchState.PLANNED]) == ()
            assert tx.rounds.batches(states=[]) == ()
            assert tx.rounds.batch_ids([BatchState.SENT, BatchState.PLANNED]) == (("spam", ids[0]), ("spam", ids[1]))
            assert tx.rounds.batch_ids([BatchState.SENT], "spam") == (("spam", ids[0]),)
            assert tx.rounds.batch_ids([BatchState.SENT], "other") == ()
            assert tx.rounds.batch_keys() == {batch.key for batch in tx.rounds.batches()}
            assert tx.rounds.batch_keys([BatchState.SENT]) == {tx.rounds.batch(ids[0]).key}
            assert tx.rounds.batch_keys([]) == frozenset()


class TestClaim:
    def test_keeps_another_holder_away_until_it_ends(self, store):
        with store.begin() as tx:
            batch = planned_round(tx).batch
            assert tx.rounds.claim(batch, "me", NOW, NOW + 2 * MINUTE)
            assert not tx.rounds.claim(batch, "you", NOW + MINUTE, NOW + 3 * MINUTE)
            assert tx.rounds.claim(batch, "me", NOW + MINUTE, NOW + 3 * MINUTE)
            assert not tx.rounds.claim(batch, "you", NOW + 2 * MINUTE, NOW + 9 * MINUTE)
            assert tx.rounds.claim(batch, "you", NOW + 3 * MINUTE, NOW + 9 * MINUTE)

    def test_is_refused_for_a_batch_that_was_sent_or_is_not_there(self, store):
        with store.begin() as tx:
            batch = planned_round(tx).batch
            tx.move(Entity.BATCH, batch, BatchState.PLANNED, BatchState.SENT, at=NOW, why="")
            assert not tx.rounds.claim(batch, "me", NOW, NOW + MINUTE)
            assert not tx.rounds.claim(batch + 1, "me", NOW, NOW + MINUTE)

    def test_is_given_back_after_a_failed_send_which_is_counted(self, store):
        with store.begin() as tx:
            batch = planned_round(tx).batch
            for attempt in (1, 2):
                assert tx.rounds.claim(batch, f"h{attempt}", NOW, NOW + MINUTE)
                assert tx.rounds.release_claim(batch, "queue is down") == attempt
            assert tx.rounds.batch(batch).attempts == 2

    def test_given_back_late_does_not_count_against_a_batch_that_went_out(self, store):
        with store.begin() as tx:
            batch = planned_round(tx).batch
            tx.move(Entity.BATCH, batch, BatchState.PLANNED, BatchState.SENT, at=NOW, why="")
            assert tx.rounds.release_claim(batch, "timed out") == 0


def keys(*items, **names):
    return [item_key("spam", item, **names) for item in items]


class TestDrawnInEarlierWindows:
    def test_are_those_of_the_panels_windows_that_begin_before(self, store):
        with store.begin() as tx:
            planned_round(tx, 0, items=("a", "b"))
            middle = planned_round(tx, 1, items=("b", "c")).cycle
            planned_round(tx, 2, items=("c", "d"))
            planned_round(tx, 0, panel="other", items=("c",))
            assert tx.rounds.drawn_in_earlier_windows(middle, keys("b", "c", "d")) == set(keys("b"))
            assert tx.rounds.drawn_in_earlier_windows(middle, keys("a", "e")) == set(keys("a"))
            assert tx.rounds.drawn_in_earlier_windows(middle, ()) == frozenset()

    def test_are_told_by_time_and_not_by_who_was_opened_first(self, store):
        with store.begin() as tx:
            later, earlier = planned_round(tx, 5).cycle, planned_round(tx, 3).cycle
            assert tx.rounds.drawn_in_earlier_windows(earlier, keys("a")) == frozenset()
            assert tx.rounds.drawn_in_earlier_windows(later, keys("a")) == set(keys("a"))

    def test_a_window_that_was_run_again_drew_too_but_not_before_itself(self, store):
        with store.begin() as tx:
            old = planned_round(tx, 0, items=("a",)).cycle
            tx.cycles.replace(old, "corrected")
            again, next_ = frozen_cycle(tx, 0), frozen_cycle(tx, 1)
            assert tx.rounds.drawn_in_earlier_windows(again, keys("a")) == frozenset()
            assert tx.rounds.drawn_in_earlier_windows(next_, keys("a")) == set(keys("a"))

    def test_another_question_is_another_draw(self, store):
        with store.begin() as tx:
            planned_round(tx, 0, items=("a",))
            assert tx.rounds.drawn_in_earlier_windows(frozen_cycle(tx, 1), keys("a", question="new")) == frozenset()

    def test_may_be_asked_of_more_keys_than_one_query_takes(self, store):
        with store.begin() as tx:
            planned_round(tx, 0, items=("a",))
            many = keys(*(f"i{number}" for number in range(4500)), "a")
            assert tx.rounds.drawn_in_earlier_windows(frozen_cycle(tx, 1), many) == set(keys("a"))


class TestFixBets:
    def test_is_done_once_for_each_draw(self, store):
        with store.begin() as tx:
            cycle, other = planned_round(tx, 0).cycle, planned_round(tx, 1).cycle
            a, b, c = keys("a", "b", "c")
            assert {(draw.first_use, draw.bets) for draw in tx.rounds.draws(cycle)} == {(None, None)}
            tx.rounds.fix_bets(cycle, {a: (True, True), b: (True, False)})
            tx.rounds.fix_bets(cycle, {a: (False, False), b: (False, False), c: (False, False)})
            tx.rounds.fix_bets(cycle, {})
            found = {draw.item: (draw.first_use, draw.bets) for draw in tx.rounds.draws(cycle)}
            assert found == {"a": (True, True), "b": (True, False), "c": (False, False)}
            assert {(draw.first_use, draw.bets) for draw in tx.rounds.draws(other)} == {(None, None)}

    def test_a_round_that_is_planned_later_is_open(self, store):
        with store.begin() as tx:
            cycle = planned_round(tx, 0, items=("a",)).cycle
            tx.rounds.fix_bets(cycle, dict.fromkeys(keys("a"), (True, True)))
            tx.rounds.add(cycle, PLAN, draws(("b",)), (), NOW)
            assert [draw.bets for draw in sorted(tx.rounds.draws(cycle), key=lambda draw: draw.item)] == [True, None]
