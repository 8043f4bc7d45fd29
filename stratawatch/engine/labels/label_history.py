"""What earlier cycles of a panel teach the next one: their labelled draws, as they were known when it was opened."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import numpy as np

from stratawatch.core.history.model_trust import with_variance_ratios
from stratawatch.core.history.past_labels import NO_HISTORY, History, KnownPositives
from stratawatch.core.history.vanished_calls import counted_parts
from stratawatch.core.score_bins import centres
from stratawatch.core.tuning import HISTORY
from stratawatch.engine.labels.labelled_cycle import verdicts_of
from stratawatch.engine.labels.second_votes import is_checked
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction


def label_history(
    tx: Transaction,
    spec: PanelSpec,
    period: int,
    received_by: datetime,
    present: Collection[str] = (),
    *,
    numbers: Mapping[str, float] | None = None,
) -> History:
    """The history of a period, from what was drawn and said up to a moment; `present` are items that may be drawn.

    `numbers` are random numbers of those whose labels count again, where a forecast asks.
    Labels of another question say nothing about this one, so a changed question begins without a history.
    Nothing that happens after that moment changes it, so that every round of a cycle is planned with the same one.
    Plans for goals also read how well each period was foretold.
    """
    periods = {
        cycle.id: ended
        for ended, cycle in _earlier(tx, spec.name, period, received_by).items()
        if period - ended <= HISTORY.max_age and _alike(tx.panels.get(cycle.panel_version), spec)
    }
    if not periods:
        return NO_HISTORY
    past = tx.labels.past_draws(list(periods), received_by, tx.panels.question_key(spec))
    checked = frozenset(draw.item_key for draw in past if is_checked(spec, draw.pattern))
    verdicts = verdicts_of((event for draw in past for event in draw.events), spec.votes, checked=checked)
    labelled = [draw for draw in past if verdicts.get(draw.item_key) in ("yes", "no")]
    drawable = frozenset(present)
    ages = [period - periods[draw.cycle_id] for draw in labelled]
    by_goals = spec.stop_rule == "goals"
    history = History(
        ages=np.array(ages, dtype=np.int64),
        patterns=tuple(draw.pattern for draw in labelled),
        scores=centres([draw.bin for draw in labelled]),
        positive=np.array([verdicts[draw.item_key] == "yes" for draw in labelled], dtype=np.bool_),
        weights=np.array([draw.weight for draw in labelled], dtype=np.float64),
        drawable=np.array([draw.item in drawable for draw in labelled], dtype=np.bool_),
        classifiers=len(spec.classifiers),
        first_use=np.array([draw.first_use for draw in labelled], dtype=np.bool_),
        known=_known_positives(tx, spec.name, list(periods), received_by, drawable),
        numbers=None if numbers is None else np.array([numbers.get(draw.item, np.nan) for draw in labelled]),
        called=_called(tx, spec, {draw.cycle_id: age for draw, age in zip(labelled, ages, strict=True)})
        if by_goals
        else None,
    )
    return with_variance_ratios(history) if by_goals else history


def _earlier(tx: Transaction, panel: str, period: int, moment: datetime) -> dict[int, Cycle]:
    """The cycles before a period, by period; of a window that was run again, the one last drawn from by a moment."""
    found = {cycle.period: cycle for cycle in tx.cycles.find(panel=panel, before=period, newest=HISTORY.max_age)}
    again = {one.window.start for one in tx.cycles.find(panel=panel, replaced=True)}
    for ended, cycle in found.items():
        if cycle.window.start in again:
            runs = (cycle, *reversed(tx.cycles.earlier_runs(cycle)))
            drawn = (run for run in runs if any(one.planned_at <= moment for one in tx.rounds.of(run.id)))
            found[ended] = next(drawn, cycle)
    return found


def _known_positives(
    tx: Transaction, panel: str, cycles: Sequence[int], received_by: datetime, drawable: Collection[str]
) -> KnownPositives | None:
    """What became known by itself of the candidates of earlier cycles: of random ones, so that shares can be told.

    Candidates that can be drawn again count as not known: they would decide how often they are drawn.
    """
    known = tx.truth.known_items(panel, cycles, received_by)
    cells = Counter((one.pattern, one.bin) for one in known if one.value == "yes" and one.item not in drawable)
    if not cells:
        return None
    sizes = tx.truth.candidate_counts(cycles)
    order = sorted(sizes)
    return KnownPositives(
        patterns=tuple(pattern for pattern, _ in order),
        scores=centres([number for _, number in order]),
        items=np.array([sizes[cell] for cell in order], dtype=np.float64),
        positives=np.array([cells[cell] for cell in order], dtype=np.float64),
    )


def _called(tx: Transaction, spec: PanelSpec, ages: Mapping[int, int]) -> Mapping[int, float]:
    """The part of each labelled window's items that some classifier called, by age: counted, whoever answered."""
    items = tx.cycles.items_by_pattern(list(ages))
    return counted_parts({ages[cycle]: by_pattern for cycle, by_pattern in items.items()}, len(spec.classifiers))


def _alike(earlier: PanelSpec, spec: PanelSpec) -> bool:
    """Whether a pattern and a score mean the same in both: a changed cut-off is another classifier."""
    return (earlier.classifiers, earlier.auxiliary) == (spec.classifiers, spec.auxiliary)
