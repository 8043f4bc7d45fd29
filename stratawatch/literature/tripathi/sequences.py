"""The sequences of all classifiers, and the labels that a survey's budget buys beside them, before any label."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.designs.design_options import classifier_index
from stratawatch.core.designs.seeded_rng import seeded_generator
from stratawatch.core.goals import SurveySpec
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Counts
from stratawatch.errors import PlanImpossible
from stratawatch.literature.tripathi.false_omission import allocate_omission_labels
from stratawatch.literature.tripathi.panel_draw import PanelDraw, draw_panel
from stratawatch.literature.tripathi.parent_choice import best_parent
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns
from stratawatch.literature.tripathi.recycling_options import RecyclingOptions
from stratawatch.literature.tripathi.sample_size import sample_size
from stratawatch.literature.tripathi.sequence_length import longest_affordable

_PRECISION = "precision"


@dataclass(frozen=True)
class ClassifierSequences:
    """The draw of a cycle, which follows from the sizes of its strata and the survey alone."""

    cells: Cells
    survey: SurveySpec
    options: RecyclingOptions

    @cached_property
    def patterns(self) -> CallPatterns:
        """How many items have the same calls."""
        return CallPatterns.of(self.cells.patterns, self.cells.sizes.astype(np.int64), len(self.cells.classifiers))

    @cached_property
    def lengths_for_margins(self) -> Counts:
        """Draws of each classifier for the margin of its precision, if the budget had no limit.

        Without a goal of its own it has the widest margin that a goal of another has, or the metric's default.
        """
        goals = [goal for goal in self.survey.goals if goal.metric == _PRECISION]
        widest = max((goal.margin for goal in goals), default=metric_named(_PRECISION).default_margin)
        margins = [
            min((goal.margin for goal in goals if not goal.classifiers or name in goal.classifiers), default=widest)
            for name in self.cells.classifiers
        ]
        sizes = [sample_size(margin, self.survey.confidence, self.options.at_least) for margin in margins]
        return np.where(self.patterns.called_positive > 0, sizes, 0).astype(np.int64)

    @cached_property
    def parent(self) -> int:
        """The place of the classifier that is named, or else of the one with which the panel needs the fewest labels.

        Raises PlanImpossible where it, or every classifier, calls nothing positive.
        """
        called = self.patterns.called_positive
        if not (called > 0).any():
            raise PlanImpossible("no classifier calls any item positive", expected="one, to recycle its sample")
        if not self.options.parent:
            return best_parent(self.patterns, self.lengths_for_margins)
        place = classifier_index(self.options.parent, self.cells.classifiers)
        if called[place] == 0:
            raise PlanImpossible(
                f"the parent '{self.options.parent}' calls no item positive, so nothing can be recycled",
                hint="name another parent, or none",
            )
        return place

    @property
    def omission_budget(self) -> int:
        """Labels that are kept for the items that the parent calls negative."""
        share = round(self._budget * self.options.omission_share)
        return min(share, int(self.patterns.called_negative[self.parent]))

    @cached_property
    def draw(self) -> PanelDraw:
        """The longest sequences that the rest of the budget pays for, up to the full lengths."""
        left, most = self._budget - self.omission_budget, int(self.lengths_for_margins.max())
        return self.draw_of_length(longest_affordable(left, most, lambda n: self.draw_of_length(n).labels))

    def draw_of_length(self, longest: int) -> PanelDraw:
        """Sequences in proportion to the full lengths, the longest of so many draws."""
        lengths = np.ceil(self.lengths_for_margins * (longest / int(self.lengths_for_margins.max()))).astype(np.int64)
        rng = seeded_generator(self.survey, self.cells.stratum_sizes.astype(np.int64), 1)
        return draw_panel(self.patterns, lengths, self.parent, rng, self.options.mixing)

    @cached_property
    def omission_strata(self) -> Flags:
        """The strata of items that the parent calls negative."""
        return self.cells.by_stratum(self.cells.negative[:, self.parent].astype(np.float64)) > 0

    @cached_property
    def pattern_of_stratum(self) -> Counts:
        """The row of each stratum's pattern; -1 where nobody calls anything positive, so that no sequence is there."""
        count = self.patterns.classifiers
        places = {name: place for place, name in enumerate(self.patterns.names)}
        found = np.full(self.cells.stratum_count, -1, dtype=np.int64)
        for row in np.flatnonzero(self.cells.called_by_any).tolist():
            found[self.cells.strata[row]] = places[self.cells.patterns[row][:count]]
        return found

    @cached_property
    def sequence_totals(self) -> Counts:
        """Items of each stratum in the sequences: those with the smallest permanent random numbers."""
        return np.where(self.pattern_of_stratum >= 0, self.draw.totals[self.pattern_of_stratum], 0).astype(np.int64)

    @cached_property
    def first_item_number(self) -> Counts:
        """The number of each stratum's first item in the draw; its other items have the next numbers."""
        totals = self.draw.totals
        return np.asarray((np.cumsum(totals) - totals)[self.pattern_of_stratum], dtype=np.int64)

    @cached_property
    def totals(self) -> Counts:
        """Labels of each stratum: the sequences', and the rest of the budget where the parent calls items negative."""
        totals = self.sequence_totals.copy()
        if self.omission_budget:
            here = self.omission_strata
            left = self._budget - int(totals[~here].sum())
            sizes = self.cells.stratum_sizes.astype(np.int64)
            totals[here] = allocate_omission_labels(sizes[here], totals[here], left)
        return totals

    @property
    def _budget(self) -> int:
        return self.survey.budget or 0
