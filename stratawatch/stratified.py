"""Stratified sampling on plain arrays: allocate labels to strata, find the fewest that are needed, estimate a share.

What studies and cycles are made of, usable by itself: these functions need no frame, no classifier and no history.
"""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.metric_estimates import EstimationRequest, estimate_metrics
from stratawatch.core.labelled_sample import FOLDS, LabelledSample, assign_folds
from stratawatch.core.planning.allocation import neyman_multipurpose
from stratawatch.core.planning.bethel import integer_solution, minimise_labels
from stratawatch.core.planning.integer_allocation import clip_and_round
from stratawatch.core.population import Counts, Floats
from stratawatch.core.tuning import PLANNER
from stratawatch.errors import PlanImpossible, StratawatchError


def allocate(
    labels: int,
    sizes: ArrayLike,
    variances: ArrayLike,
    *,
    margins: ArrayLike = 1.0,
    floors: ArrayLike = PLANNER.min_labels,
) -> Counts:
    """Whole labels of each stratum, `labels` in all, placed where the estimates gain most.

    Minimises sum_j V_j / margin_j^2 with V_j = sum_h W_h^2 S_jh^2 / n_h, the variance of the mean of variable j (W_h is
    the stratum's part of all items), between `floors` and `sizes`. For one variable that is n_h proportional to
    N_h S_h, by Neyman (1934, Journal of the Royal Statistical Society 97:558). What a bound cuts off goes to the other
    strata, and the largest remainders make the numbers whole.

    Args:
        labels: How many there are to place; all items are labelled when there are fewer.
        sizes: Items of each stratum, N_h.
        variances: S_h^2, the variance of one item's value in each stratum; for several variables a row each.
        margins: How precisely each variable should be known: one that may be half as uncertain weighs four times.
        floors: The least labels of a stratum, one number or one each. One label alone has no variance.

    Returns:
        The labels of each stratum.

    Examples:
        Rare positives in a large stratum, and a small one that nobody can call:

        >>> allocate(300, sizes=[9000, 900, 100], variances=[0.01, 0.09, 0.25]).tolist()
        [221, 67, 12]

        Two variables, the second to be known twice as precisely:

        >>> allocate(300, [5000, 5000], [[0.25, 0.01], [0.01, 0.09]], margins=[0.04, 0.02]).tolist()
        [141, 159]
    """
    items, spread = _strata(sizes, variances)
    least = np.minimum(np.broadcast_to(np.asarray(floors, dtype=np.int64), items.shape), items)
    weights = items / max(float(items.sum()), 1.0)
    needs = (weights**2 * spread / _margins(margins, spread)[:, None] ** 2).sum(axis=0)
    return clip_and_round(neyman_multipurpose(needs), least, items, labels)


def fewest_labels(
    margins: ArrayLike,
    sizes: ArrayLike,
    variances: ArrayLike,
    *,
    confidence: float = 0.95,
    costs: ArrayLike = 1.0,
    caps: ArrayLike | None = None,
) -> Counts:
    """The fewest labels (or the cheapest) with which every variable's mean is known to within its margin.

    Minimises sum_h c_h n_h subject to sum_h W_h^2 S_jh^2 (1/n_h - 1/N_h) <= (margin_j / z)^2 for all j: the allocation
    of Chromy (1987, Proceedings of the Survey Research Methods Section of the ASA, 194) and Bethel (1989, Survey
    Methodology 15:47), solved with Newton's method on its dual and made whole at the end.

    Args:
        margins: Half-widths of the intervals, one a variable.
        sizes: Items of each stratum, N_h.
        variances: S_h^2, the variance of one item's value in each stratum; for several variables a row each.
        confidence: Of the intervals that the margins are meant for.
        costs: Of one label in each stratum.
        caps: The most labels of each stratum; without, all of its items.

    Returns:
        The labels of each stratum.

    Raises:
        PlanImpossible: Not even the caps keep all margins.

    Examples:
        >>> fewest_labels(0.02, sizes=[9000, 900, 100], variances=[0.01, 0.09, 0.25]).tolist()
        [104, 31, 6]
        >>> fewest_labels([0.04, 0.02], [5000, 5000], [[0.25, 0.01], [0.01, 0.09]]).tolist()
        [150, 244]
    """
    items, spread = _strata(sizes, variances)
    most = items if caps is None else np.minimum(np.broadcast_to(np.asarray(caps, dtype=np.int64), items.shape), items)
    price = np.broadcast_to(np.asarray(costs, dtype=np.float64), items.shape)
    needs = (items / max(float(items.sum()), 1.0)) ** 2 * spread
    limits = (_margins(margins, spread) / NormalDist().inv_cdf((1 + confidence) / 2)) ** 2
    large, none = items.astype(np.float64), np.zeros(len(items), dtype=np.int64)
    solution = minimise_labels(needs, limits, large, none.astype(np.float64), price, caps=most.astype(np.float64))
    if not solution.feasible:
        raise PlanImpossible("not even all labels that the caps allow keep the margins", got=f"{most.sum()} labels")
    return integer_solution(solution, needs, limits, large, none, most, price)


