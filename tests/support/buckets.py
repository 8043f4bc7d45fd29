"""A label queue in a bucket and the people on its other side: in memory, or on moto's server where TEST_LIVE is set."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import obstore
from obstore.store import MemoryStore
from pydantic import SecretStr

from stratawatch.adapters.object_storage import ObjectStorage, connect
from stratawatch.adapters.queues.bucket import BucketQueue
from tests.support import deaths
from tests.support.moto_server import BUCKET, start_moto
from tests.support.queue_backends import torn

SECRET = "hunter2hunter2"
CREDENTIALS = {"access_key_id": SecretStr("AKIAEXAMPLE"), "secret_access_key": SecretStr(SECRET)}


@cache
def server() -> str:
    """The address of this process's server."""
    return start_moto()[0]


def live_storage(prefix: str, address: str | None = None, bucket: str = BUCKET) -> ObjectStorage:
    """A place on a server, this process's unless another is named, reached as the settings would."""
    return connect(
        f"s3://{bucket}/{prefix}",
        "the label queue",
        credentials=CREDENTIALS,
        endpoint=address or server(),
        region="us-east-1",
        timeout=timedelta(seconds=20),
    )


@dataclass
class BucketBackend:
    """An annotator who reads out/ and writes in/."""

    storage: ObjectStorage
    lost: dict[str, bytes] = field(default_factory=dict)

    @property
    def root(self) -> "BucketBackend":
        return self

    @property
    def store(self) -> Any:
        return self.storage._store

    def exists(self) -> bool:
        return bool(self.objects())

    def objects(self) -> dict[str, bytes]:
        """Every object with its content."""
        names = [meta["path"] for chunk in obstore.list(self.store) for meta in chunk]
        return {name: bytes(obstore.get(self.store, name).bytes()) for name in sorted(names)}

    def queue(self) -> BucketQueue:
        queue = self.unmarked()
        if not queue.identity():
            queue.adopt("ours")
        return queue

    def unmarked(self) -> BucketQueue:
        return BucketQueue(self.storage)

    @property
    def port(self) -> int:
        """Of the server."""
        return urlsplit(server()).port

    def by_way_of(self, port: int) -> BucketQueue:
        """The queue, which reaches the server by another port."""
        return BucketQueue(live_storage(self.storage.where.rpartition("/")[2], f"http://127.0.0.1:{port}"))

    def lose(self) -> None:
        """Another place is in its stead: nothing is there."""
        self.lost = self.objects()
        for name in self.lost:
            obstore.delete(self.store, name)

    def find_again(self) -> None:
        """It is back. What was written meanwhile would be found beside it."""
        for name, content in self.lost.items():
            obstore.put(self.store, name, content)

    def kept(self) -> dict[str, bytes]:
        return self.objects()

    def dies(self, work: deaths.Work, moment: int) -> bool:
        """Whether who does this work dies of it. The client has threads, which a fork would lack."""
        names = ("get", "head", "list", "put", "copy", "delete")
        return deaths.broken_off(work, moment, [(obstore, name) for name in names])

    def wait_until_given_again(self) -> None:
        """Nothing that a dead process was given is kept from others."""

    def asked(self) -> list[dict]:
        texts = [content.decode() for name, content in self.objects().items() if name.startswith("out/")]
        return [line for text in texts for line in map(json.loads, text.splitlines()) if "key" in line]

    def answer(self, to: str = "in/ann.jsonl", **said: Any) -> None:
        self.give([said], to)

    def tear(self, share: float, **said: Any) -> Callable[[], object]:
        """Put an object that was half written; returns what puts it whole."""
        line = json.dumps(said).encode()
        obstore.put(self.store, "in/torn.jsonl", torn(line, share))
        return lambda: obstore.put(self.store, "in/torn.jsonl", line + b"\n")

    def give(self, answers: Sequence[dict], to: str = "in/ann.jsonl") -> None:
        """Answer much at once."""
        before = self.objects().get(to, b"")
        obstore.put(self.store, to, before + "".join(json.dumps(said) + "\n" for said in answers).encode())


def bucket_backend(_: object = None) -> BucketBackend:
    """A bucket of its own."""
    if os.environ.get("TEST_LIVE"):
        return BucketBackend(live_storage(uuid4().hex))
    return BucketBackend(ObjectStorage(MemoryStore(), "s3://labels/queue", "the label queue"))
