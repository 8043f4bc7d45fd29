"""The ports of one installation, handed to every use case."""

from collections.abc import Mapping
from dataclasses import dataclass

from stratawatch.engine.ports import AlertChannel, Clock, LabelQueue, PredictionCheck, PredictionSource, Store


@dataclass(frozen=True)
class Ports:
    """Everything a use case may touch. `sources` is by panel, `channels` by name."""

    store: Store
    clock: Clock
    sources: Mapping[str, PredictionSource]
    check: PredictionCheck
    queue: LabelQueue
    channels: Mapping[str, AlertChannel]
