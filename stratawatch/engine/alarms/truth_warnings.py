"""Warns where truth that came by itself proves a limit broken, before any label does and whatever was drawn.

It opens no incident and changes no state: those are made from random draws alone.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.known_bounds import KnownBound, known_bound
from stratawatch.core.goals import Limit
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import NEGATIVE, NO_BIN, POSITIVE, UNSCORED
from stratawatch.engine.alarms.alarm_streams import watched_streams, why_unheeded
from stratawatch.engine.alarms.notifications import warn_of_cycle
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.model.truth import KnownItem, TruthWarning
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text, percent

EXAMINED: Final = "truth examined"
"""The cursor of truth: by panel, the newest statement and the newest cycle that were looked at together."""
CYCLES: Final = 30
"""How many windows back statements are looked at."""
_COUNTED: Final = tuple(
    state for state in CycleState if state not in (CycleState.OPEN, CycleState.REFUSED, CycleState.CANCELLED)
)


def warn_of_truth(tx: Transaction, ports: Ports, panels: Sequence[str]) -> int:
    """Look at new truth of these panels, and warn once for each stream and window; returns how many warnings."""
    examined, now = tx.labels.cursor(EXAMINED), ports.clock.now()
    marks, warned = dict(examined), 0
    for panel in panels:
        cycles = tx.cycles.find(panel=panel, states=_COUNTED, newest=CYCLES)
        mark = [tx.truth.newest(panel), max((cycle.id for cycle in cycles), default=0)]
        if panel in ports.paused.panels or not mark[0] or examined.get(panel) == mark:
            continue
        found = [warning for cycle in cycles for warning in _broken(tx, ports, cycle)]
        for warning in tx.truth.add_warnings(found):
            cycle = next(one for one in cycles if one.id == warning.cycle_id)
            _tell(tx, ports, cycle, warning)
            warned += 1
        marks[panel] = mark
    if marks != examined:
        tx.labels.save_cursor(EXAMINED, marks, now)
    return warned


def _tell(tx: Transaction, ports: Ports, cycle: Cycle, warning: TruthWarning) -> None:
    where = f" in {warning.segment}" if warning.segment else ""
    body = [
        warning.sentence,
        "This holds if those statements are right. It is a count and no estimate; no state changes by it.",
        f"window {cycle.window}, cycle {cycle.id}",
    ]
    metric = metric_named(warning.metric).title
    about = f"truth:{warning.classifier}:{warning.metric}:{warning.segment or ''}"
    subject = f"TRUTH: {metric} of {warning.classifier}{where} ({cycle.panel})"
    warn_of_cycle(tx, ports, cycle, about, subject, "\n".join(body))


def _broken(tx: Transaction, ports: Ports, cycle: Cycle) -> list[TruthWarning]:
    """The streams of a cycle whose limit is broken by what is known."""
    spec, now = tx.panels.get(cycle.panel_version), ports.clock.now()
    names = [classifier.name for classifier in spec.classifiers]
    known = _known(tx, spec, cycle, names, now)
    atoms = tx.cycles.atoms(cycle.id) if known else ()
    found = []
    for key, limit in watched_streams(spec).items():
        here = [one for one in known if limit.segment is None or _is_in(one, limit)]
        if not here or ports.paused.cover(key) or why_unheeded(ports, key):
            continue
        sizes: Counter[str] = Counter()
        for atom in atoms:
            sizes[atom.pattern] += atom.size if limit.segment is None else atom.segments.get(limit.segment, 0)
        said = {word: Counter(one.pattern for one in here if one.value == word) for word in ("yes", "no")}
        place = names.index(key.classifier)
        bound = known_bound(key.metric, place, sizes, said["yes"], said["no"])
        if bound is not None and bound.breaks(limit):
            sentence = _sentence(bound, limit, _sources(here, bound, place))
            found.append(TruthWarning(cycle.panel, cycle.id, key.classifier, key.metric, key.segment, sentence, now))
    return found


def _known(tx: Transaction, spec: PanelSpec, cycle: Cycle, names: Sequence[str], now: datetime) -> list[KnownItem]:
    """The items of a window whose truth is known: its candidates, and others that say how they were called in it."""
    known = {one.item: one for one in tx.truth.known_items(spec.name, [cycle.id], now)}
    for said in tx.truth.described(spec.name, cycle.window):
        letters = {True: POSITIVE, False: NEGATIVE, None: UNSCORED}
        pattern = "".join(letters[said.calls.get(name)] for name in names)
        if said.item not in known:
            known[said.item] = KnownItem(cycle.id, said.item, said.value, said.source, pattern, NO_BIN, {})
    return list(known.values())


def _is_in(one: KnownItem, limit: Limit) -> bool:
    return limit.segment is not None and one.segments.get(limit.segment.column) == limit.segment.value


def _sources(here: Sequence[KnownItem], bound: KnownBound, place: int) -> str:
    """The sources of the truth, those with most statements first."""
    value, letter = ("no", POSITIVE) if bound.is_most else ("yes", NEGATIVE)
    counts = Counter(one.source for one in here if one.value == value and one.pattern[place] == letter)
    return ", ".join(f"{source} {number:,}" for source, number in counts.most_common())


def _sentence(bound: KnownBound, limit: Limit, sources: str) -> str:
    end = limit.floor if bound.is_most else limit.ceiling
    side, called = ("floor", "positive") if bound.is_most else ("ceiling", "negative")
    wrong = "negative" if bound.is_most else "positive"
    return (
        f"{metric_named(bound.metric).title} is {bound.text}, beyond its {side} of {percent(end or 0.0)}: "
        f"{count_text(bound.known, 'item')} of {bound.items:,} called {called} are known to be {wrong} ({sources})"
    )
