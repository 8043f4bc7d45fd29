"""Worlds with known truth, and cycles on them that draw counts instead of items.

Drawing the smallest digests of an atom is simple random sampling without replacement, so a cycle's labels are
hypergeometric counts: the same plan and the same estimator as `Design`, a thousand times faster.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.anticipation import first_rates, second_rates
from stratawatch.core.bins import bins_of
from stratawatch.core.cells import Cells
from stratawatch.core.estimation.estimates import both_sides
from stratawatch.core.estimation.metrics import METRICS
from stratawatch.core.estimation.sides import Moments, moments, sides
from stratawatch.core.estimation.tallies import model_variance, population_tally, segment_tally
from stratawatch.core.planning import Room, allocate, second_phase
from stratawatch.core.population import Atom, Census, Segment
from stratawatch.core.results import Goal, Known, Undefined
from stratawatch.core.strata import cut_atoms

FIRST_SHARE = 0.4


@dataclass(frozen=True)
class World:
    """A frozen design with the truth: positives by atom and segment (atoms x segments)."""

    classifiers: tuple[str, ...]
    atoms: tuple[Atom, ...]
    segments: tuple[Segment, ...]
    sizes: NDArray[np.int64]
    positives: NDArray[np.int64]

    @property
    def cells(self) -> Cells:
        return Cells.of_atoms(self.classifiers, self.atoms)

    def truth(self, metric: str, classifier: int, segment: int | None = None) -> float:
        size = self.sizes.sum(axis=1) if segment is None else self.sizes[:, segment]
        yes = self.positives.sum(axis=1) if segment is None else self.positives[:, segment]
        a, b = self.cells.positive[:, classifier], self.cells.negative[:, classifier]
        if metric == "precision":
            return yes[a].sum() / size[a].sum()
        if metric == "false_omission_rate":
            return yes[b].sum() / size[b].sum()
        return yes[a].sum() / (yes[a].sum() + yes[b].sum())


def world(
    classifiers: Sequence[str],
    patterns: NDArray[np.str_],
    scores: NDArray[np.float64],
    labels: NDArray[np.bool_],
    budget: int,
    segment: NDArray[np.str_] | None = None,
) -> World:
    """Count items into a census, cut it, and count the truth of every atom."""
    segment = np.full(len(labels), "all") if segment is None else segment
    names = np.unique(segment)
    bins = bins_of(scores)
    kinds, kind = np.unique(patterns, return_inverse=True)
    rows, row = np.unique(kind * 2048 + bins, return_inverse=True)
    table = np.zeros((len(rows), len(names), 2), dtype=np.int64)
    np.add.at(table, (row, np.searchsorted(names, segment), labels.astype(int)), 1)
    keys = tuple(Segment("region", str(name)) for name in names)
    census = Census(
        classifiers=tuple(classifiers),
        patterns=tuple(str(kinds[r // 2048]) for r in rows),
        bins=rows % 2048,
        counts=table.sum(axis=(1, 2)),
        segments={key: table[:, i].sum(axis=1) for i, key in enumerate(keys)},
    )
    atoms = cut_atoms(census, budget)
    home = {(atom.pattern, b): i for i, atom in enumerate(atoms) for b in range(atom.first_bin, atom.last_bin + 1)}
    truth = np.zeros((len(atoms), len(names), 2), dtype=np.int64)
    for r, (pattern, b) in enumerate(zip(census.patterns, census.bins.tolist(), strict=True)):
        truth[home[pattern, b]] += table[r]
    return World(tuple(classifiers), atoms, keys, truth.sum(axis=2), truth[:, :, 1])


@dataclass(frozen=True)
class Cycle:
    """Labels of one cycle: answers and yes answers (atoms x segments)."""

    answered: NDArray[np.float64]
    yes: NDArray[np.float64]


def run_cycle(
    world: World, goals: Sequence[Goal], budget: int, rng: np.random.Generator, answering: float = 1.0
) -> Cycle:
    """Two rounds of 40% and 60%, as the engine plans them; a share of the labels may never come."""
    cells = world.cells
    whole = np.where(cells.served, cells.sizes, 0).astype(np.int64)
    left = np.stack([world.sizes - world.positives, world.positives], axis=2)
    none = np.zeros(len(world.atoms), dtype=np.int64)
    first = allocate(cells, goals, first_rates(cells), ceil(FIRST_SHARE * budget), Room(none, whole))
    got = _draw(left, first, rng, answering)
    rates = second_rates(cells, got[:, :, 1].sum(axis=1), got.sum(axis=(1, 2)))
    second = second_phase(cells, goals, rates, budget, Room(first, whole))
    got = got + _draw(left, second - first, rng, answering)
    return Cycle(got.sum(axis=2).astype(float), got[:, :, 1].astype(float))


def _draw(left: NDArray[np.int64], wanted: NDArray[np.int64], rng: np.random.Generator, answering: float) -> NDArray:
    """Draw without replacement from what is `left` (which is reduced); returns the answers that came."""
    got = np.zeros_like(left)
    for atom, number in enumerate(wanted.tolist()):
        pool = left[atom].ravel()
        drawn = rng.multivariate_hypergeometric(pool, number)
        left[atom] -= drawn.reshape(left[atom].shape)
        came = drawn if answering >= 1 else rng.binomial(drawn, answering)
        got[atom] = came.reshape(left[atom].shape)
    return got


Outcomes = list[Known | Undefined]


def outcomes(
    world: World, cycles: Sequence[Cycle], metric: str, classifier: int, segment: int | None = None, confidence=0.95
) -> Outcomes:
    """One metric's outcome in every cycle; one computation for all of them."""
    cells, found = world.cells, METRICS[metric]
    rows = [_moments(world, cells, cycle, segment) for cycle in cycles]
    estimated = sides(rows, confidence)
    width, stride = len(world.classifiers), 2 * len(world.classifiers)
    return [
        found.outcome(estimated[i * stride + classifier], estimated[i * stride + width + classifier], confidence)
        for i in range(len(cycles))
    ]


def _moments(world: World, cells: Cells, cycle: Cycle, segment: int | None) -> Moments:
    answered, yes = cycle.answered.sum(axis=1), cycle.yes.sum(axis=1)
    model = model_variance(cells, answered, yes)
    if segment is None:
        return moments(population_tally(cells, answered, yes, model), both_sides(cells))
    sizes = world.sizes[:, segment].astype(float)
    inside = (sizes, cycle.answered[:, segment], cycle.yes[:, segment])
    return moments(segment_tally(cells, *inside, model, answered), both_sides(cells))


@dataclass(frozen=True)
class Score:
    """How a metric's intervals did: coverage, mean half-width, root mean square error, bias in standard deviations."""

    coverage: float
    half_width: float
    rmse: float
    bias: float
    undefined: float
    below: float  # the whole interval lies below the truth
    above: float


def score(found: Outcomes, truth: float) -> Score:
    known = [outcome for outcome in found if isinstance(outcome, Known)]
    values = np.array([k.value for k in known])
    low, high = np.array([k.low for k in known]), np.array([k.high for k in known])
    covered = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
    return Score(
        coverage=float(covered.mean()),
        half_width=float((high - low).mean() / 2),
        rmse=float(np.sqrt(((values - truth) ** 2).mean())),
        bias=float((values.mean() - truth) / max(values.std(), 1e-12)),
        undefined=1 - len(known) / len(found),
        below=float((high < truth - 1e-12).mean()),
        above=float((low > truth + 1e-12).mean()),
    )
