"""One cycle of the product on one period: census, strata, pools, rounds, estimates; items are rows of arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.labels.worlds import Flags, Floats, Integers, Items
from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.estimate import Estimate
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.plan import Plan
from stratawatch.core.planning.context import borrowed_priors
from stratawatch.core.planning.round_sizes import most_rounds
from stratawatch.core.population import Atom, Candidates, Census
from stratawatch.core.score_bins import BIN_COUNT, centres
from stratawatch.core.stratification.stratify import stratify
from stratawatch.core.verdicts import Verdict, VerdictsByItem
from stratawatch.engine.model.survey_of_panel import survey_for_pools


@dataclass(frozen=True)
class Period:
    """A period's items as the product sees them: a census, and the row of it that every item belongs to."""

    classifiers: tuple[str, ...]
    items: Items

    @cached_property
    def _keys(self) -> tuple[Integers, Integers, Integers]:
        keys = self.items.patterns * BIN_COUNT + self.items.bins
        found, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
        return found, inverse, counts

    @cached_property
    def census(self) -> Census:
        """Counts per (pattern, bin)."""
        keys, _, counts = self._keys
        width = len(self.classifiers)
        patterns = tuple(format(key, f"0{width}b") for key in (keys // BIN_COUNT).tolist())
        return Census(self.classifiers, patterns, keys % BIN_COUNT, counts.astype(np.int64))

    def atoms_of_items(self, atoms: tuple[Atom, ...]) -> Integers:
        """The atom of every item: atoms are sorted, and each begins at its first bin."""
        starts = np.array([int(atom.pattern, 2) * BIN_COUNT + atom.first_bin for atom in atoms], dtype=np.int64)
        keys, inverse, _ = self._keys
        homes = np.searchsorted(starts, keys, side="right") - 1
        return np.asarray(homes[inverse], dtype=np.int64)

    def truth_of(self, metric: str) -> Mapping[str, float]:
        """The true value of precision or recall for every classifier."""
        calls, truth = self.items.calls, self.items.truth
        found = calls[truth].sum(axis=0)
        domain = calls.sum(axis=0) if metric == "precision" else np.full(calls.shape[1], truth.sum())
        return dict(zip(self.classifiers, (found / domain).tolist(), strict=True))


@dataclass(frozen=True)
class Cycle:
    """What a cycle came to. `drawn` are rows of items, `weights` the items that each stands for.

    `rounds` are the items that each plan added, by id, which is the row in words; `ledger` has the verdicts of all
    that were drawn, and of the candidates whose label was known before.
    """

    design: FrozenDesign
    ledger: VerdictsByItem
    rounds: tuple[frozenset[str], ...]
    drawn: Integers
    weights: Floats
    labels_new: int
    estimates: tuple[Estimate, ...]
    plans: tuple[Plan, ...]


def run_cycle(
    period: Period,
    survey: SurveySpec,
    u: Floats,
    *,
    history: History = NO_HISTORY,
    known: Flags | None = None,
    metrics: tuple[str, ...] = ("precision", "recall"),
    rounds: int | None = None,
) -> Cycle:
    """Draw by the permanent random numbers `u`, ask, estimate; `known` labels are free.

    `rounds` is the most that may be asked in; None is as many as the product asks in.
    """
    atoms = stratify(period.census, survey, history)
    homes = period.atoms_of_items(atoms)
    strata = np.array([atom.stratum for atom in atoms], dtype=np.int64)
    rows = _pools(strata[homes], u, pool_sizes(atoms, period.classifiers, survey_for_pools(survey, history), history))
    items = tuple(map(str, rows.tolist()))
    digests = tuple(format(number, "016x") for number in (u[rows] * 2.0**52).astype(np.int64).tolist())
    priors = borrowed_priors(survey, history, period.classifiers)
    design = FrozenDesign(period.classifiers, atoms, Candidates(items, homes[rows], digests), survey, priors)
    says = _says(period.items.truth[rows], items)
    free = {item for item, row in zip(items, rows, strict=True) if known[row]} if known is not None else set()
    drawn, plans = _rounds(design, survey, history, says, free, rounds or most_rounds(survey))
    everything = DrawnItems.of_rounds(drawn)
    ledger = VerdictsByItem({item: says[item] for item in free | everything})
    chosen = np.array(sorted(map(int, everything)), dtype=np.int64)
    shares = np.array(design.inclusion(plans[-1]))
    return Cycle(
        design=design,
        ledger=ledger,
        rounds=drawn,
        drawn=chosen,
        weights=1 / shares[strata[homes[chosen]]],
        labels_new=len(everything - free),
        estimates=design.estimate(ledger, everything, confidence=survey.confidence, metrics=metrics),
        plans=tuple(plans),
    )


def past(period: Period, cycle: Cycle) -> History:
    """The labels of a cycle as the history of the next period."""
    rows = cycle.drawn
    width = len(period.classifiers)
    return History(
        ages=np.ones(len(rows), dtype=np.int64),
        patterns=tuple(format(code, f"0{width}b") for code in period.items.patterns[rows].tolist()),
        scores=centres(period.items.bins[rows]),
        positive=period.items.truth[rows],
        weights=cycle.weights,
        drawable=np.zeros(len(rows), dtype=np.bool_),
        called={1: float(period.items.calls.any(axis=1).mean())},
    )


def _rounds(
    design: FrozenDesign,
    survey: SurveySpec,
    history: History,
    says: Mapping[str, Verdict],
    free: set[str],
    most: int,
) -> tuple[tuple[frozenset[str], ...], list[Plan]]:
    """What each round adds, until one adds nothing, and the plans."""
    drawn = frozenset[str]()
    rounds: list[frozenset[str]] = []
    plans: list[Plan] = []
    for ordinal in range(1, most + 1):
        ledger = VerdictsByItem({item: says[item] for item in free | drawn})
        plan = design.plan(survey, ledger, drawn, ordinal=ordinal, history=history, reused=drawn & free)
        asked = frozenset(design.candidates.items[row] for row in design.draw(plan))
        if plans and asked == drawn:
            break
        plans.append(plan)
        rounds.append(asked - drawn)
        drawn = asked
    return tuple(rounds), plans


def _says(truth: Flags, items: tuple[str, ...]) -> dict[str, Verdict]:
    return {item: "yes" if yes else "no" for item, yes in zip(items, truth.tolist(), strict=True)}


def _pools(strata: Integers, u: Floats, wanted: tuple[int, ...]) -> Integers:
    """Rows of the `wanted[h]` items with the smallest u of every stratum h."""
    sizes, pools = np.bincount(strata, minlength=len(wanted)), np.array(wanted, dtype=np.int64)
    # Only items with small numbers are sorted; the margin of six deviations is checked.
    ceilings = np.where(pools < sizes, (pools + 6 * np.sqrt(pools) + 10) / np.maximum(sizes, 1), 1.0)
    rows = np.flatnonzero((u < ceilings[strata]) & (pools[strata] > 0))
    if (np.bincount(strata[rows], minlength=len(wanted)) < pools).any():
        rows = np.arange(len(strata))
    rows = rows[np.lexsort((u[rows], strata[rows]))]
    place = np.arange(len(rows)) - np.searchsorted(strata[rows], strata[rows])
    return np.asarray(rows[place < pools[strata[rows]]], dtype=np.int64)
