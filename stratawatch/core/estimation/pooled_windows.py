"""Several windows together: a metric of their summed totals, where a label in several windows is one random thing.

T = sum_t T_t; an item counts in each window that it is in, and a window without positives is no gap. Its variance is
sum_t V_t + 2 sum_{t<u} C_tu: V_t as the windows alone have it, C_tu item by item. Random numbers are permanent, so an
item is in both draws with probability min(pi_t, pi_u), whatever strata it is in, and the Horvitz-Thompson estimate is

    C_tu = sum over items labelled in both of (1/min(pi_t, pi_u)) (1/max(pi_t, pi_u) - 1) e_t e_u / d

(Ohlsson 1995, Coordination of samples using permanent random numbers), e a label less its predicted rate, less the mean
of that in its stratum. Those means take d = 1 - 1/n - 1/n' + m/(n n') of a product, for n labels of the item's stratum
in the one window, n' in the other and m that are in both. Of a window with itself C is the raw variance. An item is
known by its digest: where numbers are by window, or the seed is another, no window draws by those of another, and C is
0.

Where a window joins its rounds by weights (`core.estimation.round_weights`), an item adds g_t(u) e to T_t: g_t is what
a label of its stratum stands for, a step for each round as u grows (the first round has the smallest u), and 0 from
pi_t on; its integral is 1. An item in both windows then adds e_t e_u (I - 1), I the integral of g_t g_u, which is
1/max(pi_t, pi_u) where no labels are weighted. The sum over all items is estimated by the labels that are in both, each
for as many items as it stands for in the window of the smaller pi, which decides whether it is:

    C_tu = sum over items labelled in both of g (I - 1) e_t e_u / d.

The means are weighted; n, n' and m are sums of weights. Of a window with itself C is its raw variance again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.difference_estimator import LEAST_FREEDOM, DifferenceEstimator
from stratawatch.core.estimation.metric_estimates import EstimationRequest, estimates_of_sides, item_subsets
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.labelled_sample import LabelledItems, LabelledSample
from stratawatch.core.metrics import A, B
from stratawatch.core.population import Atom, Counts, Floats, Segment

_SUMMED: Final = (
    "sizes",
    "totals",
    "labels",
    "yes",
    "unlabelled_strata",
    "variance",
    "smoothed_variance",
    "unsampled_variance",
)
"""What is added up over windows."""
_VARIANCES: Final = ("variance", "smoothed_variance")


@dataclass(frozen=True)
class WindowLabels:
    """What a window's labels say about both sides of every stream (segments x classifiers), and the labels by item.

    A row a label: its item's random number (`digests`), the `strata`, the labelled share of these (`inclusion`), e of
    the module's formula (`errors`, labels x segments x classifiers x sides), what a label counts (`weights`) and the
    items that it stands for (`items`). `steps` are g of its stratum: where each step ends, and its height (labels x
    steps); None where all labels count 1.
    """

    sides: SideEstimates
    digests: tuple[str, ...]
    strata: Counts
    inclusion: Floats
    errors: Floats
    weights: Floats
    items: Floats
    steps: tuple[Floats, Floats] | None = None

    @classmethod
    def of(
        cls, cells: Cells, atoms: Sequence[Atom], sample: LabelledSample, segments: Sequence[Segment | None]
    ) -> "WindowLabels":
        """Read the labels of a sample that was made of items; the segment None stands for everything."""
        labels = sample.items
        if labels is None:
            raise ValueError("labels without their items cannot be found again in other windows")
        evidence = DifferenceEstimator.of(cells, sample.everywhere)
        rows = labels.candidates.atoms[labels.rows]
        strata = evidence.strata.stratum_of_cell[rows]
        members = np.stack([cells.positive, cells.negative], axis=-1)[rows]
        inside = [_inside(labels, segment) for segment in segments]
        errors = (labels.positive - evidence.folds[labels.folds, rows])[:, None] * np.stack(inside, axis=-1)
        digests = tuple(labels.candidates.digests[row] for row in labels.rows.tolist())
        weights = np.ones(len(rows)) if labels.weights is None else labels.weights
        items, steps = evidence.strata.expansions[strata] * weights, None
        inclusion = 1 / np.maximum(items, 1)
        if labels.weights is not None:
            of_stratum = np.bincount(strata, minlength=len(evidence.strata.sizes)) / np.maximum(
                evidence.strata.sizes, 1
            )
            inclusion, steps = of_stratum[strata], _steps(digests, strata, items, evidence.strata.sizes)
        return cls(
            sides=evidence.sides(item_subsets(evidence, atoms, sample, segments)),
            digests=digests,
            strata=strata,
            inclusion=inclusion,
            errors=_about_means(errors[:, :, None, None] * members[:, None], strata, weights),
            weights=weights,
            items=items,
            steps=steps,
        )

    @property
    def is_gap(self) -> bool:
        """Whether it has no label at all: it would enter as half positive, give or take everything."""
        return not self.digests

    def arranged(self, segments: Sequence[int | None], classifiers: Sequence[int | None]) -> "WindowLabels":
        """The streams at these places; of a segment or classifier that the window does not know (None) it has no items.

        At least one of either is known.
        """

        def chosen(values: Floats, axis: int) -> Floats:
            return _chosen(_chosen(values, axis, segments), axis + 1, classifiers)

        sides = SideEstimates(**{one.name: chosen(getattr(self.sides, one.name), 0) for one in fields(self.sides)})
        return replace(self, sides=sides, errors=chosen(self.errors, 1))


@dataclass(frozen=True)
class PooledWindows:
    """Windows of the same streams, oldest first."""

    windows: tuple[WindowLabels, ...]

    def estimates(self, places: range, classifiers: Sequence[str], request: EstimationRequest) -> tuple[Estimate, ...]:
        """One estimate of the windows at these places together for every segment x classifier x metric."""
        return estimates_of_sides(self.sides(places), classifiers, request)

    def sides(self, places: range) -> SideEstimates:
        """Both sides of every stream, as if the windows at these places were one."""
        parts = SideEstimates.stack([self.windows[place].sides for place in places])
        sums = {name: getattr(parts, name).sum(axis=0) for name in _SUMMED}
        shared = _shared_form(self.covariance((one, two) for one in places for two in places if one < two))
        variances = {name: sums[name] + shared * _grown(sums[name], sums["variance"]) for name in _VARIANCES}
        times = _times_counted(sums, variances)
        weights = {name: getattr(parts, name).max(axis=0) * times for name in ("max_weight", "surprise_weight")}
        weights["joint_max_weight"] = parts.joint_max_weight.max(axis=0) * times.max(axis=-1)
        return SideEstimates(**{**sums, **variances, **weights})

    def covariance(self, pairs: Iterable[tuple[int, int]]) -> Floats:
        """The sum of C over pairs of windows (streams x side of the first x side of the second)."""
        nothing = np.zeros((*self.windows[0].errors.shape[1:], 2))
        return sum((self._of_pair(*pair) for pair in pairs), nothing)

    def _of_pair(self, one: int, two: int) -> Floats:
        if (one, two) not in self._computed:
            self._computed[one, two] = self._covariance(one, two)
        return self._computed[one, two]

    def _covariance(self, one: int, two: int) -> Floats:
        first, second = self.windows[one], self.windows[two]
        both = np.flatnonzero((self._rows[one] >= 0) & (self._rows[two] >= 0))
        rows, others = self._rows[one][both], self._rows[two][both]
        pi, other_pi = first.inclusion[rows], second.inclusion[others]
        weights, items = (
            np.where(pi < other_pi, mine, np.where(pi > other_pi, theirs, (mine + theirs) / 2))
            for mine, theirs in (
                (first.weights[rows], second.weights[others]),
                (first.items[rows], second.items[others]),
            )
        )
        left = _left_by_means(first, rows, second, others, weights)
        weights = (_product_integral(first, rows, second, others) - 1) * items / left
        errors, other_errors = first.errors[rows] * weights[:, None, None, None], second.errors[others]
        return np.asarray((errors[..., :, None] * other_errors[..., None, :]).sum(axis=0), dtype=np.float64)

    @cached_property
    def _computed(self) -> dict[tuple[int, int], Floats]:
        return {}

    @cached_property
    def _rows(self) -> Counts:
        """The row of every random number in every window, -1 where it has no label there."""
        numbers: dict[str, int] = {}
        columns = [[numbers.setdefault(digest, len(numbers)) for digest in one.digests] for one in self.windows]
        found = np.full((len(columns), len(numbers)), -1, dtype=np.int64)
        for row, column in zip(found, columns, strict=True):
            row[column] = np.arange(len(column))
        return found


def _chosen(values: Floats, axis: int, places: Sequence[int | None]) -> Floats:
    """The values at these places of an axis; 0 for None."""
    nothing = np.zeros_like(values.take([0], axis))
    rows = [values.shape[axis] if place is None else place for place in places]
    return np.concatenate([values, nothing], axis).take(rows, axis)


def _inside(labels: LabelledItems, segment: Segment | None) -> Floats:
    """1 for labels inside a segment, else 0."""
    return np.ones(len(labels.rows)) if segment is None else labels.within(segment.column, segment.value)


def _steps(digests: Sequence[str], strata: Counts, items: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Where the steps of g end, and their heights: of the stratum of every label, in the order of random numbers."""
    order = sorted(range(len(digests)), key=lambda row: (strata[row], digests[row]))
    found: list[list[tuple[float, float]]] = [[] for _ in sizes]
    for row in order:
        steps, width = found[strata[row]], 1 / sizes[strata[row]]
        end = (steps[-1][0] if steps else 0.0) + width
        if steps and np.isclose(steps[-1][1], items[row], rtol=1e-9):
            steps.pop()
        steps.append((end, float(items[row])))
    most = max(map(len, found), default=0)
    # A stratum of fewer steps has empty ones behind its last.
    filled = np.array([steps + [(steps[-1][0] if steps else 0.0, 0.0)] * (most - len(steps)) for steps in found])
    return filled[strata, :, 0], filled[strata, :, 1]


