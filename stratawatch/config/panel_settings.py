"""One [panels.NAME] table."""

from collections.abc import Collection
from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticKnownError

from stratawatch.adapters.sources import SourceSettings
from stratawatch.core.alarms.alarm_states import AlarmRule
from stratawatch.core.designs import DESIGNS
from stratawatch.core.estimation.variance_methods import VARIANCES
from stratawatch.core.metrics import METRICS
from stratawatch.core.second_votes import NO_SECOND_VOTES, SecondVotes
from stratawatch.engine.model.drift_rule import DriftRule, Reaction
from stratawatch.engine.model.panel_spec import Duplicates, RandomNumbers, ScoreKind, StopRule
from stratawatch.engine.model.shared_budget import LEAST_BUDGET
from stratawatch.settings.shapes import Duration, Link, Moment, Name, PositiveDuration, Shape, Share, Text


def _one_of(registry: Collection[str]) -> AfterValidator:
    """Refuse as a Literal would what is not registered, so that the sentence is that of every other wrong word."""

    def check(word: str) -> str:
        if word not in registry:
            raise PydanticKnownError("literal_error", {"expected": ", ".join(registry)})
        return word

    return AfterValidator(check)


def _number_as_text(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("is not for booleans, which are read without it: remove it")  # noqa: TRY004 - pydantic collects
    return str(value) if isinstance(value, int | float) else value


Metric = Annotated[str, _one_of(METRICS)]
Design = Annotated[str, _one_of(DESIGNS)]
Variance = Annotated[str, _one_of(VARIANCES)]


class ColumnSettings(Shape):
    """[panels.NAME.columns]: where the source keeps what."""

    item: Text
    time: Text
    ingested: Text | None = None
    partition: Text | None = None
    classifier: Text | None = None
    payload: Annotated[list[Text], Field(min_length=1)]
    segments: list[Text] = Field(default_factory=list)
    cluster: Text | None = None


class WindowSettings(Shape):
    """[panels.NAME.schedule]: windows of length `every`, counted from `start`."""

    start: Moment
    every: Annotated[PositiveDuration, Field(ge=timedelta(minutes=1), le=timedelta(days=366))]
    lateness: Annotated[Duration, Field(le=timedelta(days=31))] = timedelta(0)


class CostSettings(Shape):
    """[panels.NAME.costs]: what mistakes cost; alerts and reports tell harm in it, too."""

    unit: Annotated[Text, Field(max_length=20)]
    """A currency, or hours: whatever the numbers are of."""
    wrong_flag: Annotated[float, Field(gt=0, le=1e9)] | None = None
    miss: Annotated[float, Field(gt=0, le=1e9)] | None = None


class DriftSettings(Shape):
    """[panels.NAME.drift]: what to do when a window's input is unlike that of the windows before it."""

    volume: Reaction = DriftRule.volume
    silent: Reaction = DriftRule.silent
    scale: Reaction = DriftRule.scale
    frozen: Reaction = DriftRule.frozen
    types: Reaction = DriftRule.types
    replay: Reaction = DriftRule.replay
    missed: Reaction = DriftRule.missed
    clock: Reaction = DriftRule.clock
    factor: Annotated[float, Field(ge=1.1, le=100)] = DriftRule.factor


class ClassifierSettings(Shape):
    """[panels.NAME.classifiers.NAME]: a model, its version and its cut-off."""

    score: Text | None = None
    score_kind: ScoreKind = "probability"
    call: Text | None = None
    cut_off: float | None = None
    called: Text | None = None
    call_yes: Annotated[Text, BeforeValidator(_number_as_text)] | None = None
    paused: bool = False
    shadow: bool = False


class AuxiliarySettings(Shape):
    """[panels.NAME.auxiliary.NAME]: a score that guides the design and is not watched itself."""

    score: Text
    score_kind: ScoreKind = "probability"
    called: Text | None = None


class GoalSettings(Shape):
    """[[panels.NAME.goals]]: how precisely a metric should be known; without any precision to .03, recall to .05."""

    metric: Metric
    margin: Annotated[float, Field(ge=0.001, le=0.5)]
    classifiers: list[str] = Field(default_factory=list)


class LimitSettings(Shape):
    """[[panels.NAME.limits]]: how bad a metric may be, by itself or beside its baseline."""

    metric: Metric
    floor: Share | None = None
    ceiling: Share | None = None
    max_drop: Share | None = None
    classifiers: list[str] = Field(default_factory=list)
    segment: Text | None = None


class DeploymentSettings(Shape):
    """[[panels.NAME.deployments]]: what was put into service and when; charts of the report mark it."""

    at: Moment
    what: Annotated[Text, Field(max_length=100)]
    classifier: Name | None = None


class PanelSettings(Shape):
    """The classifiers that answer the same yes/no question about the same items."""

    paused: bool = False
    owner: Annotated[Text, Field(max_length=100)] | None = None
    """Who looks after it: told in notifications, as is where its runbook is."""
    runbook: Link | None = None
    question: Text
    guideline: Text | None = None
    guideline_file: Text | None = None
    guideline_version: Text | None = None
    seed: Text
    budget: Annotated[int, Field(ge=LEAST_BUDGET, le=1_000_000)]
    floor: Annotated[int, Field(ge=LEAST_BUDGET, le=1_000_000)] = LEAST_BUDGET
    """Of a shared budget: what no other panel takes from a cycle of this one."""
    priority: Annotated[int, Field(ge=-1000, le=1000)] = 0
    """Of a shared budget: panels with a larger one come first."""
    stop_rule: StopRule = "budget"
    rounds: Annotated[int, Field(ge=2, le=3)] = 3
    """How often people are asked at most, where the goals decide how many labels there are."""
    design: Design = "joint"
    options: dict[str, Any] = Field(default_factory=dict)
    """Judged by the design that they are for: see `metric_rules.options_of_the_design`."""
    variance: Variance = "default"
    votes: Annotated[int, Field(ge=1, le=25)] = 1
    second_votes: SecondVotes = NO_SECOND_VOTES
    gold_share: Annotated[float, Field(gt=0, le=0.5)] | None = None
    same_items_as: Name | None = None
    deadline: Annotated[PositiveDuration, Field(le=timedelta(days=366))]
    confidence: Annotated[float, Field(ge=0.5, le=0.9999)] = 0.95
    false_pages_per_year: Annotated[float, Field(gt=0, le=100)] = 1.0
    max_bad_row_share: Annotated[float, Field(ge=0, lt=1)] = 0.01
    max_missing_score_share: Annotated[float, Field(ge=0, le=1)] | None = None
    batch_size: Annotated[int, Field(ge=1, le=100_000)] = 500
    label_validity: PositiveDuration = timedelta(days=90)
    alarms: AlarmRule = "evidence"
    focus: bool = True
    random_numbers: RandomNumbers = "permanent"
    blind_margin_factor: Annotated[float, Field(ge=1, le=100)] = 3.0
    duplicates: Duplicates = "refuse"
    drift: DriftSettings = DriftSettings()
    costs: CostSettings | None = None
    source: SourceSettings
    columns: ColumnSettings
    schedule: WindowSettings
    classifiers: Annotated[dict[Name, ClassifierSettings], Field(min_length=1)]
    auxiliary: dict[Name, AuxiliarySettings] = Field(default_factory=dict)
    deployments: Annotated[list[DeploymentSettings], Field(max_length=200)] = Field(default_factory=list)
    goals: list[GoalSettings] = Field(default_factory=list)
    limits: list[LimitSettings] = Field(default_factory=list)
