"""Cut a census into atoms: pattern x score bins, finer where there are more items and more to learn."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.history.model import has_enough_labels
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.planning.expected_rates import prior_rates
from stratawatch.core.population import NO_BIN, Atom, Census, Counts, Floats
from stratawatch.core.stratification.atoms import atoms_of_runs, nonempty_rows

# Share of all items that makes a pattern large.
_LARGE_SHARE: Final = 0.3
# Most atoms of a large pattern, of one with 60 items, of one with 20; a smaller one is a single atom.
_LARGE, _MIDDLE, _SMALL = 24, 8, 3
_MIDDLE_ITEMS, _SMALL_ITEMS = 60, 20
# Weight of the cumulative spread, the rest being that of the count: from scores alone, and from history.
_SPREAD_WEIGHT, _SPREAD_WEIGHT_WITH_HISTORY = 0.5, 0.7


@dataclass(frozen=True)
class _Rows:
    """Census rows that hold items, by (pattern, bin); `kind` numbers their patterns, `row` finds them again."""

    row: Counts
    kind: Counts
    sizes: Floats
    spread: Floats
    scored: Flags
    has_call: Flags
    called_by_any: Flags


def initial_atoms(census: Census, history: History = NO_HISTORY) -> tuple[Atom, ...]:
    """Atoms at equal steps of 1/2 cum N + 1/2 cum N s within each pattern, sorted by (pattern, bin).

    s is the expected standard deviation of a label (Dalenius and Hodges 1959, halfway to equal counts); with history
    it weighs .7. Items of one bin stay together, and those without a score are an atom of their own. A pattern that
    nobody judged is one atom.
    """
    rows = _census_rows(census, history)
    if rows.row.size == 0:
        return ()
    weight = _SPREAD_WEIGHT_WITH_HISTORY if has_enough_labels(history) else _SPREAD_WEIGHT
    step = _steps(rows, _most(rows), weight)
    new = np.r_[True, (np.diff(rows.kind) != 0) | (np.diff(step) != 0)]
    return atoms_of_runs(census, rows.row, np.flatnonzero(new))


def _census_rows(census: Census, history: History) -> _Rows:
    cells = Cells.of_census(census)
    row = nonempty_rows(census)
    kind = np.unique(np.array(census.patterns, dtype=np.str_)[row], return_inverse=True)[1]
    return _Rows(
        row=row,
        kind=kind.astype(np.int64),
        sizes=cells.sizes[row],
        spread=cells.sizes[row] * np.sqrt(prior_rates(cells, history).variance[row]),
        scored=census.bins[row] != NO_BIN,
        has_call=cells.has_call[row],
        called_by_any=cells.called_by_any[row],
    )


def _most(rows: _Rows) -> Counts:
    """The most atoms of every pattern."""
    items = np.bincount(rows.kind, rows.sizes)
    first = np.searchsorted(rows.kind, np.arange(len(items)))
    has_call, called_by_any = rows.has_call[first], rows.called_by_any[first]
    quiet = np.where(has_call & ~called_by_any, items, 0.0)
    large = (items >= _LARGE_SHARE * items.sum()) | ((quiet > 0) & (np.arange(len(items)) == quiet.argmax()))
    most = np.select([~has_call, large, items >= _MIDDLE_ITEMS, items >= _SMALL_ITEMS], [1, _LARGE, _MIDDLE, _SMALL], 1)
    return most.astype(np.int64)


def _steps(rows: _Rows, most: Counts, weight: float) -> Counts:
    """The step that each row lies on: -1 for judged items without a score, which stand apart."""
    apart = rows.has_call & ~rows.scored
    # Equal steps of the cumulated spread N s put equal parts of the variance into every cell (Dalenius and Hodges), but
    # where scores promise no errors they would make one huge cell; equal steps of the count keep all cells small.
    # The mix does a little of both. A row belongs to the step of its middle, so that rows are never divided.
    measure = (1 - weight) * _shares(rows, np.where(apart, 0.0, rows.sizes))
    measure += weight * _shares(rows, np.where(apart, 0.0, rows.spread))
    before = np.cumsum(measure) - measure
    start = before[np.searchsorted(rows.kind, np.arange(len(most)))]
    middle = before - start[rows.kind] + measure / 2
    steps = most[rows.kind]
    return np.where(apart, -1, np.clip((middle * steps).astype(np.int64), 0, steps - 1))


def _shares(rows: _Rows, values: Floats) -> Floats:
    """Values as shares of their pattern's sum."""
    total = np.bincount(rows.kind, values)
    return np.asarray(values / np.maximum(total, 1e-300)[rows.kind], dtype=np.float64)
