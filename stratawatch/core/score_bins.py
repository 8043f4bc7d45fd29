"""The ladder of score bins: fine near 0 and near 1, cut by power-of-two arithmetic, so equal on every engine."""

from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stratawatch.core.population import NO_BIN
from stratawatch.errors import StratawatchError

BIN_COUNT: Final = 1024
_HALF: Final = BIN_COUNT // 2
_STEPS: Final = 32
_OCTAVES: Final = 16

_OWN_WIDTH: Final = 4
OWN_BIN_COUNT: Final = BIN_COUNT // _OWN_WIDTH

ScoreKind = Literal["probability", "margin"]


def bin_of(z: float) -> int:
    """The bin of one score in [0, 1].

    >>> [bin_of(z) for z in (0, 2**-16, 0.25, 0.5, 0.75, 1)]
    [0, 32, 480, 512, 543, 1023]
    """
    return int(bins_of([z])[0])


def bins_of(z: ArrayLike) -> NDArray[np.int64]:
    """The bins of many scores; bins ascend with the score and the upper half mirrors the lower one."""
    scores = np.asarray(z, dtype=np.float64)
    if not bool(np.all((scores >= 0) & (scores <= 1))):
        outside = scores[~((scores >= 0) & (scores <= 1))]
        raise StratawatchError("a score cannot be binned", expected="a number in [0, 1]", got=str(outside.flat[0]))
    upper = scores >= 0.5
    rungs = _rung(np.where(upper, 1 - scores, scores))
    return np.where(upper, BIN_COUNT - 1 - np.minimum(rungs, _HALF - 1), rungs)


def _rung(z: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rung of the lower ladder: octave k has 2^-(k+1) <= z < 2^-k and 32 equal steps; below 2^-16 they are linear."""
    mantissa, exponent = np.frexp(z)
    in_octave = (_OCTAVES + exponent) * _STEPS + np.floor((2 * mantissa - 1) * _STEPS)
    linear = np.floor(z * 2.0**_OCTAVES * _STEPS)
    return np.where(z < 2.0**-_OCTAVES, linear, in_octave).astype(np.int64)


def centre(bin: int) -> float:  # noqa: A002 - the word of the vocabulary
    """The middle of a bin.

    >>> centre(512), centre(511)
    (0.50390625, 0.49609375)
    """
    if not 0 <= bin < BIN_COUNT:
        what = "the bin of items without a score has no centre" if bin == NO_BIN else f"there is no bin {bin}"
        raise StratawatchError(what, expected=f"a bin from 0 to {BIN_COUNT - 1}")
    return float(centres([bin])[0])


def centres(bins: ArrayLike) -> NDArray[np.float64]:
    """The middles of many bins; NaN for NO_BIN."""
    given = np.asarray(bins, dtype=np.int64)
    upper = given >= _HALF
    octave, step = np.divmod(np.where(upper, BIN_COUNT - 1 - given, given), _STEPS)
    lowest = (step + 0.5) / _STEPS * 2.0**-_OCTAVES
    higher = np.ldexp(1 + (step + 0.5) / _STEPS, octave - _OCTAVES - 1)
    middle = np.where(octave == 0, lowest, higher)
    return np.where(given == NO_BIN, np.nan, np.where(upper, 1 - middle, middle))


def edges(bin: int) -> tuple[float, float]:  # noqa: A002 - the word of the vocabulary
    """The lower and the upper end of a bin.

    >>> edges(480), edges(511), edges(512)
    ((0.25, 0.2578125), (0.4921875, 0.5), (0.5, 0.5078125))
    """
    if bin >= _HALF:
        low, high = edges(BIN_COUNT - 1 - bin)
        return 1 - high, 1 - low
    return _foot(bin), _foot(bin + 1)


def _foot(rung: int) -> float:
    octave, step = divmod(rung, _STEPS)
    linear = step / _STEPS * 2.0**-_OCTAVES
    return linear if octave == 0 else (1 + step / _STEPS) * 2.0 ** (octave - _OCTAVES - 1)


def own_bins_of(z: ArrayLike) -> NDArray[np.int64]:
    """The bins of a classifier's own scores: four of the ladder's in one, eight an octave, which is fine for cut-offs.

    >>> own_bins_of([0, 0.25, 0.5, 0.75, 1]).tolist()
    [0, 120, 128, 135, 255]
    """
    return bins_of(z) // _OWN_WIDTH


def own_bin_foot(bin: int) -> float:  # noqa: A002 - the word of the vocabulary
    """The lowest score of an own bin; in the upper half, whose bins begin above their lower end, the next number.

    >>> own_bin_foot(0), own_bin_foot(120), round(own_bin_foot(136), 9), own_bins_of([own_bin_foot(136)]).tolist()
    (0.0, 0.25, 0.75, [136])
    """
    low = edges(_OWN_WIDTH * bin)[0]
    return low if _OWN_WIDTH * bin <= _HALF else float(np.nextafter(low, 1))
