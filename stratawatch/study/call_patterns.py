"""The calls and scores of every classifier and auxiliary score, as the pattern and the score bin of every item."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.population import NEGATIVE, NO_BIN, POSITIVE, UNSCORED, Counts, Floats
from stratawatch.core.score_bins import BIN_COUNT, bins_of
from stratawatch.errors import StratawatchError
from stratawatch.study.frames import Frame
from stratawatch.study.study_columns import Scorer, StudyColumns

# Numbered in the order of text, so that numbers sort as patterns do.
_LETTERS: Final = "".join(sorted(UNSCORED + NEGATIVE + POSITIVE))
_SILENT, _NO, _YES = (_LETTERS.index(letter) for letter in (UNSCORED, NEGATIVE, POSITIVE))
# Margins beyond this are 0 or 1 to the last bin.
_STEEPEST: Final = 700.0
# Margins that are Python numbers at one time.
_PART: Final = 50_000
_EXP: Final = np.frompyfunc(math.exp, 1, 1)

Letters = NDArray[np.int8]


@dataclass(frozen=True)
class CallPatterns:
    """Fine cells (pattern x bin, sorted) and the cell of every item."""

    patterns: tuple[str, ...]
    bins: Counts
    cell: NDArray[np.int32]


def read_call_patterns(frame: Frame, panel: StudyColumns) -> CallPatterns:
    """Read calls and scores, a column at a time.

    z is the mean score of the classifiers; only where none of them has one, that of the auxiliary scores.
    """
    code = np.zeros(frame.rows, dtype=np.int64)
    total, number = np.zeros(frame.rows), np.zeros(frame.rows, dtype=np.int8)
    for scorers in (panel.classifiers, panel.auxiliary):
        unscored = number == 0
        for scorer in scorers:
            linked = _linked(frame, scorer)
            code *= len(_LETTERS)
            code += _letters(frame, scorer, linked)
            if linked is not None:
                there = unscored & ~np.isnan(linked)
                np.add(total, linked, out=total, where=there)
                number += there
    # One number for pattern and bin: letters in base 3, then the bin (from NO_BIN = -1 on) as the last digit.
    code *= BIN_COUNT + 1
    code += _bins(total, number) - NO_BIN
    del total, number
    cells, cell = np.unique(code, return_inverse=True)
    patterns, bins = np.divmod(cells, BIN_COUNT + 1)
    return CallPatterns(
        patterns=tuple(_spelled(one, len(panel.scorers)) for one in patterns.tolist()),
        bins=bins + NO_BIN,
        cell=cell.astype(np.int32),
    )


def _bins(total: Floats, number: NDArray[np.int8]) -> Counts:
    """The bin of the mean of the scores that are there, added in the panel's order."""
    z = np.divide(total, number, out=total, where=number > 0)
    return np.where(number > 0, bins_of(z), NO_BIN)


def _linked(frame: Frame, scorer: Scorer) -> Floats | None:
    """Scores as probabilities, NaN where there is none."""
    if scorer.score is None:
        return None
    scores = frame.numbers(scorer.score, f"the scores of {scorer.name!r}")
    lowest, highest = np.fmin.reduce(scores, initial=np.inf), np.fmax.reduce(scores, initial=-np.inf)
    if scorer.kind == "margin":
        if np.isinf([lowest, highest]).any() and highest >= lowest:
            raise StratawatchError(f"margins of {scorer.name!r} are infinite", expected="finite numbers, or null")
        return _logistic(scores)
    if lowest < 0 or highest > 1:
        raise StratawatchError(
            f"scores of {scorer.name!r} lie outside [0, 1]",
            expected="probabilities",
            got=f"{lowest if lowest < 0 else highest:.6g} in column {scorer.score!r}",
            hint=f"say score_kind={{{scorer.name!r}: 'margin'}} if they are margins",
        )
    return scores


def _logistic(margins: Floats) -> Floats:
    """1 / (1 + exp(-margin)) by the C library's exp: numpy's own differs from the databases' in the last digit."""
    linked = np.empty_like(margins)
    for start in range(0, len(margins), _PART):
        inside = np.clip(margins[start : start + _PART], -_STEEPEST, _STEEPEST)
        linked[start : start + _PART] = 1 / (1 + np.asarray(_EXP(-inside), dtype=np.float64))
    return linked


def _letters(frame: Frame, scorer: Scorer, linked: Floats | None) -> Letters:
    if scorer.call is None:
        leaning = np.zeros(frame.rows) if linked is None else linked
        return np.where(np.isnan(leaning), _SILENT, np.where(leaning >= 0.5, _YES, _NO)).astype(np.int8)
    calls = frame.flags(scorer.call, f"the calls of {scorer.name!r}")
    letters = np.full(frame.rows, _SILENT, dtype=np.int8)
    letters[calls == 0] = _NO
    letters[calls == 1] = _YES
    odd = (letters == _SILENT) & ~np.isnan(calls)
    if odd.any():
        raise StratawatchError(
            f"calls of {scorer.name!r} cannot be read",
            expected="True or False, yes or no, 1 or 0, or null",
            got=f"{frame.column(scorer.call, 'calls').at(np.flatnonzero(odd)[:1])[0]!r:.40} in column {scorer.call!r}",
            hint="compare the score with its cut-off first",
        )
    return letters


def _spelled(code: int, letters: int) -> str:
    spelled = []
    for _ in range(letters):
        code, letter = divmod(code, len(_LETTERS))
        spelled.append(_LETTERS[letter])
    return "".join(reversed(spelled))
