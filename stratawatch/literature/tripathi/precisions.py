"""Precisions from the labels of a panel's draw, and their covariances."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.mixing import UNIFORM_SAMPLE
from stratawatch.literature.tripathi.panel_draw import PanelDraw
from stratawatch.literature.tripathi.recycling import RecycledSequence
from stratawatch.literature.tripathi.share_estimate import ShareEstimate, smoothed_share

YES, NO, NO_ANSWER = 1, 0, -1
NO_POSITIVE_CALLS: Final = "it calls no item positive"


@dataclass(frozen=True)
class PrecisionEstimates:
    """The precision of every classifier, and Cov(p_a, p_b), which is 0 where one is Undefined."""

    shares: tuple[ShareEstimate | Undefined, ...]
    covariance: Floats


def estimate_precisions(draw: PanelDraw, answers: Counts) -> PrecisionEstimates:
    """p_c = the share of yes in S_C, repeats counted; `answers` has YES, NO or NO_ANSWER of every item of the draw.

    V(p_c) = [sum over parts of (sum k^2) q (1 - q) + (q+ - q-)^2 V(K)]/n^2: the parts S+, S- and S_remain with shares q
    of yes, a draw standing in S_C k times; K places of the mixed L are S+'s, by chance where L were cut from a longer S
    or drawn again. With w = |S+|/|S|: V(K) = L w (1 - w) (|S| - L)/(|S| - 1), or L w (1 - w) after UniformSample.

    Two precisions are correlated by the draws of S_P that both sequences hold, and a child leaves its share of them to
    no chance: Cov(p_a, p_b) = sum over them of (y - m_a)(y - m_b)/(n_a n_b), m the share of yes in the sequence's part
    of S_P. For parent and child that is q (1 - q) s/(n_P n_C), for s shared draws and q their share of yes.
    """
    if len(answers) != draw.labels:
        raise StratawatchError(
            "every drawn item needs an answer, or NO_ANSWER", expected=f"{draw.labels} answers", got=str(len(answers))
        )
    of_draw = np.where(draw.items >= 0, np.asarray(answers)[draw.items], NO_ANSWER) if len(answers) else draw.items
    times = _times(draw, of_draw)
    yes, parents = of_draw == YES, len(draw.sequences[draw.parent].sequence)
    shares = tuple(_share(draw, c, row, yes) for c, row in enumerate(times))
    influences = np.stack([_influence(row[:parents], yes[:parents], float(row.sum())) for row in times])
    covariance = influences @ influences.T
    defined = np.array([isinstance(share, ShareEstimate) for share in shares])
    variances = [share.variance if isinstance(share, ShareEstimate) else 0.0 for share in shares]
    covariance[np.diag_indices(len(shares))] = variances
    return PrecisionEstimates(shares, np.where(np.outer(defined, defined), covariance, 0.0))


def _times(draw: PanelDraw, of_draw: Counts) -> Floats:
    """How often each answered draw stands in each sequence."""
    count = len(of_draw)
    rows = [np.bincount(part.sequence, minlength=count) for part in draw.sequences]
    return np.asarray(np.stack(rows) * (of_draw != NO_ANSWER), dtype=np.float64)


def _share(draw: PanelDraw, classifier: int, times: Floats, yes: Flags) -> ShareEstimate | Undefined:
    n = float(times.sum())
    if n == 0:
        size = int(draw.patterns.called_positive[classifier])
        return Undefined(f"no label among the {size:,} items it calls positive" if size else NO_POSITIVE_CALLS)
    value = float(times @ yes) / n
    share = smoothed_share(value, n)
    variance = _variance(draw, classifier, times, yes)
    return ShareEstimate(value, variance, share * (1 - share) / variance)


def _variance(draw: PanelDraw, classifier: int, times: Floats, yes: Flags) -> float:
    """V(p_c), with half a yes and half a no added to the answers of every part."""
    part = draw.sequences[classifier]
    parents, fresh = len(draw.sequences[draw.parent].sequence), len(part.sequence) - part.remaining
    places = np.arange(len(times))
    recycled = places < parents
    remaining = np.isin(places, part.sequence[fresh:]) & ~recycled
    found, within = [], 0.0
    for members in (recycled, ~(recycled | remaining), remaining):
        answers = float(times[members].sum())
        found.append(smoothed_share(float(times[members] @ yes[members]) / max(answers, 1.0), answers))
        within += float(times[members] @ times[members]) * found[-1] * (1 - found[-1])
    between = (found[0] - found[1]) ** 2 * _chance_variance(part, fresh, draw.mixing)
    return (within + between) / float(times.sum()) ** 2


def _chance_variance(part: RecycledSequence, mixed: int, mixing: str) -> float:
    """V(K), K of the `mixed` places being S+'s."""
    length = part.recycled + part.outside
    if not (part.recycled and part.outside):
        return 0.0
    w = part.recycled / length
    again = 1.0 if mixing == UNIFORM_SAMPLE else (length - mixed) / (length - 1)
    return mixed * w * (1 - w) * again


def _influence(times: Floats, yes: Flags, n: float) -> Floats:
    """The influence of each draw of S_P on the precision."""
    shared = float(times.sum())
    mean = float(times @ yes) / shared if shared else 0.0
    return np.asarray(times * (yes - mean) / max(n, 1.0), dtype=np.float64)
