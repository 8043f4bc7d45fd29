import pytest

from stratawatch.engine.model.cycle_facts import Transition
from stratawatch.engine.model.states import BatchState, CycleState, Entity, RoundState
from stratawatch.errors import StaleState, StratawatchError
from tests.support.store.examples import MINUTE, NOW, open_cycle, planned_round


class TestMove:
    def test_changes_the_state_and_logs_it(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.FROZEN, at=NOW, why="3 rows\0")
            assert tx.cycles.get(cycle).state is CycleState.FROZEN
            assert tx.cycles.transitions() == (Transition("cycle", cycle, "open", "frozen", "3 rows\0", NOW),)

    def test_from_a_state_that_is_not_there_any_more_changes_and_logs_nothing(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.CANCELLED, at=NOW, why="")
            with pytest.raises(StaleState, match="expected state open; got state cancelled"):
                tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.FROZEN, at=NOW, why="")
            assert tx.cycles.get(cycle).state is CycleState.CANCELLED
            assert len(tx.cycles.transitions()) == 1

    def test_of_something_that_is_not_there_is_stale(self, store):
        with store.begin() as tx, pytest.raises(StaleState, match="no such row"):
            tx.move(Entity.ROUND, 5, RoundState.PLANNED, RoundState.DISPATCHED, at=NOW, why="")

    def test_that_the_table_does_not_have_is_refused_as_a_value_error_of_ours(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            with pytest.raises(StratawatchError, match="does not move from open to judged") as error:
                tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.JUDGED, at=NOW, why="")
            assert isinstance(error.value, ValueError)
            assert not isinstance(error.value, StaleState)
            assert tx.cycles.get(cycle).state is CycleState.OPEN

    def test_moves_only_the_one_it_names(self, store):
        with store.begin() as tx:
            first, second = open_cycle(tx, 0), open_cycle(tx, 1)
            tx.move(Entity.CYCLE, first, CycleState.OPEN, CycleState.FROZEN, at=NOW, why="")
            assert tx.cycles.get(second).state is CycleState.OPEN

    def test_moves_rounds_and_batches_too(self, store):
        with store.begin() as tx:
            planned = planned_round(tx)
            tx.move(Entity.BATCH, planned.batch, BatchState.PLANNED, BatchState.SENT, at=NOW, why="")
            tx.move(Entity.ROUND, planned.round, RoundState.PLANNED, RoundState.DISPATCHED, at=NOW, why="")
            assert tx.rounds.batch(planned.batch).state is BatchState.SENT
            assert tx.rounds.get(planned.round).state is RoundState.DISPATCHED

    def test_gives_a_batch_that_is_sent_again_all_its_attempts(self, store):
        with store.begin() as tx:
            batch = planned_round(tx).batch
            tx.rounds.claim(batch, "me", NOW, NOW + MINUTE)
            tx.rounds.release_claim(batch, "down")
            tx.rounds.claim(batch, "me", NOW, NOW + MINUTE)
            tx.move(Entity.BATCH, batch, BatchState.PLANNED, BatchState.FAILED, at=NOW, why="12 attempts")
            assert tx.rounds.batch(batch).attempts == 1
            tx.move(Entity.BATCH, batch, BatchState.FAILED, BatchState.PLANNED, at=NOW, why="queue is back")
            assert tx.rounds.batch(batch).attempts == 0
            assert tx.rounds.claim(batch, "another", NOW, NOW + MINUTE)


class TestLog:
    def test_is_in_order_and_can_be_asked_for_one_entity(self, store):
        with store.begin() as tx:
            first, second = open_cycle(tx, 0), open_cycle(tx, 1)
            for cycle in (second, first):
                tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.FROZEN, at=NOW, why="")
            tx.move(Entity.CYCLE, second, CycleState.FROZEN, CycleState.CANCELLED, at=NOW, why="")
            assert [move.entity_id for move in tx.cycles.transitions(Entity.CYCLE)] == [second, first, second]
            assert [move.new for move in tx.cycles.transitions(Entity.CYCLE, second)] == ["frozen", "cancelled"]
            assert tx.cycles.transitions(Entity.BATCH) == ()
            newest = tx.cycles.newest_transition()
            assert [move.new for move in tx.cycles.transitions(after=newest - 1)] == ["cancelled"]
            assert tx.cycles.transitions(after=newest) == ()

    def test_is_rolled_back_with_its_move(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.commit()
            tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.FROZEN, at=NOW, why="")
        with store.begin() as tx:
            assert tx.cycles.get(cycle).state is CycleState.OPEN
            assert tx.cycles.transitions() == ()
