"""Deterministic keys: what makes every step repeatable."""

from hashlib import sha256

from stratawatch.engine.model.alarm_records import StreamKey


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


def incident_key(key: StreamKey, period: int, revision: int) -> str:
    """What every channel dedupes the page of one stream on; a judgement opens it at most once."""
    segment = key.segment or "all"
    return f"stratawatch:{key.panel}:{key.classifier}:{key.metric}:{segment}:breach:{period}.{revision}"


def blind_key(panel: str, period: int, revision: int) -> str:
    """What every channel dedupes the one message on that tells of all streams a judgement found BLIND."""
    return f"stratawatch:{panel}:blind:{period}.{revision}"
