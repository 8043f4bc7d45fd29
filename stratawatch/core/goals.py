"""What a survey is for: goals, limits and the budget."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stratawatch.core.population import Segment

Option = str | int | float | bool
"""A setting of a design."""


@dataclass(frozen=True)
class Goal:
    """How precisely a metric should be known: the wanted half-width, for some classifiers or for all."""

    metric: str
    margin: float
    of: tuple[str, ...] = ()


@dataclass(frozen=True)
class Commission:
    """What labels are wanted for. `budget` counts distinct items sent to people in all rounds together.

    `until_goals` False: spend the budget where it buys most. True: as many labels as the goals' margins need, and
    never more than the budget (None: no such cap). `design` names how they are drawn and read (see `core.designs`),
    with its `options`; `seed` is what it throws dice with, if it does. `variance` names how intervals come about
    (see `core.estimation.variances`).
    """

    goals: tuple[Goal, ...] = ()
    budget: int | None = None
    until_goals: bool = False
    confidence: float = 0.95
    design: str = "joint"
    options: Mapping[str, Option] = field(default_factory=dict)
    seed: str = ""
    variance: str = "default"


@dataclass(frozen=True)
class Limit:
    """How bad a metric of some classifiers (or of all) may be: a floor, or a ceiling where small is good.

    `max_drop` is how much worse than its baseline it may be, instead or beside.
    """

    metric: str
    floor: float | None = None
    ceiling: float | None = None
    of: tuple[str, ...] = ()
    segment: Segment | None = None
    max_drop: float | None = None

    @property
    def tests(self) -> int:
        """How many things a judgement tests: each of them could page falsely."""
        return sum(end is not None for end in (self.floor, self.ceiling, self.max_drop))
