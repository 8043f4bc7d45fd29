"""Numbers, times and states as people read them. Every state has a symbol and a word; colour comes last."""

from datetime import datetime
from typing import Final

from stratawatch.core.alarms.drops import worsening
from stratawatch.core.alarms.states import AlarmState
from stratawatch.core.estimate import Known
from stratawatch.core.metrics import METRICS
from stratawatch.engine.model.panel_spec import Window
from stratawatch.engine.span import span_text

MEANINGS: Final = {
    AlarmState.OK: "proven inside its limit",
    AlarmState.UNPROVEN: "inside its limit, not proven",
    AlarmState.AT_RISK: "outside its limit, not proven",
    AlarmState.BREACH: "proven outside its limit",
    AlarmState.BLIND: "cannot be estimated",
}


def percent(value: float) -> str:
    """A share, with a second decimal where shares are small.

    >>> percent(.8123), percent(.0123), percent(1.0)
    ('81.2%', '1.23%', '100%')
    """
    if value in (0.0, 1.0):
        return f"{value:.0%}"
    return f"{value:.1%}" if value >= 0.1 else f"{value:.2%}"


def interval(known: Known) -> str:
    """An interval in percent.

    >>> interval(Known(.8, .75, .85, 100))
    '75.0% to 85.0%'
    """
    return f"{percent(known.low)} to {percent(known.high)}"


def points(change: float) -> str:
    """A difference of two shares, in percentage points, with its sign.

    >>> points(-.123), points(.0004), points(0.0)
    ('−12.3 pts', '+0.04 pts', '±0.0 pts')
    """
    if change == 0:
        return "±0.0 pts"
    digits = 1 if abs(change) >= 0.00095 else 2
    return f"{'+' if change > 0 else '−'}{abs(change) * 100:.{digits}f} pts"


def drop_points(largest: float, metric: str) -> str:
    """The largest drop that a limit allows.

    >>> drop_points(.02, "precision"), drop_points(.0025, "false_omission_rate")
    ('fall 2 pts', 'rise 0.25 pts')
    """
    return f"{worsening(metric)} {largest * 100:.4g} pts"


def day(moment: datetime) -> str:
    """A moment as a day where it is midnight.

    >>> from datetime import UTC
    >>> day(datetime(2026, 1, 5, tzinfo=UTC)), day(datetime(2026, 1, 5, 6, tzinfo=UTC))
    ('2026-01-05', '2026-01-05 06:00')
    """
    return f"{moment:%Y-%m-%d}" if (moment.hour, moment.minute) == (0, 0) else f"{moment:%Y-%m-%d %H:%M}"


def count(number: float) -> str:
    """A whole number with separators.

    >>> count(12809.2)
    '12,809'
    """
    return f"{number:,.0f}"


def when(moment: datetime) -> str:
    """A moment, to the minute, with its offset."""
    text = f"{moment:%Y-%m-%d %H:%M %z}"
    return f"{text[:-2]}:{text[-2:]}"


def span(window: Window) -> str:
    """A window, as everywhere."""
    return span_text(window.start, window.end)


def metric_words(metric: str) -> str:
    """A metric inside a sentence."""
    return METRICS[metric].title if metric in METRICS else metric.replace("_", " ")


def metric_name(metric: str) -> str:
    """A metric as a heading."""
    return capitalised(metric_words(metric))


def capitalised(text: str) -> str:
    """A sentence's beginning; the rest keeps its case, which names need."""
    return text[:1].upper() + text[1:]


def plural(number: int, word: str) -> str:
    """A counted noun.

    >>> plural(1, "incident"), plural(2, "incident")
    ('1 incident', '2 incidents')
    """
    return f"{count(number)} {word}{'' if number == 1 else 's'}"


def css_class(state: AlarmState | None) -> str:
    """The style of a state."""
    return state.value.lower().replace(" ", "-") if state else "none"
