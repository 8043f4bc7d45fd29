"""The base class of every sampling design."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.metric_estimates import EstimationRequest, Estimator
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.plan import Plan
from stratawatch.core.planning.allocation import AllocationBounds
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.population import Atom, Census, Counts


class SamplingDesign(ABC):
    """A way to stratify a census, to allocate labels to the strata, and to estimate metrics from the answers.

    A design is a frozen dataclass; its fields are the options that people may set. All designs draw the items of a
    stratum in the order of their permanent random numbers, so all of them can be resumed, audited and compared.
    """

    name: ClassVar[str]
    paper: ClassVar[str] = ""
    """The paper that it comes from."""
    estimator: ClassVar[Estimator] = "difference"
    """How its estimates use labels, which decides the variances and design effects that fit them."""
    plans_for_goals: ClassVar[bool] = False
    """Whether it knows how many labels goals need; otherwise it needs a budget."""
    spends_budget: ClassVar[bool] = False
    """Whether it draws exactly what a budget pays for, as long as there are items."""
    forecasts_ranges: ClassVar[bool] = False
    """Whether its forecasts say in which range half-widths may come out."""
    estimates_segments: ClassVar[bool] = True
    is_simple_random: ClassVar[bool] = False
    """Whether it is simple random sampling itself, which other designs are compared with."""

    @property
    def remembered_rounds(self) -> int:
        """How many earlier rounds, each by itself, the next plan depends on."""
        return 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was measured of it that its users should know: whole sentences, shown wherever it is chosen."""
        return ()

    @property
    def classifiers_named(self) -> tuple[str, ...]:
        """Classifiers that its options name."""
        return ()

    def classifiers_drawn_for(self, classifiers: Sequence[str]) -> tuple[str, ...]:
        """Those of the panel's classifiers that its draw is made from, where some are: named in its options, or not."""
        return self.classifiers_named

    def least_budget(self, classifiers: int) -> int:
        """The smallest budget that it never refuses, for so many classifiers."""
        return min(classifiers, 1)

    def drawable(self, cells: Cells) -> Flags:
        """The cells whose items may be drawn; a design without any raises PlanImpossible when it stratifies."""
        return cells.has_call

    def unsupported_reason(self, metric: str, classifier: str, classifiers: Sequence[str]) -> str:
        """A sentence that says why it cannot estimate a metric of one of the classifiers; empty where it can."""
        return ""

    def validate(self, survey: SurveySpec, scored: Mapping[str, bool]) -> None:  # noqa: B027 - most have nothing to refuse
        """Raise PlanImpossible for goals or a budget that contradict the options, whatever the items.

        `scored`: the classifiers, and whether each has a score.
        """

    def max_rounds(self, survey: SurveySpec) -> int:
        """Rounds of a cycle, at most."""
        return 1

    @abstractmethod
    def stratify(self, census: Census, survey: SurveySpec, history: History) -> tuple[Atom, ...]:
        """The atoms, sorted by (pattern, bin), each with the number of its stratum. Raises PlanImpossible."""

    @abstractmethod
    def max_totals(self, cells: Cells, survey: SurveySpec, history: History) -> Counts:
        """The most labels that a cycle is expected to draw from each stratum."""

    @abstractmethod
    def plan(self, cells: Cells, survey: SurveySpec, history: History, so_far: LabelsSoFar, pools: Counts) -> Plan:
        """The next round, in cumulative totals by stratum; one that adds nothing means: done."""

    @abstractmethod
    def plan_all_rounds(self, cells: Cells, survey: SurveySpec, history: History, metrics: Sequence[str]) -> Plan:
        """All rounds at once, before any label, with the half-widths that are expected of them."""

    def plan_between(
        self, cells: Cells, survey: SurveySpec, history: History, metrics: Sequence[str], bounds: AllocationBounds
    ) -> Plan | None:
        """The same of a budget, with no less and no more of any stratum; None where it shares labels out in one way."""
        return None

    def goals_without_scores(self, cells: Cells, survey: SurveySpec, history: History) -> int | None:
        """Labels that the goals need if scores say nothing; None where earlier labels say more, or nobody can tell."""
        return None

    @abstractmethod
    def estimate(
        self, cells: Cells, atoms: Sequence[Atom], sample: LabelledSample, request: EstimationRequest
    ) -> tuple[Estimate, ...]:
        """An estimate for every segment x classifier x metric, in that order; Undefined where the design has none."""
