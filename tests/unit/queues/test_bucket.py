"""What is a bucket's own: objects that cannot be renamed, names out of order, a network, and secrets."""

import json
import logging
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import obstore
import pytest
from pydantic import ValidationError

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.object_storage import ObjectStorage, check_endpoint
from stratawatch.adapters.queues.bucket import BucketQueue, BucketSettings
from stratawatch.adapters.queues.inbox import ReadCaps
from stratawatch.adapters.queues.queue_layout import MARKER
from stratawatch.errors import ConfigError, StratawatchError, Unreachable
from tests.support.batches import batch
from tests.support.buckets import bucket_backend
from tests.support.dripping_server import dripping

SECRET = "hunter2hunter2"


@pytest.fixture
def backend():
    return bucket_backend()


def fetched(monkeypatch):
    """The paths that are read from now on."""
    read, paths = ObjectStorage.read, []

    def noted(self, path, most):
        paths.append(path)
        return read(self, path, most)

    monkeypatch.setattr(ObjectStorage, "read", noted)
    return paths


def keys(polled):
    return [event.item_key for event in polled.events]


class TestPoll:
    def test_an_object_whose_name_sorts_before_those_that_were_read_is_not_lost(self, backend):
        queue = backend.queue()
        backend.answer("in/m.jsonl", key="k1", value="yes")
        first = queue.poll({})
        backend.answer("in/a.jsonl", key="k2", value="yes")
        assert keys(queue.poll(first.cursor)) == ["k2"]

    def test_only_new_and_changed_objects_are_fetched(self, backend, monkeypatch):
        queue = backend.queue()
        for name in ("a", "b", "c"):
            backend.answer(f"in/{name}.jsonl", key=name, value="yes")
        first = queue.poll({})
        backend.answer("in/b.jsonl", key="k9", value="no")
        paths = fetched(monkeypatch)
        assert keys(queue.poll(first.cursor)) == ["k9"]
        assert [path for path in paths if path.startswith("in/")] == ["in/b.jsonl"]

    def test_an_etag_is_the_same_in_quotes_and_without_as_azure_lists_it(self, monkeypatch):
        meta = {"path": "in/ann.jsonl", "size": 1, "last_modified": datetime.now(UTC)}
        got = SimpleNamespace(meta={**meta, "e_tag": '"0x8D"'}, bytes=lambda: b"x")
        monkeypatch.setattr(obstore, "list", lambda _store, _folder: [[{**meta, "e_tag": "0x8D"}]])
        monkeypatch.setattr(obstore, "get", lambda _store, _path: got)
        storage = ObjectStorage(None, "az://labels", "the label queue")
        assert storage.listed("in")[0].stamp == storage.read("in/ann.jsonl", 9)[0].stamp

    def test_an_object_that_was_written_to_between_two_polls_is_fetched_anew(self, backend):
        backend.queue()
        queue = BucketQueue(backend.storage, caps=ReadCaps(events=1, patience=timedelta(0)))
        for key in ("k1", "k2"):
            backend.answer(key=key, value="yes")
        first = queue.poll({})
        backend.answer(key="k3", value="yes")
        second = queue.poll(first.cursor)
        assert keys(first) + keys(second) + keys(queue.poll(second.cursor)) == ["k1", "k2", "k3"]

    def test_a_replaced_object_is_read_from_its_beginning(self, backend):
        queue = backend.queue()
        backend.answer(key="k1", value="yes")
        first = queue.poll({})
        obstore.put(backend.store, "in/ann.jsonl", b'{"key": "k2", "value": "no"}\n{"key": "k3", "value": "no"}\n')
        assert keys(queue.poll(first.cursor)) == ["k2", "k3"]

    def test_a_last_line_without_a_line_end_is_read_at_once_and_once(self, backend, monkeypatch):
        queue = backend.queue()
        obstore.put(backend.store, "in/ann.jsonl", b'{"key": "k1", "value": "no"}\n{"key": "k2", "value": "no"}')
        first = queue.poll({})
        assert keys(first) == ["k1", "k2"]
        paths = fetched(monkeypatch)
        second = queue.poll(first.cursor)
        assert (second.events, second.cursor) == ((), first.cursor)
        assert "in/ann.jsonl" not in paths

    def test_a_poll_ends_at_its_cap_and_the_next_one_goes_on_without_fetching_again(self, backend, monkeypatch):
        backend.queue()
        queue = BucketQueue(backend.storage, caps=ReadCaps(events=3, patience=timedelta(0)))
        lines = [json.dumps({"key": f"k{number}", "value": "yes"}) for number in range(8)]
        obstore.put(backend.store, "in/a.jsonl", "\n".join(lines[:5]).encode())
        obstore.put(backend.store, "in/b.jsonl", "\n".join(lines[5:]).encode())
        cursor, found, paths = {}, [], fetched(monkeypatch)
        for _ in range(4):
            polled = queue.poll(cursor)
            assert len(polled.events) <= 3
            found += keys(polled)
            cursor = polled.cursor
        assert found == [f"k{number}" for number in range(8)]
        assert [path for path in paths if path.startswith("in/")] == ["in/a.jsonl", "in/b.jsonl"]

    def test_an_object_that_is_too_large_is_not_fetched_and_said_once(self, backend):
        backend.queue()
        queue = BucketQueue(backend.storage, caps=ReadCaps(file_bytes=20, patience=timedelta(0)))
        backend.answer(key="k1", value="yes", annotator="somebody")
        first = queue.poll({})
        assert [row.reason for row in first.rejected] == [
            "the file is not read: larger than 20 bytes; begin a new file"
        ]
        assert queue.poll(first.cursor).rejected == ()

    def test_what_was_set_aside_lies_in_rejected(self, backend):
        backend.answer(key="k1", value="perhaps")
        backend.queue().poll({})
        assert "perhaps" in backend.objects()["rejected/ann.jsonl"].decode()


