"""Deterministic keys: what makes every step repeatable."""

from hashlib import sha256

from stratawatch.core.results import AlarmState
from stratawatch.engine.records import StreamKey


def item_key(panel: str, item: str) -> str:
    """The name of an item towards the queue: opaque, of fixed length, the same in every cycle of the panel."""
    return sha256(f"{panel}\0{item}".encode()).hexdigest()


def batch_key(panel: str, period: int, ordinal: int, part: int) -> str:
    """The name of a batch towards the queue.

    >>> batch_key("spam", 12, 1, 2)
    'spam-p00012-r1-b2'
    """
    return f"{panel}-p{period:05d}-r{ordinal}-b{part}"


def shuffle_key(seed: str, period: int, ordinal: int, key: str) -> str:
    """Orders the items of a round so that neither stratum nor random number can be guessed from their order."""
    return sha256(f"{seed}\0order\0{period}\0{ordinal}\0{key}".encode()).hexdigest()


def incident_key(key: StreamKey, kind: AlarmState, period: int) -> str:
    """What every channel dedupes an incident on."""
    segment = key.segment or "all"
    return f"stratawatch:{key.panel}:{key.classifier}:{key.metric}:{segment}:{kind.value.lower()}:{period}"
