"""PostgreSQL stops as a crash does while an advance is at work, and is started again."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from benchmarks.chaos.children import in_child
from benchmarks.chaos.databases import PostgresDatabases
from stratawatch.adapters.queues.folder import FolderQueue
from stratawatch.adapters.store import SqlStore
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.states import BatchState
from stratawatch.errors import Unreachable
from tests.support.scenario import Scenario, open_all

pytestmark = pytest.mark.postgres


class StoppingQueue(FolderQueue):
    """Stops the server once a batch is out, before the store hears of it."""

    stop = staticmethod(lambda: None)

    def publish(self, batch):
        receipt = super().publish(batch)
        self.stop()
        return receipt


@pytest.fixture
def databases():
    """A server of its own: others must not lose their connections. Not below pytest's folder, which it cannot read."""
    with TemporaryDirectory(prefix="stratawatch-postgres-", ignore_cleanup_errors=True) as folder:
        started = PostgresDatabases.start(Path(folder) / "pg")
        yield started
        started.close()


def test_in_the_middle_of_an_advance_ends_it_with_a_sentence_and_the_next_one_goes_on(databases, tmp_path):
    databases.create("run", tmp_path)
    url, queue = databases.url("run"), StoppingQueue(tmp_path / "queue")
    store = SqlStore(url)
    scenario = Scenario.around(store)
    scenario.produce(0)
    scenario.ports = replace(scenario.ports, queue=queue)
    open_all(scenario)
    store.dispose()

    def advance_as_a_process():
        queue.stop = databases.stop_server
        with pytest.raises(Unreachable) as told:
            advance(replace(scenario.ports, store=SqlStore(url)))
        return str(told.value)

    assert "did not answer" in in_child(advance_as_a_process, tmp_path)
    asked = queue.asked_keys()
    assert asked
    databases.start_server()
    scenario.clock.advance(hours=1)
    assert advance(scenario.ports).troubles == ()
    assert queue.asked_keys() == asked
    with store.begin() as tx:
        assert {batch.key for batch in tx.rounds.batches(states=[BatchState.SENT])} == asked
    store.dispose()
