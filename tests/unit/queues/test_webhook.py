"""A webhook queue: what is sent, how often, under which id, and what becomes of refusals and deaths."""

import json
import logging
import traceback
from pathlib import Path

import pytest

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.queues.webhook import WebhookQueue, WebhookQueueSettings
from stratawatch.adapters.webhook_signatures import is_signed
from stratawatch.engine.model.label_events import Batch, LabelTask
from stratawatch.engine.model.states import BatchState
from stratawatch.errors import ConfigError, NoAnswer, StratawatchError, Unreachable
from tests.support.dripping_server import dripping
from tests.support.label_services import OTHER_SEND, RECEIVE, SEND, LabelService, WebhookBackend, served, written

KEY = "spam-p00000-r1-b1"


def batch(key=KEY, payload=None):
    tasks = (LabelTask("k1", payload or {"text": "hello"}),)
    return Batch(7, 3, key, BatchState.PLANNED, 0, "Is it spam?", "Read it.", tasks, "q1")


@pytest.fixture
def service():
    with served(LabelService()) as found:
        yield found


@pytest.fixture
def backend(tmp_path, service):
    return WebhookBackend(tmp_path / "queue", service)


def sent(service):
    return [(headers["webhook-id"], json.loads(body)["type"]) for headers, body in service.requests]


class Died(BaseException):
    """The process ended here."""


def die(*_):
    raise Died


class TestSending:
    def test_a_batch_is_one_signed_post_of_what_labellers_may_see(self, backend, service):
        backend.queue().publish(batch())
        ((headers, body),) = service.requests
        assert headers["content-type"] == "application/json"
        assert json.loads(body) == {
            "type": "batch.published",
            "data": {
                "batch": KEY,
                "turn": 0,
                "question": "Is it spam?",
                "guideline": "Read it.",
                "tasks": [{"key": "k1", "payload": {"text": "hello"}}],
            },
        }
        assert headers["webhook-id"] == KEY

    def test_two_keys_sign_so_that_either_is_accepted(self, backend, service):
        backend.queue()
        backend.unmarked(SEND, OTHER_SEND).publish(batch())
        ((headers, body),) = service.requests
        for key in (SEND, OTHER_SEND):
            signed = (headers[name] for name in ("webhook-id", "webhook-timestamp", "webhook-signature"))
            assert is_signed([key], *signed, body)

    def test_a_batch_that_the_service_has_is_not_sent_again(self, backend, service):
        backend.queue().publish(batch())
        backend.queue().publish(batch())
        assert len(service.requests) == 1

    @pytest.mark.parametrize("status", [500, 503, 429, 408, 302])
    def test_a_batch_is_sent_under_one_id_until_it_arrives(self, backend, service, status):
        service.status = status
        for _ in range(2):
            with pytest.raises(Unreachable, match=f"HTTP {status}"):
                backend.queue().publish(batch())
        service.status = 204
        assert not backend.queue().publish(batch()).duplicate
        assert sent(service) == [(KEY, "batch.published")] * 3
        assert len({body for _, body in service.requests}) == 1

    @pytest.mark.parametrize(
        ("status", "hint"),
        [
            (401, "the same key"),
            (409, "two installations"),
            (410, "ask for another"),
            (413, "larger"),
            (422, "own log"),
        ],
    )
    def test_a_refusal_is_one_sentence_that_says_what_to_do(self, backend, service, status, hint):
        service.status = status
        with pytest.raises(StratawatchError, match=f"refused batch {KEY}.*HTTP {status}.*{hint}") as refused:
            backend.queue().publish(batch())
        assert not isinstance(refused.value, Unreachable)
        service.status = 200
        assert not backend.queue().publish(batch()).duplicate
        assert len(backend.asked()) == 1

    def test_other_content_is_refused_also_where_the_first_was_not_known_to_arrive(self, backend, service):
        service.status = 500
        with pytest.raises(Unreachable):
            backend.queue().publish(batch())
        service.status = 200
        with pytest.raises(StratawatchError, match="another batch of the same key"):
            backend.queue().publish(batch(payload={"text": "another"}))
        assert len(service.requests) == 1

    def test_an_answer_that_drips_ends_at_the_time_limit(self, backend, service):
        backend.queue()
        with dripping() as url:
            service.url = url
            with pytest.raises(NoAnswer, match=r"Timeout of 0\.3 seconds"):
                backend.unmarked(timeout=0.3).publish(batch())

    def test_neither_error_nor_traceback_nor_log_shows_address_or_signature(self, backend, service, caplog):
        service.status = 500
        with caplog.at_level(logging.DEBUG), pytest.raises(Unreachable) as refused:
            backend.queue().publish(batch())
        shown = caplog.text + "".join(traceback.format_exception(refused.value))
        assert "hunter2" not in shown
        assert "v1," not in shown