def _product_integral(first: WindowLabels, rows: Counts, second: WindowLabels, others: Counts) -> Floats:
    """The integral I of g_t g_u for labels that both windows have."""
    if first.steps is None and second.steps is None:
        return np.asarray(1 / np.maximum(first.inclusion[rows], second.inclusion[others]), dtype=np.float64)
    (end, high), (other_end, other_high) = _steps_at(first, rows), _steps_at(second, others)
    begin, other_begin = (np.pad(one[:, :-1], ((0, 0), (1, 0))) for one in (end, other_end))
    shared = np.minimum(end[:, :, None], other_end[:, None]) - np.maximum(begin[:, :, None], other_begin[:, None])
    products = high[:, :, None] * other_high[:, None] * np.maximum(shared, 0)
    return np.asarray(products.sum(axis=(1, 2)), dtype=np.float64)


def _steps_at(window: WindowLabels, rows: Counts) -> tuple[Floats, Floats]:
    if window.steps is None:
        return window.inclusion[rows, None], window.items[rows, None]
    return window.steps[0][rows], window.steps[1][rows]


def _left_by_means(first: WindowLabels, rows: Counts, second: WindowLabels, others: Counts, weights: Floats) -> Floats:
    """The d of labels that both windows have; 1 where a label is alone in its stratum, and so e is 0."""
    one, two = first.strata[rows], second.strata[others]
    is_single = np.minimum(np.bincount(first.strata)[one], np.bincount(second.strata)[two]) == 1
    n, other_n = (
        np.maximum(np.bincount(of.strata, of.weights), 1 + LEAST_FREEDOM)[at]
        for of, at in ((first, one), (second, two))
    )
    _, pair = np.unique(np.stack([one, two]), axis=1, return_inverse=True)
    both = np.bincount(pair.ravel(), weights)[pair.ravel()]
    left = 1 - 1 / n - 1 / other_n + both / (n * other_n)
    return np.where(is_single, 1.0, left)


