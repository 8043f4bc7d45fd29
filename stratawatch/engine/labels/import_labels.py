"""Appends labels that come by hand instead of through the queue, by the same rules."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from stratawatch.engine.labels.collect_labels import Collected, keep_events
from stratawatch.engine.labels.item_keys import keys_of_items
from stratawatch.engine.model.label_events import LabelEvent, LabelValue
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text


@dataclass(frozen=True)
class HandLabel:
    """One statement as a person writes it down."""

    item: str
    value: LabelValue
    annotator: str
    at: datetime | None = None  # when it was said; now, if nobody knows
    question_key: str | None = (
        None  # the question that it answers; that of the panel's newest cycle, if it does not say
    )
    source: str = ""  # with `event_id`: the event that it is, as `labels export` writes both
    event_id: str = ""


def import_labels(
    ports: Ports, panel: str, labels: Iterable[HandLabel], source: str = "import", *, why: str = ""
) -> Collected:
    """Append labels by item id. Importing the same lines again changes nothing.

    A label that does not say which question it answers answers the one of the panel's newest cycle. Labels may be older
    than the draw of their items, such as answers that were there before; none may be in the future. Equal answers
    without a time, such as the first and the last of yes, no, yes, are told apart by their turn. A label with a source
    and an event id of its own, as exported ones have, is that event.
    """
    now = ports.clock.now()
    labels = list(labels)
    keys = _item_keys(ports, panel, labels)
    turns: Counter[HandLabel] = Counter()
    events = []
    for label in labels:
        turns[label] += 1
        turn = 1 if label.at else turns[label]
        is_named = label.source and label.event_id
        identity = (label.source, label.event_id) if is_named else (source, _event_id(panel, label, turn))
        events.append(LabelEvent(*identity, keys[label], label.annotator, label.value, label.at or now))
    return keep_events(ports, events, by_hand=f"{count_text(len(events), 'label')} for {panel}", why=why)


def _item_keys(ports: Ports, panel: str, labels: Sequence[HandLabel]) -> dict[HandLabel, str]:
    """The key of each label's item for the question that the label answers."""
    by_question: dict[str | None, list[HandLabel]] = defaultdict(list)
    for label in labels:
        by_question[label.question_key].append(label)
    keys: dict[HandLabel, str] = {}
    with ports.store.begin() as tx:
        spec = _asked_last(tx, panel)
        for named, answers in by_question.items():
            question = named or tx.panels.question_key(spec)
            found = keys_of_items(tx, spec.items_of, question, [label.item for label in answers])
            keys |= {label: found[label.item] for label in answers}
    return keys


def _asked_last(tx: Transaction, panel: str) -> PanelSpec:
    """What the newest cycle asks: a configuration that was tried and put back has asked nobody anything."""
    newest = tx.cycles.find(panel=panel, newest=1)
    return tx.panels.get(newest[0].panel_version) if newest else tx.panels.latest()[panel]


def _event_id(panel: str, label: HandLabel, turn: int) -> str:
    said = f"{panel}\0{label.item}\0{label.annotator}\0{label.value}\0{label.at.isoformat() if label.at else ''}"
    if turn > 1:  # the first is named as programs did that counted no turns
        said += f"\0{turn}"
    return sha256(said.encode()).hexdigest()
