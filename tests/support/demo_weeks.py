"""Weeks of the demo, made by hand."""

from datetime import UTC, datetime
from types import SimpleNamespace

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.demo.comparison import ComparedEstimate
from stratawatch.demo.promises import PagedMetric
from stratawatch.engine.model.alarm_records import Notification

PAGE = PagedMetric("logistic", "precision", 7)


NOTIFICATION = Notification(
    "k", "stratawatch:scam:logistic", "console", "page", "BREACH: precision", "71.2% is [low]", {}, datetime.now(UTC)
)


def score(metric: str, limit: float | None, state: AlarmState | None):
    return SimpleNamespace(classifier="logistic", metric=metric, limit_value=limit, half_width=None, state=state)


def week(number: int, *, precision: IntervalEstimate | Undefined, notifications=(), truth: float = 0.7):
    estimates = [
        Estimate("logistic", metric, None, precision, 300, "", 0.95) for metric in ("precision", "false_omission_rate")
    ]
    return SimpleNamespace(
        number=number,
        view=SimpleNamespace(
            scores=(score("precision", 0.788, AlarmState.UNPROVEN), score("false_omission_rate", None, None)),
            labels=SimpleNamespace(new=900, used=893),
            cost=SimpleNamespace(separate=7_200, shared=10_800),
        ),
        comparisons=tuple(ComparedEstimate(number, estimate, truth, 5_000) for estimate in estimates),
        states=(AlarmState.BREACH, AlarmState.OK, AlarmState.OK),
        notifications=notifications,
        seconds=4.2,
    )


def demo_result(*weeks, pages=((PAGE, NOTIFICATION),)):
    return SimpleNamespace(weeks=weeks, pages=pages, report=None)


PRECISION = IntervalEstimate(0.681, 0.649, 0.711, 500)
