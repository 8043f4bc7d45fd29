"""The receiver of labels: who may send, what is refused, and that what was answered with 2xx is kept, once."""

import asyncio
import json
import sqlite3
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from stratawatch.adapters.webhook_signatures import signed_headers
from stratawatch.web.label_receiver import LARGEST, PATH, label_receiver
from tests.support.label_services import OTHER_RECEIVE, RECEIVE, SEND, LabelService, WebhookBackend, given
from tests.support.queue_backends import post_and_leave

NOW = datetime(2026, 1, 5, 10, tzinfo=UTC)
YES = {"key": "k1", "value": "yes", "annotator": "kim"}
JSON = {"content-type": "application/json"}


@pytest.fixture
def backend(tmp_path):
    found = WebhookBackend(tmp_path / "queue", LabelService(url="https://labels.example.org/hook"), NOW)
    found.queue()
    return found


def events(backend):
    return [(event.item_key, event.value) for event in backend.queue().poll({}).events]


class TestLabels:
    def test_are_kept_when_they_are_answered(self, backend):
        answer = backend.post(given(YES, {"key": "k2", "value": 0}))
        assert (answer.status_code, answer.json()) == (200, {"labels": 2})
        first, second = backend.queue().poll({}).events
        assert (first.item_key, first.value, first.annotator, first.at, first.dated) == ("k1", "yes", "kim", NOW, False)
        assert (second.item_key, second.value) == ("k2", "no")

    def test_without_ids_and_times_are_told_apart_by_their_place(self, backend):
        backend.post(given(YES, YES), delivery="a")
        backend.post(given(YES), delivery="b")
        assert len({event.event_id for event in backend.queue().poll({}).events}) == 3

    def test_keep_ids_and_times_of_their_own(self, backend):
        backend.post(given({**YES, "event_id": "e1"}, {**YES, "at": "2026-01-05T09:00:00Z"}))
        first, second = backend.queue().poll({}).events
        assert first.event_id == "e1"
        assert second.at == NOW - timedelta(hours=1)

    def test_with_a_time_are_the_same_in_whatever_delivery(self, backend):
        for delivery in "ab":
            backend.post(given({**YES, "at": "2026-01-05T09:00:00Z"}), delivery=delivery)
        assert len({event.event_id for event in backend.queue().poll({}).events}) == 1

    def test_may_come_with_a_charset(self, backend):
        assert backend.post(given(YES), **{"content-type": "Application/JSON; charset=utf-8"}).status_code == 200

    def test_that_make_no_sense_are_set_aside_with_a_reason_and_the_others_count(self, backend):
        assert backend.post(given({"key": "k1", "value": "perhaps"}, YES)).status_code == 200
        polled = backend.queue().poll({})
        assert len(polled.events) == len(polled.rejected) == 1
        assert "value" in polled.rejected[0].reason

    def test_of_a_replayed_delivery_count_once(self, backend):
        for minutes in (0, 0, 2):
            backend.now = NOW + timedelta(minutes=minutes)
            assert backend.post(given(YES), delivery="a").status_code == 200
        assert events(backend) == [("k1", "yes")]

    def test_under_an_id_that_came_with_others_are_refused(self, backend):
        backend.post(given(YES), delivery="a")
        assert backend.post(given(YES, YES), delivery="a").status_code == 409
        assert events(backend) == [("k1", "yes")]

    def test_two_keys_are_accepted_and_a_third_is_not(self, backend):
        for key, status in ((RECEIVE, 200), (OTHER_RECEIVE, 200), (SEND, 401)):
            headers = JSON | signed_headers([key], key.hex(), NOW, given(YES))
            sent = backend.client(RECEIVE, OTHER_RECEIVE).post(PATH, content=given(YES), headers=headers)
            assert sent.status_code == status
        assert len(events(backend)) == 2


