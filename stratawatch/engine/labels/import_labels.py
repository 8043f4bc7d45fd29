"""Appends labels that come by hand instead of through the queue, by the same rules."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from stratawatch.engine.labels.collect_labels import Collected, keep_events
from stratawatch.engine.model.idempotency_keys import item_key
from stratawatch.engine.model.label_events import LabelEvent, LabelValue
from stratawatch.engine.ports import Ports


@dataclass(frozen=True)
class HandLabel:
    """One statement as a person writes it down."""

    item: str
    value: LabelValue
    annotator: str
    at: datetime | None = None  # when it was said; now, if nobody knows


def import_labels(ports: Ports, panel: str, labels: Iterable[HandLabel], source: str = "import") -> Collected:
    """Append labels by item id. Importing the same lines again changes nothing.

    They may be older than the draw of their items, such as answers that were there before; none may be in the future.
    A word that was taken back and given again needs its time to count twice.
    """
    now = ports.clock.now()
    events = [
        LabelEvent(
            source, _event_id(panel, label), item_key(panel, label.item), label.annotator, label.value, label.at or now
        )
        for label in labels
    ]
    return keep_events(ports, events, by_hand=True)


def _event_id(panel: str, label: HandLabel) -> str:
    said = f"{panel}\0{label.item}\0{label.annotator}\0{label.value}\0{label.at.isoformat() if label.at else ''}"
    return sha256(said.encode()).hexdigest()
