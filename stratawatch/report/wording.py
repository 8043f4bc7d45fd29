"""Names of metrics, states and limits on the pages. Every state has a symbol and a word beside its colour."""

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.drops import worsening_word
from stratawatch.core.metrics import METRICS
from stratawatch.engine.model.panel_spec import Window
from stratawatch.formatting import capitalised, exact_points, span_text


def drop_points(largest: float, metric: str) -> str:
    """The largest drop that a limit allows.

    >>> drop_points(.02, "precision"), drop_points(.0025, "false_omission_rate")
    ('fall 2 pts', 'rise 0.25 pts')
    """
    return f"{worsening_word(metric)} {exact_points(largest)} pts"


def brief_percent(value: float) -> str:
    """A share where there is no room for more: whole percent from 10% on, else one decimal.

    >>> brief_percent(0.672), brief_percent(0.0184)
    ('67%', '1.8%')
    """
    return f"{value:.0%}" if value >= 0.1 or value == 0 else f"{value:.1%}"


def brief_pair(values: tuple[float, float | None]) -> tuple[str, str]:
    """A share and what stands beside it, in as many digits as tell them apart.

    >>> brief_pair((0.672, 0.788)), brief_pair((0.776, 0.78)), brief_pair((0.7, None))
    (('67%', '79%'), ('77.6%', '78.0%'), ('70%', ''))
    """
    value, other = values
    if other is None:
        return brief_percent(value), ""
    texts = brief_percent(value), brief_percent(other)
    if value == other or texts[0] != texts[1]:
        return texts
    pairs = ((f"{value:.{digits}%}", f"{other:.{digits}%}") for digits in (1, 2, 3))
    return next((pair for pair in pairs if pair[0] != pair[1]), texts)


def span(window: Window) -> str:
    """The window of a table's row or a sentence."""
    return span_text(window.start, window.end)


def first_day(window: Window) -> str:
    """A window by when it begins and how long it is, as its last day reads as one more.

    >>> from datetime import UTC, datetime
    >>> first_day(Window(datetime(2026, 3, 9, tzinfo=UTC), datetime(2026, 3, 16, tzinfo=UTC)))
    'the week of 2026-03-09'
    """
    unit, start = window.unit, window.start
    at_midnight = (start.hour, start.minute) == (0, 0)
    return f"the {unit} of {start:%Y-%m-%d}" if unit in ("day", "week") and at_midnight else span(window)


def metric_words(metric: str) -> str:
    """A metric inside a sentence."""
    return METRICS[metric].title if metric in METRICS else metric.replace("_", " ")


def metric_name(metric: str) -> str:
    """A metric as a heading."""
    return capitalised(metric_words(metric))


def css_class(state: AlarmState | None) -> str:
    """The style of a state."""
    return state.value.lower().replace(" ", "-") if state else "none"
