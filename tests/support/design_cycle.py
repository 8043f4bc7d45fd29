"""A cycle from a census to its last round, with people who answer as the test says."""

from collections.abc import Callable, Sequence

import numpy as np

from stratawatch.core.designs.frozen import FrozenDesign, stratify_for_survey
from stratawatch.core.goals import SurveySpec
from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom, Candidates, Census
from stratawatch.core.verdicts import VerdictsByItem

Says = Callable[[str, int], bool]
"""(pattern, number of the item) -> whether people call it positive."""


def design_of(census: Census, survey: SurveySpec, seed: int = 5) -> FrozenDesign:
    """The design with every item a candidate, in an order that is random."""
    atoms = stratify_for_survey(census, survey)
    atom_rows = np.repeat(np.arange(len(atoms)), [atom.size for atom in atoms])
    order = np.random.default_rng(seed).permutation(len(atom_rows))
    items = tuple(f"i{row}" for row in range(len(atom_rows)))
    digests = tuple(format(place, "032x") for place in np.argsort(order).tolist())
    return FrozenDesign(census.classifiers, atoms, Candidates(items, atom_rows, digests, _segments(atoms)), survey)


def _segments(atoms: Sequence[Atom]) -> dict[str, tuple[str | None, ...]]:
    """The values of every item, atom by atom: as many first items as the census counts have a segment's value."""
    columns: dict[str, list[str | None]] = {segment.column: [] for atom in atoms for segment in atom.segments}
    for column, values in columns.items():
        for atom in atoms:
            mine = [s.value for s, number in atom.segments.items() if s.column == column for _ in range(number)]
            values += [*mine, *[None] * (atom.size - len(mine))]
    return {column: tuple(values) for column, values in columns.items()}


def verdicts(design: FrozenDesign, says: Says) -> dict[str, str]:
    """What people would say of every item."""
    patterns = [design.atoms[atom].pattern for atom in design.candidates.atoms.tolist()]
    return {
        item: "yes" if says(pattern, number) else "no"
        for number, (item, pattern) in enumerate(zip(design.candidates.items, patterns, strict=True))
    }


class Cycle:
    """Rounds as an engine plans them; `labelled` items need nobody's answer."""

    def __init__(self, design: FrozenDesign, says: Says, labelled: frozenset[str] = frozenset()) -> None:
        self.design, self.truth, self.labelled = design, verdicts(design, says), labelled
        self.drawn: set[str] = set()
        self.plans: list[Plan] = []

    @property
    def new_labels(self) -> int:
        """Items that cost a label."""
        return len(self.drawn - self.labelled)

    def next(self) -> bool:
        """Plan and answer a round; whether it asked for anything."""
        answers = {item: self.truth[item] for item in self.drawn | self.labelled}
        plan = self.design.plan(
            self.design.survey,
            VerdictsByItem(answers),
            self.drawn,
            ordinal=len(self.plans) + 1,
            reused=self.drawn & self.labelled,
            earlier=self.plans,
        )
        fresh = {self.design.candidates.items[row] for row in self.design.draw(plan)} - self.drawn
        self.plans.append(plan)
        self.drawn |= fresh
        return bool(fresh)

    def finish(self) -> "Cycle":
        """Go on until a round asks for nothing; more rounds than the design allows are an error."""
        while self.next():
            assert len(self.plans) <= self.design.sampling_design.max_rounds(self.design.survey)
        return self

    def estimates(self, metrics, segments=()):
        """Estimates by (classifier, metric), those of segments by (classifier, metric, segment)."""
        ledger = VerdictsByItem({item: self.truth[item] for item in self.drawn})
        found = self.design.estimate(ledger, self.drawn, metrics=metrics, segments=segments)
        return {(e.classifier, e.metric, *([e.segment] if e.segment else [])): e for e in found}
