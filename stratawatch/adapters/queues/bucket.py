"""A label queue in a bucket of S3, Google Cloud Storage or Azure, laid out as the one in a folder."""

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from uuid import uuid4

from pydantic import AfterValidator, Field

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.object_storage import ObjectInfo, ObjectStorage, check_endpoint, check_storage_url, connect
from stratawatch.adapters.queues import QueueSettings
from stratawatch.adapters.queues.inbox import Inbox, NewLines, OpenedFile, ReadCaps, ReadPosition, places
from stratawatch.adapters.queues.label_line import read_line
from stratawatch.adapters.queues.published_tasks import batch_digest
from stratawatch.adapters.queues.queue_layout import (
    CANCELLED,
    DONE,
    IN,
    MARKER,
    OUT,
    REJECTED,
    digest_in,
    marked_identity,
    marker,
    rendered,
    without_payload,
    without_rejects,
)
from stratawatch.adapters.queues.queue_paths import batch_file_name, batch_key_of
from stratawatch.adapters.queues.rejects import by_file, with_rejects
from stratawatch.adapters.queues.repeated_answers import RepeatedAnswers
from stratawatch.engine.model.label_events import Batch, LabelEvent, PollResult, Receipt
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.errors import StratawatchError, Unreachable
from stratawatch.settings.shapes import PositiveDuration, Secret, Text

AT_ONCE: Final = datetime.max.replace(tzinfo=UTC)
"""The time of reading: an object is written whole, so that the rest of an unfinished line is not waited for."""


class BucketSettings(QueueSettings):
    """kind = "bucket": JSONL objects."""

    kind: Literal["bucket"]
    url: Annotated[Text, AfterValidator(check_storage_url)]
    endpoint: Annotated[Text, AfterValidator(check_endpoint)] | None = None
    region: Text | None = None
    credentials: dict[str, Secret] = Field(default_factory=dict)
    timeout: PositiveDuration = timedelta(seconds=20)

    def build(self, context: BuildContext) -> "BucketQueue":
        """The queue; its credentials are looked up now."""
        credentials = {name: context.reveal(value) for name, value in self.credentials.items()}
        return BucketQueue(
            connect(
                self.url,
                "the label queue",
                credentials=credentials,
                endpoint=self.endpoint,
                region=self.region,
                timeout=self.timeout,
            )
        )


