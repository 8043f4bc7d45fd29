"""Small windows whose labels are drawn by given random numbers, to be counted together."""

from dataclasses import replace

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.pooled_windows import PooledWindows, WindowLabels
from stratawatch.core.estimation.round_weights import weighted_by_rounds
from stratawatch.core.labelled_sample import labelled_sample
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Atom, Candidates, Segment
from stratawatch.core.verdicts import VerdictsByItem

CLASSIFIERS = ("a", "b")
NORTH = Segment("region", "north")


def request(*metrics, segments=(None,)) -> EstimationRequest:
    return EstimationRequest(0.95, metrics or tuple(METRICS), segments)


class Week:
    """A window: its items in atoms, a pattern and a stratum each, and the truth of every item; u draws."""

    def __init__(self, atoms, truth, totals, *, known=True, first=None) -> None:
        """`atoms` are (pattern, stratum, items); `totals` the labels of every stratum; `known`: with prior rates.

        `first`: those of its first round, where there are two that are joined by weights.
        """
        self.totals, self.first, self.truth = totals, totals if first is None else first, truth
        self.items = [item for _, _, items in atoms for item in items]
        self.homes = np.array([home for home, (_, _, items) in enumerate(atoms) for _ in items])
        rate = 0.3 if known else None
        self.atoms = tuple(
            Atom(
                pattern,
                0,
                9,
                len(items),
                0.1 + 0.2 * home,
                {NORTH: sum(item % 2 for item in items)},
                stratum,
                rate,
            )
            for home, (pattern, stratum, items) in enumerate(atoms)
        )
        self.cells = Cells.of_atoms(CLASSIFIERS, self.atoms)

    def labels(self, order, segments=(None,)) -> WindowLabels:
        """What is drawn where `order` lists all items by their random numbers."""
        place = {item: number for number, item in enumerate(order)}
        strata = self.cells.strata[self.homes].tolist()
        drawn: dict[int, int] = {}
        for stratum, (first, total) in enumerate(zip(self.first, self.totals, strict=True)):
            pool = [item for item, home in zip(self.items, strata, strict=True) if home == stratum]
            some = sorted(pool, key=place.__getitem__)[:total]
            drawn |= {item: int(number >= first) for number, item in enumerate(some)}
        names = tuple(map(str, self.items))
        regions = tuple("north" if item % 2 else "south" for item in self.items)
        digests = tuple(f"{place[item]:05}.{item}" for item in self.items)
        pool = Candidates(names, self.homes, digests, {"region": regions})
        said = VerdictsByItem({str(item): "yes" if self.truth[item] else "no" for item in drawn})
        by_round = DrawnItems({str(item): ordinal for item, ordinal in drawn.items()})
        sample = weighted_by_rounds(labelled_sample(pool, self.cells.strata, said, by_round), self.cells, by_round)
        return WindowLabels.of(self.cells, self.atoms, sample, segments)


def drawn_apart(pooled: PooledWindows) -> PooledWindows:
    """The windows as if each had random numbers of its own."""
    named = enumerate(pooled.windows)
    return PooledWindows(
        tuple(replace(one, digests=tuple(f"{week}:{digest}" for digest in one.digests)) for week, one in named)
    )


def random_windows(seed: int, staying: float, number: int) -> PooledWindows:
    """Windows of sixty items, of which this share stays; two strata whose totals change."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(60 * number) < 0.4).astype(int)
    truth[::60], truth[1::60] = 1, 0
    order = rng.permutation(60 * number)
    items, windows = np.arange(60), []
    for week in range(number):
        if week:
            items = np.where(rng.random(60) < staying, items, np.arange(60 * week, 60 * week + 60))
        totals = tuple(rng.integers(8, 25, 2).tolist())
        windows.append(
            Week(
                [("10", 0, items[:20].tolist()), ("11", 0, items[20:30].tolist()), ("00", 1, items[30:].tolist())],
                truth,
                totals,
            ).labels(order.tolist())
        )
    return PooledWindows(tuple(windows))