class TestDeaths:
    def test_after_a_batch_was_sent_and_before_that_was_noted(self, backend, service, monkeypatch):
        queue = backend.queue()
        monkeypatch.setattr(queue, "_note_sent", die)
        with pytest.raises(Died):
            queue.publish(batch())
        backend.queue().publish(batch())
        assert sent(service) == [(KEY, "batch.published")] * 2
        assert len(backend.asked()) == 1

    @pytest.mark.parametrize("step", ["_send", "_note_sent"])
    def test_while_a_batch_was_withdrawn_and_then_asked_again(self, backend, service, monkeypatch, step):
        queue = backend.queue()
        queue.publish(batch())
        monkeypatch.setattr(queue, step, die)
        with pytest.raises(Died):
            queue.cancel([KEY])
        backend.queue().ask_again([KEY])
        assert not backend.queue().publish(batch()).duplicate
        assert len(backend.asked()) == 1
        backend.queue().cancel([KEY])
        assert backend.asked() == []

    def test_after_a_withdrawal_that_may_have_arrived_and_before_the_batch_went_out_again(
        self, backend, service, monkeypatch
    ):
        queue = backend.queue()
        queue.publish(batch())
        monkeypatch.setattr(queue, "_note_sent", die)
        with pytest.raises(Died):
            queue.cancel([KEY])
        backend.queue().ask_again([KEY])
        queue = backend.queue()
        monkeypatch.setattr(queue, "_send", die)
        with pytest.raises(Died):
            queue.publish(batch())
        assert not backend.queue().publish(batch()).duplicate
        assert len(backend.asked()) == 1

    def test_an_answer_that_comes_after_the_batch_was_asked_for_again_is_of_another_turn(
        self, backend, service, monkeypatch
    ):
        other = backend.queue()

        def meanwhile(_):
            service.status = 200
            other.cancel([KEY])
            other.ask_again([KEY])
            monkeypatch.setattr(other, "_send", die)
            with pytest.raises(Died):
                other.publish(batch())
            return 200

        service.status = meanwhile
        backend.queue().publish(batch())
        assert not backend.queue().publish(batch()).duplicate
        assert sent(service)[-1] == (f"{KEY}:published:1", "batch.published")

    def test_of_a_batch_that_may_have_arrived_its_withdrawal_is_said(self, backend, service, monkeypatch):
        queue = backend.queue()
        monkeypatch.setattr(queue, "_note_sent", die)
        with pytest.raises(Died):
            queue.publish(batch())
        backend.queue().cancel([KEY])
        assert backend.asked() == []


class TestEndings:
    @pytest.mark.parametrize(("end", "event"), [("cancel", "batch.withdrawn"), ("close", "batch.closed")])
    def test_are_said_once_the_service_is_there_again(self, backend, service, end, event):
        queue = backend.queue()
        queue.publish(batch())
        service.status = 500
        getattr(queue, end)([KEY])
        assert queue.describe()["endings not heard yet"] == "1"
        queue.poll({})
        assert len(backend.asked()) == 1
        service.status = 200
        for _ in range(2):
            backend.queue().poll({})
        assert backend.asked() == []
        assert [said for _, said in sent(service)].count(event) == 3
        assert queue.describe()["endings not heard yet"] == "0"

    def test_are_not_said_of_what_never_went_out(self, backend, service):
        backend.queue().cancel([KEY])
        backend.queue().poll({})
        assert service.requests == []

    def test_a_service_that_does_not_take_them_is_asked_once(self, backend, service):
        queue = backend.queue()
        queue.publish(batch())
        service.status = 404
        queue.cancel([KEY])
        queue.poll({})
        assert len(service.requests) == 2

    def test_are_said_again_to_a_service_that_did_not_know_the_key(self, backend, service):
        queue = backend.queue()
        queue.publish(batch())
        service.keys = (OTHER_SEND,)
        queue.cancel([KEY])
        service.keys = (SEND,)
        queue.poll({})
        assert backend.asked() == []

    def test_of_two_turns_have_ids_of_their_own(self, backend, service):
        queue = backend.queue()
        for _ in range(2):
            queue.publish(batch())
            queue.cancel([KEY])
            queue.ask_again([KEY])
        ids = [message_id for message_id, _ in sent(service)]
        assert ids == [KEY, f"{KEY}:withdrawn:0", f"{KEY}:published:1", f"{KEY}:withdrawn:1"]


class TestSettings:
    def settings(self, monkeypatch, **more):
        values = {"URL": "https://labels.example.org/hook", "SEND": written(SEND), "RECEIVE": written(RECEIVE)}
        for name, value in (values | more).items():
            monkeypatch.setenv(f"LABELS_{name}", value)
        keys = {"url": "URL", "send_key": "SEND", "receive_key": "RECEIVE"}
        keys |= {f"second_{name.lower()}_key": name for name in more if name not in values}
        table = {key: f"${{env:LABELS_{name}}}" for key, name in keys.items()}
        return WebhookQueueSettings.model_validate({"kind": "webhook", **table})

    def test_build_a_queue(self, monkeypatch, tmp_path):
        assert isinstance(self.settings(monkeypatch).build(BuildContext(tmp_path)), WebhookQueue)
        assert self.settings(monkeypatch).receive_keys(BuildContext(tmp_path)) == (RECEIVE,)

    @pytest.mark.parametrize("more", [{"RECEIVE": written(SEND)}, {"SEND": "hunter2"}, {"URL": "http://example.org/a"}])
    def test_that_cannot_be_right_are_refused(self, monkeypatch, more):
        with pytest.raises(ConfigError) as refused:
            self.settings(monkeypatch, **more).build(BuildContext(Path("/")))
        assert "hunter2" not in str(refused.value)