class BucketQueue:
    """Batches in `out/`, labels in `in/`, what could not be read in `rejected/`.

    Withdrawn batches lie in `cancelled/`, answered ones in `done/`. Objects cannot be renamed: a batch is copied there
    before it is deleted from `out/`, and a process that died in between does the same again.
    The root holds a marker, which `adopt` writes. Without it nothing is read or written there.
    """

    def __init__(self, storage: ObjectStorage, name: str = "bucket", *, caps: ReadCaps | None = None) -> None:
        self.name = name
        self.where = storage.where
        self._storage = storage
        self._caps = caps or ReadCaps(patience=timedelta(0))
        self._turns = RepeatedAnswers()
        self._fetched: tuple[ObjectInfo, bytes] | None = None

    def identity(self) -> str:
        """The id in the marker; empty where there is none or none that can be read."""
        found = self._storage.read(MARKER, self._caps.line_bytes)
        return marked_identity(found[1]) if found else ""

    def adopt(self, identity: str) -> None:
        """Write the marker."""
        self._storage.replace(MARKER, marker(identity))

    def batch_keys(self) -> frozenset[str]:
        """The keys of all batches in the bucket, withdrawn and closed ones included."""
        return self._keys_in(OUT, CANCELLED, DONE)

    def withdrawn_keys(self) -> frozenset[str]:
        """The keys of the batches in `cancelled/`."""
        return self._keys_in(CANCELLED)

    def asked_keys(self) -> frozenset[str]:
        """The keys of the batches in `out/`."""
        return self._keys_in(OUT)

    def ask_again(self, keys: Sequence[str]) -> None:
        """Take batches out of `cancelled/`, which keeps them from being published."""
        with self._marked("take back a withdrawal"):
            for key in keys:
                self._storage.delete(f"{CANCELLED}/{batch_file_name(key)}")

    def publish(self, batch: Batch) -> Receipt:
        """Write a batch to `out/`, once."""
        name = batch_file_name(batch.key)
        with self._marked("publish a batch"):
            if ended := self._ended(name):
                return Receipt(ended, duplicate=True)
            path = f"{OUT}/{name}"
            new = self._storage.create(path, rendered(batch))
            if not new:
                self._require_same(path, batch)
            elif ended := self._ended(name):  # it was withdrawn meanwhile, by a process that did not find it in out/
                self._storage.delete(path)
                return Receipt(ended, duplicate=True)
        return Receipt(path, duplicate=not new)

    def poll(self, cursor: Mapping[str, object]) -> PollResult:
        """Read whole lines of those objects in `in/` that are new or changed since `cursor`."""
        begins = places(cursor)
        events: list[LabelEvent] = []
        rejected: list[QuarantinedRow] = []
        reached: dict[str, Any] = {}
        with self._marked("read labels"):
            objects = {info.name: info for info in self._storage.listed(IN)}
            inbox = _ObjectInbox(
                Path(IN), self.name, self._caps, read_line, self._turns.numbered, fetch=self._fetch, objects=objects
            )
            for name in inbox.names():
                position = ReadPosition.of(begins.get(name))
                left = self._caps.events - len(events) - len(rejected)
                news = inbox.read(name, position, left, AT_ONCE) if left > 0 else NewLines(position)
                if news is not None:
                    events += news.events
                    rejected += news.rejected
                    reached[name] = news.position.as_cursor()
            self._keep(rejected)
        if len(events) + len(rejected) < self._caps.events:
            self._fetched = None
        return PollResult(tuple(events), tuple(rejected), {"files": reached})

    def cancel(self, keys: Sequence[str]) -> None:
        """Move batches from `out/` to `cancelled/`; one that is not out leaves a mark, so that it never goes out."""
        names = [batch_file_name(key) for key in keys]
        with self._marked("withdraw batches"):
            for name in names:
                if not self._storage.copy(f"{OUT}/{name}", f"{CANCELLED}/{name}"):
                    self._storage.create(f"{CANCELLED}/{name}", b"")
                self._storage.delete(f"{OUT}/{name}")

    def close(self, keys: Sequence[str]) -> None:
        """Move batches from `out/` to `done/`; one that is not out stays where it is."""
        names = [batch_file_name(key) for key in keys]
        with self._marked("put batches away"):
            for name in names:
                if self._storage.copy(f"{OUT}/{name}", f"{DONE}/{name}"):
                    self._storage.delete(f"{OUT}/{name}")

    def drop_payload(self, batches: Mapping[str, Collection[str]]) -> None:
        """Forget what was shown of items of batches; objects in `in/` belong to who wrote them."""
        with self._marked("forget payload"):
            for folder in (OUT, CANCELLED, DONE):
                there = {info.name for info in self._storage.listed(folder)}
                for key, items in batches.items():
                    if (name := batch_file_name(key)) in there:
                        drop = partial(without_payload, items=items, is_out=folder == OUT)
                        self._rewrite(f"{folder}/{name}", drop)
            drop = partial(without_rejects, items={item for items in batches.values() for item in items})
            for info in self._storage.listed(REJECTED):
                self._rewrite(f"{REJECTED}/{info.name}", drop)

    def describe(self) -> Mapping[str, str]:
        """Count the objects of every folder, and test that a bucket in use can be written. Nothing is created."""
        in_use = bool(self.identity())
        if in_use:
            self._require_conditions()
        objects = {name: self._storage.listed(name) for name in (OUT, IN, REJECTED, CANCELLED, DONE)}
        counts = {name: str(sum(_is_jsonl(info.name) for info in found)) for name, found in objects.items()}
        found = {
            "bucket": self.where,
            "batches out": counts[OUT],
            "label files": counts[IN],
            "files with rejected lines": counts[REJECTED],
            "batches withdrawn": counts[CANCELLED],
            "batches answered": counts[DONE],
        }
        if not in_use:
            found["state"] = "not in use yet"
        if others := len(_unread(objects[IN])):
            found["objects in in/ that are not read (only *.jsonl is)"] = str(others)
        return found

    def unread_files(self) -> tuple[str, ...]:
        """The names in `in/` with another ending, hidden ones left out."""
        return _unread(self._storage.listed(IN))

    def _fetch(self, listed: ObjectInfo) -> tuple[ObjectInfo, bytes] | None:
        """An object of `in/`; one that several polls read is fetched once."""
        path = f"{IN}/{listed.name}"
        if self._fetched is None or self._fetched[0].name != path or self._fetched[0].stamp != listed.stamp:
            self._fetched = self._storage.read(path, self._caps.file_bytes)
        return self._fetched

    def _rewrite(self, path: str, change: Callable[[bytes], bytes]) -> None:
        found = self._storage.read(path, sys.maxsize)
        if found and found[1] != (new := change(found[1])):
            self._storage.replace(path, new)

    def _require_conditions(self) -> None:
        """Refuse a server that writes an object over another where none may be."""
        probe = f".probe-{uuid4().hex}"
        self._storage.replace(probe, b"probe")
        overwrites = self._storage.create(probe, b"probe")
        self._storage.delete(probe)
        if overwrites:
            raise StratawatchError(
                f"the server of {self.where} overlooks If-None-Match: batches could be overwritten",
                hint="use a server that keeps it, or a queue of another kind",
            )

    def _ended(self, name: str) -> str:
        """The path of a batch that was withdrawn or closed; empty when it was neither."""
        places = (f"{folder}/{name}" for folder in (CANCELLED, DONE))
        return next((path for path in places if self._storage.exists(path)), "")

    def _require_same(self, path: str, batch: Batch) -> None:
        """Refuse a batch whose key is out with other content; one that was closed this moment is the same."""
        found = self._storage.read(path, self._caps.file_bytes)
        if found and digest_in(found[1]) != batch_digest(batch):
            raise StratawatchError(
                f"{path} holds another batch of the same key",
                hint="two installations must not share a queue; give one of them its own [queue] url",
            )

    def _keep(self, rows: Sequence[QuarantinedRow]) -> None:
        for name, group in by_file(rows):
            path = f"{REJECTED}/{name}"
            kept = self._storage.read(path, self._caps.file_bytes)
            content = with_rejects(kept[1] if kept else b"", group)
            if content is not None:
                self._storage.replace(path, content)

    def _keys_in(self, *folders: str) -> frozenset[str]:
        found = (info.name for folder in folders for info in self._storage.listed(folder))
        return frozenset(batch_key_of(name) for name in found if name.endswith(".jsonl"))

    @contextmanager
    def _marked(self, what: str) -> Iterator[None]:
        """Work in the bucket, once its marker is there: an empty place may be a wrong one."""
        if not self.identity():
            raise Unreachable(
                f"the label queue at {self.where} cannot {what}: its marker {MARKER} is not there",
                hint="see that [queue] url is right; after a deliberate move: `stratawatch labels adopt-queue`",
            )
        yield


