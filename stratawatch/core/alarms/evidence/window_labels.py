"""The labels of a window as columns: what each round knew before it, what it drew, and what bets."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stratawatch.core.alarms.evidence.betting_round import KnownItems
from stratawatch.core.cells import Flags
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.planning.expected_rates import updated_rates
from stratawatch.core.population import Candidates, Counts, Floats, Segment
from stratawatch.core.verdicts import Verdict
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class DrawnLabel:
    """An item that a round drew, and what is known of it.

    `first_use`: no earlier window drew it. `bets`: it was answered when the window was first judged; it keeps its place
    whatever becomes of its verdict later. `answered_before`: its verdict was there when the round was planned.
    """

    item: str
    first_use: bool
    bets: bool
    verdict: Verdict | None
    answered_before: bool = False


@dataclass(frozen=True)
class WindowLabels:
    """Columns with a row for every drawn item: its candidate (`rows`), the number of its round, what it counts as.

    `new` items are those that a round was planned to learn from; `betting` are the new ones that were answered in time,
    `before` those whose truth was known beforehand; `inside` says which lie in a segment (None: all).
    """

    design: FrozenDesign
    rows: Counts
    ordinals: Counts
    new: Flags
    betting: Flags
    before: Flags
    yes: Flags
    no: Flags
    inside: Mapping[Segment | None, Flags]

    @classmethod
    def of(
        cls,
        design: FrozenDesign,
        rounds: Sequence[Sequence[DrawnLabel]],
        segments: Collection[Segment | None] = (None,),
    ) -> "WindowLabels":
        """Match the labels with the design's candidates; an item that two rounds name belongs to the first of them."""
        places = {item: row for row, item in enumerate(design.candidates.items)}
        labels = {
            label.item: (ordinal, label) for ordinal, drawn in reversed([*enumerate(rounds, 1)]) for label in drawn
        }
        strangers = labels.keys() - places.keys()
        if strangers:
            raise StratawatchError(
                f"{len(strangers)} drawn items are not among the candidates",
                got=repr(min(strangers))[:60],
                hint="the draw belongs to another design",
            )
        flags = [
            (
                one.first_use and not one.answered_before,
                one.bets,
                one.answered_before,
                one.verdict == "yes",
                one.verdict == "no",
            )
            for _, one in labels.values()
        ]
        new, bets, before, yes, no = np.array(flags, dtype=np.bool_).reshape(-1, 5).T
        rows = np.array([places[item] for item in labels], dtype=np.int64)
        return cls(
            design,
            rows,
            np.array([ordinal for ordinal, _ in labels.values()], dtype=np.int64),
            new,
            new & bets,
            before,
            yes,
            no,
            {segment: is_inside(design.candidates, segment)[rows] for segment in set(segments)},
        )

    def planned(self, ordinal: int) -> Floats:
        """The new items that a round drew, by stratum."""
        return self.design.cells.by_stratum(self._counts(self.new & (self.ordinals == ordinal)))

    def answered(self, ordinal: int) -> Floats:
        """The answers of a round that bet, by stratum."""
        return self.design.cells.by_stratum(self._counts(self._bet(ordinal)))

    def answers(self, ordinal: int, segment: Segment | None) -> tuple[Floats, Floats, Floats]:
        """Those inside a segment by cell: yes, no, and the ones that were withdrawn since."""
        bet = self._bet(ordinal) & self.inside[segment]
        return self._by_truth(bet)

    def known(self, ordinal: int, segment: Segment | None) -> KnownItems:
        """What was known when a round's answers came: the bets of the rounds before, and what had an answer already."""
        known = self._known(ordinal)
        return KnownItems(self._counts(known), *self._by_truth(known & self.inside[segment]))

    def rates(self, ordinal: int) -> Floats:
        """The rates that a round's bets expect; they are older than its labels.

        Those of earlier windows' labels serve every round. Without them scores serve the first one, and scores that are
        corrected by the labels so far those after it: the model that estimates read is fitted to these very labels.
        """
        cells = self.design.cells
        if cells.prior_rate is not None:
            return cells.prior_rate
        if ordinal == 1:
            return cells.imputed_scores
        yes, no, _ = self._by_truth(self._known(ordinal))
        return updated_rates(cells, yes, yes + no).rate

    def _bet(self, ordinal: int) -> Flags:
        return np.asarray(self.betting & (self.ordinals == ordinal))

    def _known(self, ordinal: int) -> Flags:
        return np.asarray((self.before & (self.ordinals <= ordinal)) | (self.betting & (self.ordinals < ordinal)))

    def _by_truth(self, among: Flags) -> tuple[Floats, Floats, Floats]:
        kinds = (self.yes, self.no, ~self.yes & ~self.no)
        yes, no, neither = (self._counts(among & kind) for kind in kinds)
        return yes, no, neither

    def _counts(self, among: Flags) -> Floats:
        atoms = self.design.candidates.atoms[self.rows[among]]
        return np.bincount(atoms, minlength=len(self.design.atoms)).astype(np.float64)


def is_inside(candidates: Candidates, segment: Segment | None) -> Flags:
    """Which candidates lie in the segment; None is everything."""
    if segment is None:
        return np.ones(len(candidates), dtype=np.bool_)
    values = candidates.segments.get(segment.column)
    if values is None:
        raise StratawatchError(
            f"the candidates carry no segment column '{segment.column}'",
            expected=f"one of {', '.join(candidates.segments) or 'none'}",
        )
    return np.array([value == segment.value for value in values], dtype=np.bool_)
