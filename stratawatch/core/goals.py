"""What a survey is for: goals, limits and the budget."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from stratawatch.core.population import Segment
from stratawatch.core.second_votes import NO_SECOND_VOTES, SecondVotes
from stratawatch.renamed_arguments import renamed_arguments

DEFAULT_VARIANCE: Final = "default"
"""The variance method that is the estimates' own: it borrows from history where goals decide, and else follows it."""
LABELS_ALONE: Final = "labels"
"""The same without a history's part."""
OWN_VARIANCES: Final = (DEFAULT_VARIANCE, LABELS_ALONE)
"""The variance methods whose windows can be counted together."""
Option = str | int | float | bool
"""A setting of a design."""
LimitEnd = Literal["floor", "ceiling", "max_drop"]
"""What a limit says of a metric: each end that it has is tested by itself."""


@renamed_arguments(of="classifiers")
@dataclass(frozen=True)
class Goal:
    """How precisely a metric should be known: the half-width of its interval, for some classifiers or for all.

    >>> Goal("precision", margin=0.03, classifiers=("lr",))
    Goal(metric='precision', margin=0.03, classifiers=('lr',))
    """

    metric: str
    margin: float
    classifiers: tuple[str, ...] = ()

    def is_for(self, classifier: str, metric: str | None = None) -> bool:
        """Whether the goal is for this classifier and this metric (None: any)."""
        return metric in (None, self.metric) and (not self.classifiers or classifier in self.classifiers)


@dataclass(frozen=True)
class Focus:
    """The classifier and metric whose limit the evidence speaks against, so that the next labels are about it."""

    classifier: str
    metric: str


@dataclass(frozen=True)
class SurveySpec:
    """What a survey must find out, and with what means: goals, budget, confidence and the design's name.

    `budget` counts distinct items sent to people in all rounds together. `stop_at_goals` False: the budget is spent
    where it narrows intervals most. True: the plan has as many labels as the goals' margins need, and never more than
    the budget (None: no such cap). `design` names how items are drawn and labels read (see `core.designs`), with its
    `options`; `seed` seeds the random numbers of designs that use any. `variance` names how intervals are computed
    (see `core.estimation.variance_methods`). `focus` is what plans ask most for. `rounds`:
    how often labels are asked for at most, where goals decide how many there are.
    """

    goals: tuple[Goal, ...] = ()
    budget: int | None = None
    stop_at_goals: bool = False
    confidence: float = 0.95
    design: str = "joint"
    options: Mapping[str, Option] = field(default_factory=dict)
    seed: str = ""
    variance: str = DEFAULT_VARIANCE
    second_votes: SecondVotes = NO_SECOND_VOTES
    focus: Focus | None = None
    rounds: int = 3

    @property
    def without_borrowing(self) -> "SurveySpec":
        """The survey with intervals that rest on its own labels alone.

        >>> SurveySpec().without_borrowing.variance, SurveySpec(variance="brr").without_borrowing.variance
        ('labels', 'brr')
        """
        return replace(self, variance=LABELS_ALONE) if self.variance == DEFAULT_VARIANCE else self


@renamed_arguments(of="classifiers")
@dataclass(frozen=True)
class Limit:
    """How bad a metric of some classifiers (or of all) may be: a floor, or a ceiling where small is good.

    `max_drop` is how much worse than its baseline it may be, instead or beside.

    >>> Limit("precision", floor=0.9, max_drop=0.05).tests
    2
    """

    metric: str
    floor: float | None = None
    ceiling: float | None = None
    classifiers: tuple[str, ...] = ()
    segment: Segment | None = None
    max_drop: float | None = None

    @property
    def tests(self) -> int:
        """How many things a judgement tests: each of them could page falsely."""
        return sum(end is not None for end in (self.floor, self.ceiling, self.max_drop))
