"""Precisions from the labels of a panel's draw, and how they hang together."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.methods.tripathi.panel_draw import PanelDraw
from stratawatch.core.methods.tripathi.rate import Rate, smoothed
from stratawatch.core.population import Counts, Floats
from stratawatch.core.results import Undefined
from stratawatch.errors import StratawatchError

YES, NO, NO_ANSWER = 1, 0, -1


@dataclass(frozen=True)
class Precisions:
    """The precision of every classifier, and Cov(p_a, p_b), which is 0 where one is Undefined."""

    rates: tuple[Rate | Undefined, ...]
    covariance: Floats


def precisions(draw: PanelDraw, answers: Counts) -> Precisions:
    """p_c = the share of yes in S_C, repeats counted; `answers` has YES, NO or NO_ANSWER of every item of the draw.

    V(p_c) = p (1 - p)/n_eff with n_eff = n^2/sum of squares of how often each draw stands in S_C: n after a shuffle,
    about n/2 after UniformSample, whose repeats are no new draws. That the shuffle is stratified is not used: where
    precision differs between A_P and the rest, the interval is wider than need be.

    Only the draws of S_P that two sequences share make them hang together, and a child leaves its share of them to no
    chance: Cov(p_a, p_b) = sum over them of (y - m_a)(y - m_b)/(n_a n_b), m the share of yes in the sequence's part of
    S_P. For parent and child that is q (1 - q) s/(n_P n_C), for s shared draws and q their share of yes.
    """
    if len(answers) != draw.labels:
        raise StratawatchError(
            "every drawn item needs an answer, or the word that there is none",
            expected=f"{draw.labels} answers",
            got=str(len(answers)),
        )
    of_draw = np.where(draw.items >= 0, np.asarray(answers)[draw.items], NO_ANSWER) if len(answers) else draw.items
    times = _times(draw, of_draw)
    yes, parents = of_draw == YES, len(draw.parts[draw.parent].sequence)
    rates = tuple(_rate(draw, c, row, yes) for c, row in enumerate(times))
    influences = np.stack([_influence(row[:parents], yes[:parents], float(row.sum())) for row in times])
    covariance = influences @ influences.T
    told = np.array([isinstance(rate, Rate) for rate in rates])
    variances = [rate.variance if isinstance(rate, Rate) else 0.0 for rate in rates]
    covariance[np.diag_indices(len(rates))] = variances
    return Precisions(rates, np.where(np.outer(told, told), covariance, 0.0))


def _times(draw: PanelDraw, of_draw: Counts) -> Floats:
    """How often each answered draw stands in each sequence."""
    count = len(of_draw)
    rows = [np.bincount(part.sequence, minlength=count) for part in draw.parts]
    return np.asarray(np.stack(rows) * (of_draw != NO_ANSWER), dtype=np.float64)


def _rate(draw: PanelDraw, classifier: int, times: Floats, yes: Flags) -> Rate | Undefined:
    n = float(times.sum())
    if n == 0:
        size = int(draw.patterns.called[classifier])
        return Undefined(
            f"no label among the {size:,} items it calls positive" if size else "it calls no item positive"
        )
    value, n_eff = float(times @ yes) / n, n**2 / float(times @ times)
    share = smoothed(value, n_eff)
    return Rate(value, share * (1 - share) / n_eff, n_eff)


def _influence(times: Floats, yes: Flags, n: float) -> Floats:
    """What each draw of S_P moves the precision by."""
    shared = float(times.sum())
    mean = float(times @ yes) / shared if shared else 0.0
    return np.asarray(times * (yes - mean) / max(n, 1.0), dtype=np.float64)