@dataclass(frozen=True, kw_only=True)
class _ObjectInbox(Inbox[LabelEvent]):
    """The objects of `in/`. Only those are fetched that are new, changed, or not read to their end."""

    fetch: Callable[[ObjectInfo], tuple[ObjectInfo, bytes] | None]
    objects: Mapping[str, ObjectInfo]

    def names(self) -> list[str]:
        return [name for name in self.objects if not name.startswith(".")]

    def _is_read(self, name: str, position: ReadPosition) -> bool:
        info = self.objects[name]
        # The last line of an object may have no line end; it was read when that was noted.
        to_its_end = position.offset == info.size or position.reported.startswith("unfinished ")
        return position.stamp == info.stamp and to_its_end

    def _changed(self, name: str) -> datetime:
        return self.objects[name].changed

    @contextmanager
    def _opened(self, name: str) -> Iterator[OpenedFile]:
        found = self.fetch(self.objects[name])
        if found is None:
            raise FileNotFoundError(name)
        info, content = found
        yield OpenedFile(BytesIO(content), info.size, info.stamp, info.changed)


def _is_jsonl(name: str) -> bool:
    return name.endswith(".jsonl") and not name.startswith(".")


def _unread(objects: Iterable[ObjectInfo]) -> tuple[str, ...]:
    """The names of those that are not read, as they end otherwise."""
    return tuple(sorted(one.name for one in objects if not one.name.endswith(".jsonl") and one.name[:1] != "."))
