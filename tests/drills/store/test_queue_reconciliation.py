"""Sent batches are compared with the queue: on every database."""

import shutil
from dataclasses import replace

import pytest

from stratawatch.adapters.queues.folder import FolderQueue
from stratawatch.adapters.status_queries import read_status
from stratawatch.cli.status_batches import batches_of
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.operator_actions import cancel_cycle, resend_batches
from stratawatch.engine.labels.import_labels import HandLabel, import_labels
from stratawatch.engine.model.states import BatchState
from tests.support.fakes import spec
from tests.support.scenario import Scenario, open_all


@pytest.fixture
def sent(store, tmp_path):
    """A scenario with a queue in a folder, after its first batches went out."""
    scenario = Scenario.around(store, spec(batch_size=15))
    scenario.produce(0)
    scenario.ports = replace(scenario.ports, queue=FolderQueue(tmp_path / "queue"))
    open_all(scenario)
    assert advance(scenario.ports).troubles == ()
    return scenario


@pytest.fixture
def out(tmp_path):
    return tmp_path / "queue" / "out"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def empty(folder):
    shutil.rmtree(folder)
    folder.mkdir()


def batches(scenario, state):
    with scenario.ports.store.begin() as tx:
        return tx.rounds.batches(states=[state])


def shown(scenario):
    """The batches as `status` has them."""
    url = scenario.ports.store._url.render_as_string(hide_password=False)
    return batches_of(read_status(url.replace(" ", "%20")))  # which SQLAlchemy leaves in passwords


def answer(scenario, batch):
    """By hand, so that nothing but the store knows."""
    with scenario.ports.store.begin() as tx:
        items = {draw.item_key: draw.item for draw in tx.rounds.draws(1)}
    import_labels(scenario.ports, "spam", [HandLabel(items[task.item_key], "yes", "kim") for task in batch.tasks])


class TestLostBatches:
    def test_go_out_again_as_they_were(self, sent, out):
        before = contents(out)
        assert len(before) > 1
        empty(out)
        assert advance(sent.ports).troubles == ()
        assert contents(out) == before
        (notification,) = sent.channel.received
        assert notification.subject == "Batches were sent to the label queue again"
        assert batches(sent, BatchState.SENT)[0].key in notification.body

    def test_one_of_them_goes_out_alone(self, sent, out):
        before = contents(out)
        first = min(before)
        (out / first).unlink()
        advance(sent.ports)
        assert contents(out) == before

    def test_go_out_once_and_then_a_person_is_asked(self, sent, out):
        for _ in range(3):
            empty(out)
            advance(sent.ports)
        assert contents(out) == {}
        assert [one.subject for one in sent.channel.received] == [
            "Batches were sent to the label queue again",
            "The label queue loses batches",
        ]
        assert '`stratawatch cycles resend ID --why "..."`' in sent.channel.received[1].body
        assert {batch["away"] for batch in shown(sent)} == {"lost"}
        resend_batches(sent.ports, 1, "the share is mended")
        advance(sent.ports)
        assert {batch["away"] for batch in shown(sent)} == {None}

    def test_a_person_may_send_them_once_more(self, sent, out):
        before = contents(out)
        for _ in range(2):
            empty(out)
            advance(sent.ports)
        assert resend_batches(sent.ports, 1, "the share is mended") == len(before)
        advance(sent.ports)
        assert contents(out) == before

    def test_a_batch_that_was_withdrawn_stays_away_until_a_person_decides(self, sent, out):
        """By hand, or by the store before it was restored."""
        before, key = contents(out), batches(sent, BatchState.SENT)[0].key
        sent.ports.queue.cancel([key])
        for _ in range(2):
            advance(sent.ports)
        assert key not in sent.ports.queue.asked_keys()
        (notification,) = sent.channel.received
        assert notification.subject == "Batches wait that were withdrawn from the label queue"
        assert [batch["key"] for batch in shown(sent) if batch["away"] == "withdrawn"] == [key]
        assert resend_batches(sent.ports, 1, "restored too far back") == 1
        advance(sent.ports)
        assert contents(out) == before
        assert {batch["away"] for batch in shown(sent)} == {None}

    @pytest.mark.parametrize("how", ["lost", "withdrawn"])
    def test_what_a_person_sends_again_while_the_queue_is_listed_goes_out(self, sent, out, how, monkeypatch):
        before = contents(out)
        for _ in range(2):
            if how == "lost":
                empty(out)
            else:
                sent.ports.queue.cancel([batch.key for batch in batches(sent, BatchState.SENT)])
            advance(sent.ports)
        assert contents(out) == {}
        listed = FolderQueue.batch_keys

        def slow(queue):
            monkeypatch.setattr(FolderQueue, "batch_keys", listed)
            assert resend_batches(sent.ports, 1, "the share is mended") == len(before)
            return listed(queue)

        monkeypatch.setattr(FolderQueue, "batch_keys", slow)
        for _ in range(2):
            advance(sent.ports)
        assert contents(out) == before

    def test_a_cancelled_cycle_is_asked_no_more(self, sent, out):
        empty(out)
        cancel_cycle(sent.ports, 1, "wrong export")
        advance(sent.ports)
        assert contents(out) == {}


class TestClosedBatches:
    def test_leave_and_the_open_ones_stay(self, sent, out):
        first, *others = batches(sent, BatchState.SENT)
        answer(sent, first)
        advance(sent.ports)
        assert [batch.key for batch in batches(sent, BatchState.CLOSED)] == [first.key]
        assert sent.ports.queue.asked_keys() == {batch.key for batch in others}
        assert [path.stem for path in (out.parent / "done").iterdir()] == [first.key]

    def test_of_before_an_upgrade_leave_too(self, sent, out):
        (first, *_) = batches(sent, BatchState.SENT)
        answer(sent, first)
        advance(sent.ports)
        (out.parent / "done" / f"{first.key}.jsonl").rename(out / f"{first.key}.jsonl")
        advance(sent.ports)
        assert first.key not in sent.ports.queue.asked_keys()

    def test_a_corrected_answer_does_not_bring_them_back(self, sent, out):
        (first, *_) = batches(sent, BatchState.SENT)
        answer(sent, first)
        for _ in range(2):
            advance(sent.ports)
        assert first.key not in sent.ports.queue.asked_keys()
        assert sent.channel.received == []