class TestRefusals:
    def refused(self, backend, status, body=None, **how):
        answer = backend.post(given(YES) if body is None else body, **how)
        assert answer.status_code == status
        assert answer.json()["reason"]
        assert events(backend) == []

    @pytest.mark.parametrize("left_out", ["webhook-id", "webhook-timestamp", "webhook-signature"])
    def test_of_what_is_not_signed(self, backend, left_out):
        headers = JSON | signed_headers([RECEIVE], "a", NOW, given(YES))
        del headers[left_out]
        assert backend.client().post(PATH, content=given(YES), headers=headers).status_code == 401
        assert events(backend) == []

    @pytest.mark.parametrize("twice", ["webhook-id", "webhook-timestamp", "webhook-signature"])
    def test_of_a_header_that_is_there_twice(self, backend, twice):
        headers = JSON | signed_headers([RECEIVE], "a", NOW, given(YES))
        sent = backend.client().post(PATH, content=given(YES), headers=[*headers.items(), (twice, "b")])
        assert sent.status_code == 401
        assert events(backend) == []

    def test_of_what_ends_too_early_are_no_crash(self, backend):
        headers = JSON | signed_headers([RECEIVE], "a", NOW, given(YES))
        assert post_and_leave(label_receiver(backend.book, [RECEIVE]), PATH, headers, b"{") == 400

    def test_of_what_another_signed(self, backend):
        self.refused(backend, 401, key=SEND)

    def test_of_a_body_id_or_time_that_was_changed(self, backend):
        headers = JSON | signed_headers([RECEIVE], "a", NOW, given(YES))
        later = str(int(headers["webhook-timestamp"]) + 1)
        for change, body in (({}, given(YES, YES)), ({"webhook-id": "b"}, None), ({"webhook-timestamp": later}, None)):
            sent = backend.client().post(PATH, content=body or given(YES), headers=headers | change)
            assert sent.status_code == 401
        assert events(backend) == []

    def test_before_anything_unsigned_is_parsed(self, backend, monkeypatch):
        monkeypatch.setattr(
            "stratawatch.adapters.queues.label_message.json_object", lambda _: pytest.fail("it was parsed")
        )
        self.refused(backend, 401, b"{" * 1000, key=SEND)

    @pytest.mark.parametrize("minutes", [-5.1, 5.1])
    def test_of_a_delivery_that_is_recorded_and_sent_later(self, backend, minutes):
        headers = JSON | signed_headers([RECEIVE], "a", NOW, given(YES))
        backend.now = NOW + timedelta(minutes=minutes)
        assert backend.client().post(PATH, content=given(YES), headers=headers).status_code == 403
        assert events(backend) == []

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"\xff",
            b"{",
            b"[]",
            b"[" * 100_000,
            b'{"type": "labels.given", "type": "x", "data": {"labels": []}}',
            b'{"type": "batch.published", "data": {"labels": []}}',
            b'{"type": "labels.given", "data": []}',
            b'{"type": "labels.given", "data": {"labels": {}}}',
            b'{"type": "labels.given", "data": {"labels": [1]}}',
            b'{"type": "labels.given", "data": {"labels": [{"value": "yes", "value": "no"}]}}',
        ],
        ids=range(11),
    )
    def test_of_what_is_signed_and_no_labels(self, backend, body):
        self.refused(backend, 400, body)

    @pytest.mark.parametrize("depth", [500, 900, 950, 990, 5000])
    def test_of_deep_nesting_are_no_crash(self, backend, depth):
        label = b'{"key": "k1", "value": ' + b"[" * depth + b"]" * depth + b"}"
        assert backend.post(b'{"type": "labels.given", "data": {"labels": [' + label + b"]}}").status_code in (200, 400)
        assert events(backend) == []

    def test_of_what_does_not_arrive_in_time(self, backend):
        headers = JSON | signed_headers([RECEIVE], "a", NOW, given(YES))

        async def dripping():
            for _ in range(200):
                yield b" "
                await asyncio.sleep(0.01)

        async def ask():
            app = label_receiver(backend.book, [RECEIVE], patience=timedelta(seconds=0.1))
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://labels") as client:
                return await client.post(PATH, content=dripping(), headers=headers)

        assert asyncio.run(ask()).status_code == 408

    def test_of_another_kind_of_content(self, backend):
        self.refused(backend, 415, **{"content-type": "text/plain"})
        self.refused(backend, 415, **{"content-encoding": "gzip"})

    def test_of_more_than_is_read_at_once(self, backend):
        self.refused(backend, 413, b" " * (LARGEST + 1))
        assert backend.post(given(YES) + b" " * (LARGEST - len(given(YES)))).status_code == 200

    def test_of_a_longer_id_than_is_kept(self, backend):
        self.refused(backend, 401, delivery="a" * 201)
        assert backend.post(given(YES), delivery="a" * 201).json() == {
            "reason": "webhook-id is longer than 200 characters"
        }

    def test_of_other_methods_and_places(self, backend):
        assert backend.client().get(PATH).status_code == 405
        assert backend.client().post("/labels/another").status_code == 404

    def test_while_the_file_is_away(self, backend):
        backend.lose()
        assert backend.post(given(YES)).status_code == 503
        assert not any(backend.root.iterdir())
        backend.find_again()
        assert events(backend) == []


def test_a_delivery_is_kept_whole_or_not_at_all(backend, monkeypatch):
    connect = sqlite3.connect

    class Ending(sqlite3.Connection):
        def executemany(self, *_):
            super().executemany(*_)
            raise sqlite3.OperationalError("disk full")

    monkeypatch.setattr(sqlite3, "connect", lambda *args, **more: connect(*args, factory=Ending, **more))
    assert backend.post(given(YES), delivery="a").status_code == 503
    monkeypatch.undo()
    assert events(backend) == []
    assert backend.post(given(YES), delivery="a").status_code == 200
    assert events(backend) == [("k1", "yes")]


def test_what_is_answered_is_on_the_disk_for_its_owner_alone(backend):
    with backend.book.writing() as sql:
        assert sql.execute("PRAGMA synchronous").fetchone() == (2,)
    assert backend.book.path.stat().st_mode & 0o777 == 0o600


def test_a_file_of_before_that_is_put_back_is_read_again(backend):
    before = backend.book.path.read_bytes()
    backend.post(given(YES, {**YES, "key": "k2"}))
    cursor = backend.queue().poll({}).cursor
    backend.book.path.write_bytes(before)
    assert backend.queue().poll(cursor).events == ()
    backend.post(given({**YES, "key": "k3"}, {**YES, "key": "k4"}, {**YES, "key": "k5"}))
    assert [event.item_key for event in backend.queue().poll(cursor).events] == ["k3", "k4", "k5"]


def test_odd_characters_stay_what_they_are(backend):
    odd = {"key": "k1", "value": "yes", "annotator": "k\u00efm \U0001f642", "event_id": "\ud800"}
    assert backend.post(given(odd, {**odd, "event_id": "e\n"})).status_code == 200
    polled = backend.queue().poll({})
    assert [event.annotator for event in polled.events] == ["k\u00efm \U0001f642"]
    assert json.dumps(polled.rejected[0].content)
