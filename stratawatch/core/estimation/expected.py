"""What labels that are not there yet are expected to say: sides as a plan foresees them."""

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.sides import Sides
from stratawatch.core.population import Floats


def expected_sides(cells: Cells, rates: Floats, spread: Floats, totals: Floats) -> Sides:
    """Both sides of every classifier with `totals` labels by stratum (leading axes: several plans at once).

    `rates` are the expected shares of positives by cell, `spread` the variance of one label about them. A total's
    variance is sum N_h (1 - f_h)/n_h of N_a spread_a over a stratum's cells of the side; its N_c^2/4 for strata where
    no label falls into the side counts with the chance of that, (1 - N_c/N_h)^n_h.
    """
    sizes = np.maximum(cells.stratum_sizes, 1)
    n = np.asarray(totals, dtype=np.float64)[..., None, None, :]
    left = np.maximum(1 - n / sizes, 0)
    members = np.stack([cells.positive.T, cells.negative.T], axis=1).astype(np.float64)
    of_items, of_positives, of_spread = cells.sizes, cells.sizes * rates, cells.sizes * spread
    by_cell = np.stack([members * each for each in (of_items, of_positives, of_spread)])
    items, positives, spreads = cells.by_stratum(by_cell.reshape(-1, by_cell.shape[-1])).reshape(
        *by_cell.shape[:-1], cells.count
    )
    variance = np.where(n > 0, sizes * left / np.maximum(n, 1e-9) * spreads, 0.0).sum(axis=-1)
    missed = np.where(n > 0, np.maximum(1 - items / sizes, 0.0) ** n, 1.0) * left
    labels, yes = (n * items / sizes).sum(axis=-1), (n * positives / sizes).sum(axis=-1)
    unseen = np.where(n > 0, 0.0, items).sum(axis=-1)
    form = np.stack([variance[..., 0], np.zeros_like(variance[..., 0]), variance[..., 1]], axis=-1)
    shape = labels.shape
    weights = _heaviest(sizes, n, items * left, left)
    return Sides(
        sizes=np.broadcast_to(items.sum(axis=-1), shape),
        totals=np.broadcast_to(positives.sum(axis=-1), shape),
        labels=labels,
        yes=yes,
        weights=weights,
        unseen=unseen,
        raw=form,
        smooth=form,
        unsampled=(missed * items**2 / 4).sum(axis=-1),
        joint_weights=_heaviest(sizes, n[..., 0, :], items.sum(axis=1) * left[..., 0, :], left[..., 0, :]),
        unmet=weights if cells.foretold is None else np.zeros_like(weights),
    )


def _heaviest(sizes: Floats, n: Floats, unlabelled: Floats, left: Floats) -> Floats:
    each = np.where(n > 0, sizes / np.maximum(n, 1), sizes)
    return np.asarray((np.minimum(each, unlabelled) * np.sqrt(left)).max(axis=-1, initial=0.0))
