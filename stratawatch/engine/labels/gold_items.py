"""Gold items of a panel: which of them a round asks for, what people said of them, and how they are brought in.

Towards the queue a gold item is one like any other: it has a key of the same form, the same columns of payload, and a
place in the shuffled order. Its answers enter no estimate of the labels; they say how often labels err.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from stratawatch.core.verdicts import Verdict, Vote, resolve_votes
from stratawatch.engine.audit import note_action
from stratawatch.engine.model.annotator_names import first_spellings
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.gold import GoldAsk, GoldCounts, GoldItem
from stratawatch.engine.model.idempotency_keys import gold_key
from stratawatch.engine.model.label_events import LabelEvent, LabelTask
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text


@dataclass(frozen=True)
class GoldOfRound:
    """The gold items that a round asks for: their keys, and what labellers are shown."""

    asks: tuple[GoldAsk, ...] = ()
    tasks: tuple[LabelTask, ...] = ()


def gold_of_round(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, ordinal: int, asked: int, drawn: Collection[str], runs: int = 0
) -> GoldOfRound:
    """So many gold items for a round that asks about `asked` others as the panel's share says.

    Those that were asked for least often come first, in an order of the panel's seed. One that is drawn in the cycle
    is left out, as people would meet it twice, and so is one that lacks a column which others show.
    """
    number = round(asked * (spec.gold_share or 0))
    if not number:
        return GoldOfRound()
    question = tx.panels.question_key(spec)
    times = tx.gold.times_asked(spec.name, question)
    shown = {*spec.columns.payload}
    items = [one for one in tx.gold.items(spec.name, question) if one.item not in drawn and shown <= {*one.payload}]
    items.sort(key=lambda one: (times.get(one.item, 0), _turn(spec.seed, one.item)))
    place = f"{cycle.period}.{runs}.{ordinal}"
    chosen = [(one, gold_key(spec.items_of, one.item, question, place)) for one in items[:number]]
    return GoldOfRound(
        tuple(GoldAsk(one.item, key, one.truth) for one, key in chosen),
        tuple(LabelTask(key, {name: one.payload[name] for name in spec.columns.payload}) for one, key in chosen),
    )


def _turn(seed: str, item: str) -> str:
    return sha256(f"{seed}\0gold\0{item}".encode("utf-8", "surrogatepass")).hexdigest()


def gold_counts(tx: Transaction, spec: PanelSpec, cycle: Cycle) -> GoldCounts:
    """What people made of the gold items of a cycle and of the ones before it, as far as answers are still valid.

    An item of several votes counts by its verdict, as items that are drawn do: what errs is the verdict.
    """
    asks, events = _answers(tx, spec, cycle)
    said: dict[str, list[Vote]] = defaultdict(list)
    for order, event in enumerate(events):
        said[event.item_key].append(Vote(event.person, event.value, order))
    found = GoldCounts()
    for ask in asks:
        found = found.with_verdict(ask.truth, resolve_votes(said[ask.item_key], spec.votes))
    return found


def gold_of_annotators(tx: Transaction, spec: PanelSpec, cycle: Cycle) -> Mapping[str, GoldCounts]:
    """The same for each annotator alone: what he made of the gold items that he answered."""
    asks, events = _answers(tx, spec, cycle)
    truths = {ask.item_key: ask.truth for ask in asks}
    said: dict[str, dict[str, list[Vote]]] = defaultdict(lambda: defaultdict(list))
    written = first_spellings(event.annotator for event in events)
    for order, event in enumerate(events):
        said[written[event.annotator]][event.item_key].append(Vote(event.person, event.value, order))
    found: dict[str, GoldCounts] = {}
    for annotator, votes in sorted(said.items()):
        counts = GoldCounts()
        for key, own in votes.items():
            verdict: Verdict | None = resolve_votes(own, 1)
            if verdict is not None:
                counts = counts.with_verdict(truths[key], verdict)
        if counts.asked:
            found[annotator] = counts
    return found


def _answers(tx: Transaction, spec: PanelSpec, cycle: Cycle) -> tuple[Sequence[GoldAsk], list[LabelEvent]]:
    question = tx.panels.question_key(spec)
    asks = tx.gold.asked(spec.name, question, cycle.window.end)
    oldest = cycle.opened_at - spec.label_validity
    events = tx.labels.of_items([ask.item_key for ask in asks], question) if asks else ()
    return asks, [event for event in events if event.at >= oldest]


def answered_gold(tx: Transaction, spec: PanelSpec, round_id: int) -> frozenset[str]:
    """The keys of a round's gold items that somebody answered."""
    keys = tx.gold.keys_of_round(round_id) if spec.gold_share else frozenset[str]()
    if not keys:
        return frozenset()
    return frozenset(event.item_key for event in tx.labels.of_items(sorted(keys), tx.panels.question_key(spec)))


@dataclass(frozen=True)
class KeptGold:
    """What became of a file of gold items: how many were new or changed, taken out, and how many there are now."""

    changed: int
    removed: int
    by_truth: Mapping[str, int]


def keep_gold(ports: Ports, spec: PanelSpec, items: Sequence[GoldItem], removed: Sequence[str], why: str) -> KeptGold:
    """Keep gold items of the question that a panel asks now, and let others be gold no more; twice changes nothing."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        question = tx.panels.question_key(spec)
        changed = tx.gold.keep(spec.name, question, items, now)
        gone = tx.gold.remove(spec.name, question, removed)
        if changed or gone:
            what = f"{count_text(changed, 'gold item')} kept and {gone:,} removed for {spec.name}"
            note_action(tx, ports, "gold items", what, why)
            tx.commit()
        by_truth = Counter(one.truth for one in tx.gold.items(spec.name, question))
    return KeptGold(changed, gone, {truth: by_truth[truth] for truth in ("yes", "no")})
