"""What a picture shows, as a sentence: its title, and what stands for it where no picture is shown."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.alarm_states import MEANINGS, AlarmState
from stratawatch.engine.model.panel_spec import Window, WindowRule
from stratawatch.formatting import capitalised, estimate_text, percent, printable, shortened
from stratawatch.report.view_models import PanelView, Score, limit_word

LONGEST_REASON: Final = 160
"""Characters of the reason why nothing can be told."""


def finding(view: PanelView, score: Score) -> str:
    """A metric's value, on which side of its limit it lies, and since when where it is in breach."""
    name = capitalised(printable(score.name))
    if score.estimate is None:
        why = shortened(printable(score.reason), LONGEST_REASON).rstrip(".")
        still = f", in breach{_since(view, score)}" if score.state == AlarmState.BREACH else ""
        return f"{name} cannot be told{still}{f': {why}' if why else ''}"
    here = estimate_text(score.estimate.value, score.estimate.low, score.estimate.high)
    return ", ".join([f"{name}: {here}", *_against(view, score)])


def is_outside(score: Score) -> bool:
    """Whether the value lies beyond its floor or ceiling."""
    if score.estimate is None or score.limit_value is None:
        return False
    beyond = score.limit_value - score.estimate.value
    return beyond > 0 if limit_word(score.limit) == "floor" else beyond < 0


def _against(view: PanelView, score: Score) -> Iterator[str]:
    """Where the value lies by each end of its limit, and what is known of it."""
    if score.limit_value is not None:
        word = limit_word(score.limit)
        is_below = is_outside(score) == (word == "floor")
        side = f"{'below' if is_below else 'above'} its {word} of {percent(score.limit_value, score.half_width)}"
        if score.state == AlarmState.BREACH and is_outside(score):
            yield side + _since(view, score)
            return
        yield side
    if score.limit is not None and score.limit.max_drop is not None and score.baseline and score.baseline.moved:
        was = percent(score.baseline.estimate.value, score.half_width)
        yield f"{score.baseline.moved} from its baseline of {was}"
    if score.state == AlarmState.BREACH:
        yield f"in breach{_since(view, score)}"
    elif score.state in (AlarmState.AT_RISK, AlarmState.UNPROVEN):
        yield "not proven"
    elif score.state == AlarmState.BLIND:
        yield MEANINGS[score.state]


def _since(view: PanelView, score: Score) -> str:
    """The window in which its open breach began."""
    key = (score.classifier, score.metric, score.segment)
    for row in view.incidents:
        is_open = row.kind == AlarmState.BREACH and row.resolved_at is None
        if is_open and (row.classifier, row.metric, row.segment) == key:
            began = row.since or (row.window.start if row.window else row.opened_at)
            return f" since {_window_name(began, row.window or view.window, view.generated_at)}"
    return ""


def _window_name(start: datetime, like: Window | None, now: datetime) -> str:
    """A window by its first day; the year is said where it is another one."""
    unit = WindowRule(start, like.end - like.start).unit if like else "window"
    year = "" if start.year == now.year else f" {start.year}"
    at = "" if (start.hour, start.minute) == (0, 0) else f" {start:%H:%M}"
    return f"the {unit} of {start.day} {start:%b}{year}{at}"