def _about_means(values: Floats, strata: Counts, weights: Floats) -> Floats:
    """Every row less the mean of its stratum."""
    counts = np.bincount(strata, weights)
    counts = np.where(counts > 0, counts, 1.0)
    sums = np.zeros((len(counts), *values.shape[1:]))
    np.add.at(sums, strata, values * weights[:, None, None, None])
    return np.asarray(values - (sums / counts[:, None, None, None])[strata], dtype=np.float64)


def _shared_form(covariance: Floats) -> Floats:
    """What pairs of windows add to the variance: of A, of A with B, of B; never less than nothing, whatever the slopes.

    Labels that come again cannot make a sum more certain; where few do, chance says so.
    """
    on_a, on_b = (2 * np.maximum(covariance[..., side, side], 0) for side in (A, B))
    most = np.sqrt(on_a * on_b)
    return np.stack([on_a, np.clip(covariance[..., A, B] + covariance[..., B, A], -most, most), on_b], axis=-1)


def _grown(form: Floats, raw: Floats) -> Floats:
    """What the form of a variance is larger by than the raw one, on A, on A with B, on B; 1 where it is not.

    Labels that show too little in one window do so in the others that use them.
    """
    grown = np.maximum(np.where(raw > 0, form / np.where(raw > 0, raw, 1), 1), 1)[..., [0, 2]]
    return np.stack([grown[..., 0], np.sqrt(grown[..., 0] * grown[..., 1]), grown[..., 1]], axis=-1)


def _times_counted(sums: Mapping[str, Floats], variances: Mapping[str, Floats]) -> Floats:
    """In how many windows a label counts, as the variance of either side tells it."""
    own, together = (np.maximum(*(of[name] for name in _VARIANCES))[..., [0, 2]] for of in (sums, variances))
    return np.asarray(np.where(own > 0, together / np.where(own > 0, own, 1), 1), dtype=np.float64)