def test_objects_with_another_ending_are_named(backend):
    for name in ("b.JSONL", "a.csv", ".draft.csv", "read.jsonl"):
        backend.answer(f"in/{name}", key="k1", value="yes")
    queue = backend.queue()
    assert queue.unread_files() == ("a.csv", "b.JSONL")
    assert queue.describe()["objects in in/ that are not read (only *.jsonl is)"] == "2"


def test_a_batch_that_is_withdrawn_while_it_is_published_does_not_stay_out(backend, monkeypatch):
    queue, create = backend.queue(), ObjectStorage.create

    def late(self, path, content):
        with monkeypatch.context() as patch:
            patch.setattr(ObjectStorage, "create", create)
            backend.queue().cancel([batch().key])
        return create(self, path, content)

    monkeypatch.setattr(ObjectStorage, "create", late)
    assert queue.publish(batch()).duplicate
    assert backend.asked() == []


def test_a_server_that_overlooks_the_condition_of_a_write_is_refused_and_left_clean(backend, monkeypatch):
    queue = backend.queue()
    queue.describe()
    monkeypatch.setattr(ObjectStorage, "create", lambda self, path, content: self.replace(path, content) or True)
    with pytest.raises(StratawatchError, match="overlooks If-None-Match"):
        queue.describe()
    assert set(backend.objects()) == {MARKER}


class TestSettings:
    @pytest.mark.parametrize(
        "url", ["", "labels", "s3://", "http://x/y", "file:///tmp", "s3://user:hunter2@labels/x", "s3://labels/x?a=b"]
    )
    def test_what_is_no_place_in_a_bucket_is_refused_and_not_shown(self, url):
        with pytest.raises(ValidationError) as refused:
            BucketSettings.model_validate({"kind": "bucket", "url": url})
        assert "hunter2" not in str(refused.value)

    @pytest.mark.parametrize("endpoint", ["http://minio.example", "ftp://x", "https://u:hunter2@x", "localhost:9000"])
    def test_an_endpoint_is_encrypted_unless_it_is_this_machine(self, endpoint):
        with pytest.raises(ValidationError):
            BucketSettings.model_validate({"kind": "bucket", "url": "s3://labels", "endpoint": endpoint})

    def test_credentials_are_references(self):
        with pytest.raises(ValidationError, match="secret written into the file"):
            BucketSettings.model_validate(
                {"kind": "bucket", "url": "s3://labels", "credentials": {"access_key_id": SECRET}}
            )

    def test_a_credential_that_the_client_does_not_know_is_refused_and_not_shown(self, tmp_path, monkeypatch):
        monkeypatch.setenv("KEY", SECRET)
        table = {"kind": "bucket", "url": "s3://labels", "credentials": {"nonsense": "${env:KEY}"}}
        with pytest.raises(ConfigError) as refused:
            BucketSettings.model_validate(table).build(BuildContext(tmp_path))
        assert SECRET not in str(refused.value)


def live_queue(tmp_path, endpoint, timeout="1s"):
    credentials = {"access_key_id": "${env:KEY}", "secret_access_key": "${env:KEY}"}
    table = {"kind": "bucket", "url": "s3://labels/x", "endpoint": endpoint, "region": "eu-west-1"}
    settings = BucketSettings.model_validate({**table, "timeout": timeout, "credentials": credentials})
    return BucketSettings.build(settings, BuildContext(tmp_path))


@pytest.mark.parametrize(
    "use",
    [
        lambda queue: queue.identity(),
        lambda queue: queue.adopt("x"),
        lambda queue: queue.batch_keys(),
        lambda queue: queue.publish(batch()),
        lambda queue: queue.poll({}),
        lambda queue: queue.describe(),
    ],
    ids=["identity", "adopt", "batch_keys", "publish", "poll", "describe"],
)
def test_a_network_that_is_down_is_unreachable_with_a_hint_and_without_secrets(tmp_path, monkeypatch, caplog, use):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("KEY", SECRET)
    queue = live_queue(tmp_path, "http://127.0.0.1:1")
    with pytest.raises(Unreachable) as down:
        use(queue)
    assert down.value.hint
    assert down.value.__suppress_context__
    assert not any(SECRET in text for text in (str(down.value), caplog.text, repr(queue), repr(vars(queue))))


def test_a_server_that_drips_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setenv("KEY", SECRET)
    with dripping() as address, pytest.raises(Unreachable):
        live_queue(tmp_path, address.rstrip("/")).identity()


@pytest.mark.parametrize("url", ["https://host:99999", "https://host:0", "https://host:port"])
def test_an_endpoint_with_an_odd_port_is_refused(url):
    with pytest.raises(ValueError, match=r"[Pp]ort|no address"):
        check_endpoint(url)
