"""What the statistics say: goals and limits in, plans, estimates and judgements out. Undefined is a value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from stratawatch.core.population import Segment

Option = str | int | float | bool
"""A setting of a design."""

Verdict = Literal["yes", "no", "unresolved"]
"""The resolved label of an item; one that people could not decide is `unresolved`."""


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


@dataclass(frozen=True)
class Known:
    """A value inside its interval. `n_eff`: the simple random sample that would know it as well."""

    value: float
    low: float
    high: float
    n_eff: float

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Undefined:
    """No information, and the reason why, in words for a person."""

    reason: str


@dataclass(frozen=True)
class Estimate:
    """One metric of one classifier, over the whole population or inside one segment.

    `deff` is the design effect of labels that come in clusters, which the interval counts; None: no clusters are known.
    """

    classifier: str
    metric: str
    segment: Segment | None
    outcome: Known | Undefined
    labels_used: int
    method: str
    confidence: float
    deff: float | None = None


@dataclass(frozen=True)
class Plan:
    """Cumulative labels per stratum after this round, and what they are expected to buy.

    `half_widths` maps (classifier, metric) to the expected half-width with `totals` labels;
    `exhausted` lists strata whose pool could not give what the allocation asked for.
    """

    totals: tuple[int, ...]
    half_widths: Mapping[tuple[str, str], float]
    method: str
    exhausted: tuple[int, ...] = ()

    @property
    def labels(self) -> int:
        """Labels of all strata together, those that are known already included."""
        return sum(self.totals)


class AlarmState(StrEnum):
    """Where a classifier x metric x segment stands against its limit."""

    OK = "OK"
    UNPROVEN = "UNPROVEN"
    AT_RISK = "AT RISK"
    BREACH = "BREACH"
    BLIND = "BLIND"


@dataclass(frozen=True)
class Judgement:
    """An alarm state and the sentence that explains it."""

    state: AlarmState
    reason: str
