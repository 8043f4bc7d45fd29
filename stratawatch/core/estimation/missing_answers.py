"""Drawn items without an answer: how many, on which side and in which stratum, and whether they lean on any of it.

Estimates take the missing answers of a stratum to be like its others. That cannot be tested on the answers that did
not come, but it is in doubt where they are missing more often at some scores, on one side or in some stratum: there
they may hang on the truth as well.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.population import Candidates, Counts, Floats
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.formatting import count, count_text, percent

LEAN_LEVEL: Final = 0.01
"""Share of cycles in which answers that are missing at random are said to lean, over all columns of the test."""
_SHUFFLES: Final = 1999
_NOT_ASKED: Final = -1

Side = Literal["called positive", "called negative"]


@dataclass(frozen=True)
class AnswerCounts:
    """Drawn items by what became of them: on one side of a classifier, or in a stratum.

    `skipped` were looked at and could not be decided; `expired` were not answered before the end, `open` still may be.
    """

    classifier: str | None
    side: Side | None
    stratum: int | None
    drawn: int
    answered: int
    skipped: int
    expired: int
    open: int

    @property
    def which_items(self) -> str:
        """Which items these are."""
        return f"{self.side} by {self.classifier}" if self.classifier else f"stratum {self.stratum}"

    @property
    def in_words(self) -> str:
        """The counts as a sentence."""
        of = f"of {count_text(self.drawn, 'drawn item')} ({self.which_items})"
        return f"{of} {count(self.answered)} have an answer, and people could not decide {count(self.skipped)}"


@dataclass(frozen=True)
class MissingLean:
    """What missing answers lean on, in a sentence, and the probability of so much leaning by chance."""

    sentence: str
    p_value: float


@dataclass(frozen=True)
class DrawnAnswers:
    """The drawn items, a row each: their atom, their round (-1: nobody was asked) and whether an answer came.

    `skipped` could not be decided, `waiting` have no answer; with `has_ended` that is too late now.
    """

    cells: Cells
    atoms: Counts
    rounds: Counts
    skipped: Flags
    waiting: Flags
    has_ended: bool

    @classmethod
    def of(
        cls,
        cells: Cells,
        candidates: Candidates,
        ledger: VerdictsByItem,
        rounds: Sequence[Collection[str]],
        reused: Collection[str],
        *,
        has_ended: bool,
    ) -> "DrawnAnswers":
        """From the items that every round drew, and those of them that nobody was asked about."""
        place = {item: row for row, item in enumerate(candidates.items)}
        drawn = [(item, number) for number, items in enumerate(rounds) for item in sorted(items)]
        free = set(reused)
        said = [ledger.verdicts.get(item) for item, _ in drawn]
        return cls(
            cells,
            candidates.atoms[np.array([place[item] for item, _ in drawn], dtype=np.int64)],
            np.array([_NOT_ASKED if item in free else number for item, number in drawn], dtype=np.int64),
            np.array([verdict == "unresolved" for verdict in said], dtype=np.bool_),
            np.array([verdict is None for verdict in said], dtype=np.bool_),
            has_ended,
        )

    @property
    def missing(self) -> int:
        """Items without a yes or no."""
        return int((self.skipped | self.waiting).sum())

    @cached_property
    def counts(self) -> tuple[AnswerCounts, ...]:
        """By classifier and side, then by stratum."""
        cells = self.cells
        sides: tuple[tuple[Side, Flags], ...] = (
            ("called positive", cells.positive),
            ("called negative", cells.negative),
        )
        by_side = [
            self._count(called[self.atoms, place], name, side, None)
            for place, name in enumerate(cells.classifiers)
            for side, called in sides
        ]
        homes = cells.strata[self.atoms]
        by_stratum = [self._count(homes == stratum, None, None, int(stratum)) for stratum in np.unique(homes)]
        return (*by_side, *by_stratum)

    @cached_property
    def lean(self) -> MissingLean | None:
        """What missing answers lean on, None where they look as if missing at random.

        A permutation test within every round, of all columns at once (Westfall and Young 1993): the largest
        standardised difference among scores, sides and strata against that of answers lost at random. Open questions
        have no part in it: those of a round come in any order.
        """
        could_answer = (self.rounds != _NOT_ASKED) & (self.has_ended | ~self.waiting)
        lost = could_answer & (self.skipped | self.waiting)
        if not lost.any() or lost.sum() == could_answer.sum():
            return None
        columns = _LeanColumns.of(self.cells)
        tables = [
            (self._by_atom(could_answer & (self.rounds == number)), self._by_atom(lost & (self.rounds == number)))
            for number in np.unique(self.rounds[could_answer])
        ]
        spread = np.sqrt(sum((_variance(n, float(m.sum()), columns.values) for n, m in tables), np.zeros(())))
        used = spread > 1e-9
        if not used.any():
            return None
        weights = columns.values[:, used] / spread[used]
        found = sum((_excess(m[None], n, weights) for n, m in tables), np.zeros(()))[0]
        # The same shuffles for everybody: the same answers always give the same sentence.
        rng = np.random.default_rng(0)
        shuffled = sum(
            (
                _excess(rng.multivariate_hypergeometric(n, int(m.sum()), _SHUFFLES, method="marginals"), n, weights)
                for n, m in tables
            ),
            np.zeros(()),
        )
        largest = np.abs(found).max()
        p_value = (1 + float((np.abs(shuffled).max(axis=1) >= largest - 1e-9).sum())) / (_SHUFFLES + 1)
        if p_value > LEAN_LEVEL:
            return None
        place = int(np.flatnonzero(used)[np.abs(found).argmax()])
        return MissingLean(
            self._sentence(columns, place, float(found[np.abs(found).argmax()]), could_answer, lost), p_value
        )

    def _sentence(self, columns: "_LeanColumns", place: int, z: float, could_answer: Flags, lost: Flags) -> str:
        if place == 0:
            return f"answers are missing more often where the score is {'high' if z > 0 else 'low'}"
        inside = columns.values[self.atoms, place] > 0
        there, elsewhere = (
            percent(float(lost[could_answer & on].sum() / max((could_answer & on).sum(), 1)))
            for on in (inside, ~inside)
        )
        return f"{there} of the answers {columns.words[place]} are missing, {elsewhere} of the others"

    def _by_atom(self, which: Flags) -> Counts:
        return np.bincount(self.atoms[which], minlength=len(self.cells.sizes)).astype(np.int64)

    def _count(self, inside: Flags, classifier: str | None, side: Side | None, stratum: int | None) -> AnswerCounts:
        drawn, skipped, waiting = (int(which.sum()) for which in (inside, inside & self.skipped, inside & self.waiting))
        ended, still = (waiting, 0) if self.has_ended else (0, waiting)
        return AnswerCounts(classifier, side, stratum, drawn, drawn - skipped - waiting, skipped, ended, still)


@dataclass(frozen=True)
class _LeanColumns:
    """What missing answers may lean on, a column each of numbers by cell, and its words: the score is the first."""

    values: Floats
    words: tuple[str, ...]

    @classmethod
    def of(cls, cells: Cells) -> "_LeanColumns":
        sides = cells.positive.astype(np.float64) - cells.negative
        strata = (cells.strata[:, None] == np.arange(cells.stratum_count)).astype(np.float64)
        words = (
            "at high scores",
            *(f"on items that {name} calls positive" for name in cells.classifiers),
            *(f"in group {number} of items alike in calls and scores" for number in range(cells.stratum_count)),
        )
        return cls(np.column_stack([cells.imputed_scores, sides, strata]), words)


def _excess(lost: Counts, asked: Counts, values: Floats) -> Floats:
    """What the lost answers (rows x cells) sum up to in every column, less what is expected of so many at random."""
    share = lost.sum(axis=1, keepdims=True) / max(asked.sum(), 1)
    return np.asarray((lost - share * asked) @ values, dtype=np.float64)


def _variance(asked: Counts, lost: float, values: Floats) -> Floats:
    """The variance of those sums at random: of `lost` answers drawn without replacement."""
    n = float(asked.sum())
    centred = values - asked @ values / max(n, 1)
    return np.asarray(lost * (n - lost) / max(n * (n - 1), 1) * (asked @ centred**2), dtype=np.float64)