def estimate_share(
    positives: Sequence[int], labels: Sequence[int], sizes: Sequence[int], *, confidence: float = 0.95
) -> IntervalEstimate | Undefined:
    """The share of positives among all items, from simple random labels of each stratum, with its interval.

    The value is the stratified mean sum_h W_h k_h/n_h, in which a stratum without labels is half positive, give or
    take all of it. The interval is the one that studies and cycles report: symmetrical on the logit scale where many
    events were met, FF/MID where few were (after Fay and Feuer 1997, Statistics in Medicine 16:791), blended between;
    it does not claim more than the heaviest label allows.

    Args:
        positives: Labels that said yes, by stratum.
        labels: All labels, by stratum.
        sizes: Items, by stratum.
        confidence: Of the interval.

    Returns:
        A value inside its interval; or Undefined, with the reason.

    Examples:
        >>> share = estimate_share(positives=[2, 9, 6], labels=[221, 67, 12], sizes=[9000, 900, 100])
        >>> print(f"{share.value:.4f} in [{share.low:.4f}, {share.high:.4f}]")
        0.0252 in [0.0140, 0.0446]
        >>> estimate_share([0, 0], [0, 0], [50, 50])
        Undefined(reason='there is no label')
    """
    yes, answered, items = (np.asarray(one, dtype=np.int64) for one in (positives, labels, sizes))
    if not len(yes) == len(answered) == len(items) or (yes > answered).any() or (answered > items).any():
        raise StratawatchError(
            "counts of strata do not fit one another", expected="as many of each, and positives <= labels <= sizes"
        )
    if not answered.any():
        return Undefined("there is no label")
    cells = Cells.of(["all"], ["1"] * len(items), items.astype(np.float64), np.full(len(items), np.nan))
    strata = np.repeat(np.arange(len(items)), answered)
    said_yes = np.concatenate([np.arange(n) < k for k, n in zip(yes, answered, strict=True)])
    place = assign_folds(strata) * len(items) + strata
    by_fold, yes_by_fold = (
        np.bincount(place, weights, FOLDS * len(items)).reshape(FOLDS, -1) for weights in (None, said_yes)
    )
    sample = LabelledSample(answered, by_fold.astype(np.float64), yes_by_fold.astype(np.float64))
    [found] = estimate_metrics(cells, (), sample, EstimationRequest(confidence, ("prevalence",), (None,)))
    return found.result


def _strata(sizes: ArrayLike, variances: ArrayLike) -> tuple[Counts, Floats]:
    items = np.asarray(sizes, dtype=np.int64)
    spread = np.atleast_2d(np.asarray(variances, dtype=np.float64))
    if items.ndim != 1 or spread.shape[1:] != items.shape or (items < 0).any() or not (spread >= 0).all():
        raise StratawatchError(
            "sizes and variances do not fit one another",
            expected="a size of each stratum, and of each variable a variance of each stratum, none below 0",
            got=f"shapes {items.shape} and {spread.shape}",
        )
    return items, spread


def _margins(margins: ArrayLike, spread: Floats) -> Floats:
    given = np.broadcast_to(np.asarray(margins, dtype=np.float64), spread.shape[:1])
    if not (given > 0).all():
        raise StratawatchError("a margin is a half-width", expected="more than 0", got=str(given.min()))
    return given
