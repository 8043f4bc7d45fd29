"""Cut a census into atoms: pattern x score strata that the budget can serve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.anticipation import DEFAULT_GOALS, first_rates, importance
from stratawatch.core.cells import Cells
from stratawatch.core.planning import LEAST, floor_share
from stratawatch.core.population import NO_BIN, POSITIVE, Atom, Census, Counts, Floats
from stratawatch.core.rounds import cumulative_labels
from stratawatch.errors import PlanImpossible

_ALONE: Final = 6
_LARGEST_NEGATIVE: Final = 8
_LARGE_POSITIVE: Final = 6
_OTHERS: Final = 3
_LARGE_SHARE: Final = 0.25
"""Share of all items called positive that makes a pattern large."""
_LABELS_A_STRATUM: Final = 15
_LABELS_A_SMALL_STRATUM: Final = 5
_ITEMS_A_STRATUM: Final = 10


@dataclass(frozen=True)
class _Pattern:
    """The census rows of one pattern: those with a bin, and the one without."""

    name: str
    scored: Counts
    unscored: Counts
    size: int
    served: bool


def cut_atoms(census: Census, budget: int) -> tuple[Atom, ...]:
    """Atoms of a census for a budget: unions of bins within a pattern, sorted by (pattern, bin).

    Strata end at equal steps of 1/2 cumulative count + 1/2 cumulative N sqrt(p0 (1 - p0)), p0 the bin's centre
    (Dalenius and Hodges 1959, halfway to equal counts). Items in one bin stay together, and items without a score
    are a stratum of their own. A budget that cannot serve the strata gets fewer of them.
    """
    cells = Cells.of_census(census)
    patterns = _patterns(census, cells)
    labels = _expected_labels(cells, budget)
    strata = _most_strata(patterns, len(census.classifiers))
    strata = {p.name: _filled(p, strata[p.name], float(labels[p.scored].sum())) for p in patterns}
    apart = _check_budget(patterns, budget)
    strata = _thinned(patterns, strata, labels, budget)
    atoms = []
    for pattern in patterns:
        groups = [pattern.unscored] if apart else []
        rows = pattern.scored if apart else np.concatenate([pattern.unscored, pattern.scored])
        groups += _cut(rows, cells, strata[pattern.name])
        atoms += [_atom(census, cells, pattern.name, group) for group in groups if group.size]
    return tuple(atoms)


def _patterns(census: Census, cells: Cells) -> list[_Pattern]:
    names, counts = np.array(census.patterns), census.counts
    found = []
    for name in sorted(set(census.patterns)):
        rows = np.flatnonzero((names == name) & (counts > 0))
        if rows.size:
            rows = rows[np.argsort(census.bins[rows])]
            no_bin = census.bins[rows] == NO_BIN
            size, served = int(counts[rows].sum()), bool(cells.served[rows[0]])
            found.append(_Pattern(name, rows[~no_bin], rows[no_bin], size, served))
    return found


def _expected_labels(cells: Cells, budget: int) -> Floats:
    """Roughly the labels each fine cell would get from goals for everyone."""
    rates = first_rates(cells)
    worth = cells.sizes * np.sqrt(importance(cells, DEFAULT_GOALS, rates) * rates.floored * (1 - rates.floored))
    served = np.where(cells.served, cells.sizes, 0.0)
    least = floor_share(budget) * served / max(float(served.sum()), 1.0)
    return np.asarray(budget * np.maximum(worth / max(float(worth.sum()), 1e-300), least), dtype=np.float64)


def _most_strata(patterns: Sequence[_Pattern], classifiers: int) -> dict[str, int]:
    called = sum(pattern.size for pattern in patterns if POSITIVE in pattern.name)
    quiet = [pattern for pattern in patterns if pattern.served and POSITIVE not in pattern.name]
    largest = max(quiet, key=lambda pattern: pattern.size, default=None)
    most = {}
    for pattern in patterns:
        if not pattern.served:
            most[pattern.name] = 1
        elif classifiers == 1:
            most[pattern.name] = _ALONE
        elif pattern is largest:
            most[pattern.name] = _LARGEST_NEGATIVE
        else:
            large = POSITIVE in pattern.name and pattern.size >= _LARGE_SHARE * called
            most[pattern.name] = _LARGE_POSITIVE if large else _OTHERS
    return most


def _filled(pattern: _Pattern, most: int, labels: float) -> int:
    """No more strata than there are labels and items to fill them."""
    each = _LABELS_A_STRATUM if most > _OTHERS else _LABELS_A_SMALL_STRATUM
    return max(1, min(most, int(labels // each), pattern.size // _ITEMS_A_STRATUM))


def _check_budget(patterns: Sequence[_Pattern], budget: int) -> bool:
    """Whether items without a score can be strata of their own; raises when not even patterns can be served."""
    served = [pattern for pattern in patterns if pattern.served]
    fewest = sum(min(LEAST, pattern.size) for pattern in served)
    if fewest > budget:
        raise PlanImpossible(
            f"a budget of {budget} labels cannot serve {len(served)} patterns of calls",
            expected=f"at least {fewest} labels, {LEAST} for each pattern",
            hint="raise the budget, or split the panel",
        )
    groups = [rows for pattern in served for rows in (pattern.scored, pattern.unscored) if rows.size]
    return LEAST * len(groups) <= budget


def _thinned(patterns: Sequence[_Pattern], strata: Mapping[str, int], labels: Floats, budget: int) -> dict[str, int]:
    """Fewer strata, the poorest in labels first, until the first round can give every atom its least."""
    thinned = dict(strata)
    worth = {pattern.name: float(labels[pattern.scored].sum()) for pattern in patterns}
    served = [pattern for pattern in patterns if pattern.served]
    extra = sum(1 for pattern in served if pattern.scored.size and pattern.unscored.size)
    first_round = cumulative_labels(budget)[0]
    while LEAST * (sum(thinned[p.name] for p in served) + extra) > first_round:
        several = [pattern.name for pattern in served if thinned[pattern.name] > 1]
        if not several:
            break
        thinned[min(several, key=lambda name: worth[name] / thinned[name])] -= 1
    return thinned


def _cut(rows: Counts, cells: Cells, strata: int) -> list[Counts]:
    """Groups of rows (in order of their bins) at equal steps of the two cumulated measures."""
    if rows.size == 0:
        return []
    sizes, scores = cells.sizes[rows], cells.filled_scores[rows]
    spread = sizes * np.sqrt(scores * (1 - scores))
    measure = 0.5 * sizes / sizes.sum() + 0.5 * spread / spread.sum()
    middle = np.cumsum(measure) - measure / 2
    step = np.minimum((middle * strata).astype(np.int64), strata - 1)
    return [rows[step == number] for number in np.unique(step)]


def _atom(census: Census, cells: Cells, pattern: str, rows: Counts) -> Atom:
    sizes, scores = cells.sizes[rows], cells.scores[rows]
    scored = ~np.isnan(scores)
    mean = float(sizes[scored] @ scores[scored] / sizes[scored].sum()) if scored.any() else None
    inside = {segment: int(counts[rows].sum()) for segment, counts in census.segments.items()}
    return Atom(
        pattern=pattern,
        first_bin=int(census.bins[rows].min()),
        last_bin=int(census.bins[rows].max()),
        size=int(census.counts[rows].sum()),
        mean_score=mean,
        segments={segment: size for segment, size in inside.items() if size},
    )
