"""Weeks of the demo, made by hand."""

from datetime import UTC, datetime
from types import SimpleNamespace

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.demo.comparison import ComparedEstimate
from stratawatch.demo.promises import PagedMetric
from stratawatch.engine.model.alarm_records import Notification, StreamKey
from stratawatch.report.table_rows import Cost, LabelOutcomes, PlainNeed

PAGE = PagedMetric("logistic", "precision", 7)


NOTIFICATION = Notification(
    "k", "stratawatch:scam:logistic", "console", "page", "BREACH: precision", "71.2% is [low]", {}, datetime.now(UTC)
)


STATES = {
    StreamKey("scam", "logistic", "precision"): AlarmState.BREACH,
    StreamKey("scam", "logistic", "recall"): AlarmState.OK,
    StreamKey("scam", "trees", "precision"): AlarmState.OK,
}


def week(number: int, *, precision: IntervalEstimate | Undefined, notifications=(), truth: float = 0.7):
    """A week with this precision of `logistic`, and its false-omission rate, which has no limit, by the same values."""
    from flows.demo_weeks import WeekResult

    estimates = [
        Estimate("logistic", metric, None, precision, 300, "", 0.95) for metric in ("precision", "false_omission_rate")
    ]
    need = PlainNeed("logistic", "precision", 0.03, separate=7_200, shared=10_800)
    return WeekResult(
        number=number,
        labels=LabelOutcomes(new=900, used=893),
        cost=Cost(used=893, new=900, needs=(need,), undefined_goals=0),
        comparisons=tuple(ComparedEstimate(number, estimate, truth, 5_000) for estimate in estimates),
        states=STATES,
        notifications=notifications,
        seconds=4.2,
    )


def demo_result(*weeks, pages=((PAGE, NOTIFICATION),), recall_over_four=0.035):
    world = SimpleNamespace(floors={("logistic", "precision"): 0.788})
    return SimpleNamespace(world=world, weeks=weeks, pages=pages, report=None, recall_over_four=recall_over_four)


PRECISION = IntervalEstimate(0.681, 0.649, 0.711, 500)
