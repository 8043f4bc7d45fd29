"""The base class of designs that cut the scores of one classifier and draw what one of its metrics is a share of."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.designs.design_options import ANOTHER_CLASSIFIER, classifier_index
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.metrics import RatioMetric
from stratawatch.core.plan import Plan
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.population import Atom, Census, Counts
from stratawatch.core.stratification.atoms import atoms_of_groups
from stratawatch.errors import PlanImpossible
from stratawatch.literature.paper_design import PaperDesign, limit_to_pools
from stratawatch.literature.sampling_frame import SamplingFrame, describe_calls, domain_flags

# Stratum numbers of the frame's items without a score, and of items outside the frame.
_UNSCORED, _OUTSIDE = -1, -2


@dataclass(frozen=True)
class OneClassifierDesign(PaperDesign):
    """Strata by score among the items that a metric of one classifier is a share of; no label is drawn elsewhere.

    classifier: its name ("": the first of the panel).
    """

    classifier: str = ""

    @property
    def classifiers_named(self) -> tuple[str, ...]:
        """The classifier, if it is named."""
        return (self.classifier,) if self.classifier else ()

    def classifiers_drawn_for(self, classifiers: Sequence[str]) -> tuple[str, ...]:
        """The classifier: without a name the panel's first."""
        return (classifiers[self.place(classifiers)],)

    def drawable(self, cells: Cells) -> Flags:
        """The cells that the metric is a share of."""
        return domain_flags(self.metric, cells, self.place(cells.classifiers))

    def stratify(self, census: Census, survey: SurveySpec, history: History) -> tuple[Atom, ...]:
        """Strata by score; the frame's items without a score are one more, and all others another, without labels.

        Raises PlanImpossible where nothing can be drawn.
        """
        cells = Cells.of_census(census)
        inside = self.drawable(cells)
        if not (inside & (census.counts > 0)).any():
            whose = census.classifiers[self.place(census.classifiers)]
            asked = f"asks about items that {whose} {describe_calls(self.metric)}"
            raise PlanImpossible(f"design = '{self.name}' {asked}, and there is none", hint=ANOTHER_CLASSIFIER)
        scored = inside & ~np.isnan(cells.scores) & (census.counts > 0)
        numbers = np.where(inside, _UNSCORED, _OUTSIDE)
        if scored.any():
            numbers[scored] = self.stratum_numbers(cells, scored)
        return atoms_of_groups(census, numbers)

    def plan(self, cells: Cells, survey: SurveySpec, history: History, so_far: LabelsSoFar, pools: Counts) -> Plan:
        """The next round, or the same totals when the paper's rule ends sampling."""
        totals = self.next_totals(self.frame(cells), survey, so_far)
        return limit_to_pools(Plan(tuple(totals.tolist()), {}, self.plan_method), so_far.drawn, pools)

    def frame(self, cells: Cells) -> SamplingFrame:
        """The strata that labels are drawn from."""
        return SamplingFrame(cells, self.place(cells.classifiers), self.metric)

    def place(self, classifiers: Sequence[str]) -> int:
        """The classifier's place among the panel's."""
        return classifier_index(self.classifier, classifiers)

    @property
    @abstractmethod
    def metric(self) -> RatioMetric:
        """The metric that labels are drawn for."""

    @property
    @abstractmethod
    def plan_method(self) -> str:
        """How a plan comes about, in a few words."""

    @abstractmethod
    def stratum_numbers(self, cells: Cells, scored: Flags) -> Counts:
        """A number from 0 for each of the `scored` cells of the frame: its stratum."""

    @abstractmethod
    def next_totals(self, frame: SamplingFrame, survey: SurveySpec, so_far: LabelsSoFar) -> Counts:
        """Cumulative labels of all strata after the next round; those that are drawn if there is none."""
