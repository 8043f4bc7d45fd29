"""What a design must be able to do, whatever its name."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.estimates import Request
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.plan import Plan
from stratawatch.core.planning.round_planner import LabelsSoFar
from stratawatch.core.population import Atom, Census, Counts


class SamplingDesign(Protocol):
    """A way to cut a census into strata, to share labels out among them, and to read what people answered.

    Every kind draws the smallest random numbers of its strata, so all of them can be resumed, audited and compared.
    A kind is a frozen dataclass; its fields are the options that people may set. `plans_for_goals`: it knows how many
    labels goals need; otherwise it wants a budget. `estimates_segments`: its estimates reach into them.
    """

    name: ClassVar[str]
    plans_for_goals: ClassVar[bool]
    estimates_segments: ClassVar[bool]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What its users should know, because it was measured: whole sentences, shown wherever it is chosen."""
        ...

    @property
    def classifiers_named(self) -> tuple[str, ...]:
        """Classifiers that its options name."""
        ...

    def unsupported_reason(self, metric: str, classifier: str, classifiers: Sequence[str]) -> str:
        """Why no labels would tell a metric of one of the classifiers, in a sentence; empty where they would."""
        ...

    def validate(self, survey: SurveySpec, scored: Mapping[str, bool]) -> None:
        """Raise PlanImpossible for wishes that contradict the options, whatever the items.

        `scored`: the classifiers, and whether each has a score.
        """
        ...

    def max_rounds(self, survey: SurveySpec) -> int:
        """Rounds of a cycle, at most."""
        ...

    def stratify(self, census: Census, survey: SurveySpec, history: History) -> tuple[Atom, ...]:
        """The atoms, sorted by (pattern, bin), each with the number of its stratum. Raises PlanImpossible."""
        ...

    def max_totals(self, cells: Cells, survey: SurveySpec, history: History) -> Counts:
        """The most labels that a cycle is expected to draw from each stratum."""
        ...

    def plan(self, cells: Cells, survey: SurveySpec, history: History, so_far: LabelsSoFar, pools: Counts) -> Plan:
        """The next round, in cumulative totals by stratum; one that adds nothing means: done."""
        ...

    def plan_all_rounds(self, cells: Cells, survey: SurveySpec, history: History, metrics: Sequence[str]) -> Plan:
        """All rounds at once, before any label, with the half-widths that they should buy."""
        ...

    def estimate(
        self, cells: Cells, atoms: Sequence[Atom], known: LabelledSample, request: Request
    ) -> tuple[Estimate, ...]:
        """An estimate for every segment x classifier x metric, in that order; Undefined where the design has none."""
        ...
