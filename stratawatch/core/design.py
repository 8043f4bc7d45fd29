"""The design of a cycle: which items to label, and what their labels say about every classifier."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np

from stratawatch.core.anticipation import first_rates, second_rates
from stratawatch.core.cells import Cells
from stratawatch.core.draw import smallest
from stratawatch.core.estimation.estimates import Request, estimates
from stratawatch.core.estimation.metrics import METRICS
from stratawatch.core.forecast import half_widths
from stratawatch.core.labelled import Labelled, labelled
from stratawatch.core.ledger import Ledger
from stratawatch.core.planning import ALLOCATION, Room, allocate, second_phase
from stratawatch.core.population import Atom, Candidates, Segment
from stratawatch.core.results import Estimate, Goal, Plan
from stratawatch.errors import StratawatchError

_SMALLEST_POOL: Final = 30
_POOL_FACTOR: Final = 3


def pool_sizes(
    atoms: Sequence[Atom], classifiers: Sequence[str], goals: Sequence[Goal], budget: int
) -> tuple[int, ...]:
    """Candidates to freeze for every atom: max(30, 3 x planned), at most its items and the budget."""
    cells = Cells.of_atoms(classifiers, atoms)
    everything = np.where(cells.served, cells.sizes, 0).astype(np.int64)
    room = Room(np.zeros_like(everything), everything)
    planned = allocate(cells, goals, first_rates(cells), budget, room)
    wanted = np.maximum(_SMALLEST_POOL, _POOL_FACTOR * planned)
    return tuple(np.minimum(np.minimum(wanted, everything), budget).tolist())


@dataclass(frozen=True)
class Design:
    """Classifiers, atoms and their pools of candidates; frozen before labels are seen."""

    classifiers: tuple[str, ...]
    atoms: tuple[Atom, ...]
    candidates: Candidates

    def plan(
        self,
        goals: Sequence[Goal],
        labels: int,
        ledger: Ledger,
        drawn: Collection[str],
        *,
        phase: Literal["first", "second"],
    ) -> Plan:
        """Share `labels` (all distinct items drawn after this round) out among the atoms; totals are cumulative."""
        known = self._labelled(ledger, drawn)
        whole = np.where(self.cells.served, self.cells.sizes, 0).astype(np.int64)
        pools = np.bincount(self.candidates.atoms, minlength=len(self.atoms)).astype(np.int64)
        first = phase == "first"
        rates = first_rates(self.cells) if first else second_rates(self.cells, known.yes, known.answered)
        share = allocate if first else second_phase
        wanted = share(self.cells, goals, rates, labels, Room(known.drawn, whole))
        exhausted = np.flatnonzero(wanted > pools)
        totals = wanted
        if exhausted.size:
            totals = share(self.cells, goals, rates, labels, Room(known.drawn, np.minimum(whole, pools)))
        return Plan(
            totals=tuple(totals.tolist()),
            half_widths=half_widths(self.cells, rates, totals),
            method=f"{ALLOCATION}, {phase} phase",
            exhausted=tuple(exhausted.tolist()),
        )

    def draw(self, plan: Plan) -> tuple[int, ...]:
        """Indices of the drawn candidates, by (atom, digest); a larger plan only adds to a smaller one."""
        return smallest(self.candidates, plan.totals)

    def inclusion(self, plan: Plan) -> tuple[float, ...]:
        """Probability of every atom's items to be drawn: n_a / N_a."""
        return tuple(total / atom.size for total, atom in zip(plan.totals, self.atoms, strict=True))

    def estimate(
        self,
        ledger: Ledger,
        drawn: Collection[str],
        *,
        confidence: float = 0.95,
        metrics: Sequence[str] | None = None,
        segments: Sequence[Segment] = (),
    ) -> tuple[Estimate, ...]:
        """These metrics (None: all) of every classifier, over everything and inside each segment."""
        if not 0 < confidence < 1:
            raise StratawatchError(f"the confidence is {confidence}", expected="a number between 0 and 1")
        request = Request(confidence, tuple(METRICS if metrics is None else metrics), (None, *segments))
        return estimates(self.cells, self.atoms, self._labelled(ledger, drawn), request)

    @cached_property
    def cells(self) -> Cells:
        """The atoms as columns of numbers."""
        return Cells.of_atoms(self.classifiers, self.atoms)

    def _labelled(self, ledger: Ledger, drawn: Collection[str]) -> Labelled:
        return labelled(self.candidates, len(self.atoms), ledger, drawn)
