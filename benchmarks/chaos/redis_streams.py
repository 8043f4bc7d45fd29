"""Redis, with two streams for each installation, and a labelling tool that reads the one and writes the other."""

import json
import os
from dataclasses import dataclass
from typing import Any

from benchmarks.chaos.places import MessagePlace
from benchmarks.chaos.web_annotators import ServiceAnnotator
from benchmarks.chaos.world import Tick
from tests.support import brokers


def begin_redis() -> None:
    """Start the server, once."""
    os.environ["CHAOS_BROKER"] = brokers.redis_server().url


@dataclass(frozen=True)
class StreamPlace(MessagePlace):
    """The stream of tasks of an installation."""

    run: str

    def messages(self) -> list[dict[str, Any]]:
        entries = brokers.redis_of(os.environ["CHAOS_BROKER"]).xrange(f"{self.run}-tasks")
        return [json.loads(fields[b"body"]) for _, fields in entries]


@dataclass
class StreamAnnotator(ServiceAnnotator):
    """Gives labels as entries of a stream; nobody looks at one before the queue reads it."""

    def _deliver(self, tick: Tick, body: str, expected: int) -> None:
        del tick, expected
        run = self.inbox.parent.parent.name
        brokers.redis_of(os.environ["CHAOS_BROKER"]).xadd(f"{run}-labels", {"body": body})
