"""All classifiers of a panel at a glance: two metrics as dots with intervals against limits, the worst at the top."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from stratawatch.chart_colours import GREY, INK
from stratawatch.core.alarms.alarm_states import SYMBOLS, URGENCY, AlarmState
from stratawatch.formatting import confidence_text, count_text, exact_points, percent, span_text
from stratawatch.report.findings import finding
from stratawatch.report.picture_parts import (
    GRID,
    LINE,
    QUIET,
    WIDTH,
    broken,
    legend,
    legend_height,
    mark,
    name,
    quiet,
    tint_of,
    write_lines,
)
from stratawatch.report.view_models import PanelView, Score
from stratawatch.report.wording import metric_name

if TYPE_CHECKING:  # matplotlib takes half a second to load; only drawing needs it
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_ROWS: Final = 24
"""Classifiers, the most urgent first; of the others there is the number. More make a picture too large for a mail."""
MOST_NAMED: Final = 4
"""Breaches that are told in sentences."""
_METRICS: Final = 2
_ROW: Final = 0.27
_NAMES, _VALUES, _EDGE = 1.25, 0.72, 0.08
"""Inches for the names at the left, for the values beside each frame, and what stays free at the right."""
_LETTERS: Final = 66
_LETTERS_OF_TITLE: Final = 54
_LETTERS_OF_NAME: Final = 16


def overview_figure(view: PanelView) -> "Figure":
    """Draw the classifiers of a panel that has scores."""
    from matplotlib.figure import Figure

    metrics, rows = shown_metrics(view.scores), by_urgency(view.scores)
    shown = rows[:MOST_ROWS]
    drawn = [one for one in view.scores if one.metric in metrics and one.classifier in shown]
    states = {one.state for one in drawn if one.estimate}
    limited = any(one.limit_value is not None for one in drawn)
    title = broken(view.headline.sentence, _LETTERS_OF_TITLE, 4)
    said = [line for text in broken_limits(view, metrics) for line in broken(text, _LETTERS, 3)]
    foot = broken(_foot(view, len(rows) - len(shown)), 74, 3)
    foot += ["?: cannot be told"] if any(one.estimate is None for one in drawn) else []
    body = len(shown) * _ROW
    below = 0.36 + legend_height(states, limited) + len(foot) * LINE + 0.1
    height = 0.14 + (len(title) * 1.1 + len(said)) * LINE + 0.36 + body + below
    figure = Figure(figsize=(WIDTH, height))
    top = write_lines(figure, title, height - 0.1, fontsize=11, weight="bold") - 0.04
    top = write_lines(figure, said, top)
    floor = below
    wide = (WIDTH - _NAMES - _EDGE) / len(metrics)
    for place, metric in enumerate(metrics):
        left = _NAMES + place * wide
        size = (left / WIDTH, floor / height, (wide - _VALUES) / WIDTH, body / height)
        mine = {one.classifier: one for one in drawn if one.metric == metric}
        _draw(figure.add_axes(size), metric, shown, mine, has_names=place == 0)
    legend(figure, states, limit="limit" if limited else "", baseline=False, top=floor - 0.36)
    write_lines(figure, foot, 0.08 + len(foot) * LINE, fontsize=9, color=QUIET)
    return figure


def shown_metrics(scores: Sequence[Score]) -> list[str]:
    """The two metrics that have the worst states, in the page's order: precision and recall where all stand alike."""
    worst = {one.metric: len(URGENCY) for one in scores}
    for one in scores:
        worst[one.metric] = min(worst[one.metric], _urgency(one))
    kept = sorted(worst, key=lambda metric: worst[metric])[:_METRICS]
    return [metric for metric in worst if metric in kept]


def by_urgency(scores: Sequence[Score]) -> list[str]:
    """The classifiers, those in the most urgent state first, else in the panel's order."""
    worst: dict[str, int] = {}
    for one in scores:
        worst[one.classifier] = min(worst.get(one.classifier, len(URGENCY)), _urgency(one))
    return sorted(worst, key=lambda classifier: worst[classifier])


def broken_limits(view: PanelView, metrics: Sequence[str]) -> list[str]:
    """A sentence on each breach, those of segments and of metrics that are not drawn included."""
    scores = [one for one in (*view.scores, *view.segments) if one.state == AlarmState.BREACH]
    said = [f"{finding(view, one)}{'' if _is_drawn(one, metrics) else ' (not drawn)'}." for one in scores[:MOST_NAMED]]
    more = len(scores) - MOST_NAMED
    return [*said, *([f"{count_text(more, 'more breach', 'more breaches')}: see the page."] if more > 0 else [])]


def _is_drawn(score: Score, metrics: Sequence[str]) -> bool:
    return score.segment is None and score.metric in metrics


def _urgency(score: Score) -> int:
    return URGENCY.index(score.state) if score.state else len(URGENCY)


def _foot(view: PanelView, left_out: int) -> str:
    when = f", {span_text(view.window.start, view.window.end)}" if view.window else ""
    sure = f"bars are {confidence_text(view.method.confidence)} intervals"
    others = f"; {count_text(left_out, 'more classifier')} on the page" if left_out else ""
    return f"{name(view.panel)}{when}; {sure}{others}"


def _draw(axes: "Axes", metric: str, rows: Sequence[str], scores: dict[str, Score], *, has_names: bool) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_ylim(len(rows) - 0.5, -0.5)
    scale = next(iter(scores.values())).scale
    margin = (scale.high - scale.low) * 0.05
    axes.set_xlim(scale.low - margin, scale.high + margin)
    axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(lambda value, _: f"{exact_points(round(value, 9))}%")
    axes.grid(visible=True, axis="x", color=GRID, linewidth=0.8)
    axes.set_title(metric_name(metric), fontsize=10, loc="left", pad=4)
    axes.set_yticks(range(len(rows)), [_short(one) for one in rows] if has_names else [""] * len(rows))
    quiet(axes)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    for place, classifier in enumerate(rows):
        score = scores.get(classifier)
        if score is not None:
            _draw_row(axes, place, score)


def _short(text: str) -> str:
    said = name(text)
    return said if len(said) <= _LETTERS_OF_NAME else f"{said[: _LETTERS_OF_NAME - 1]}…"


def _draw_row(axes: "Axes", place: int, score: Score) -> None:
    estimate, limit = score.estimate, score.limit_value
    if limit is not None:
        axes.vlines(limit, place - 0.42, place + 0.42, color=INK, linestyle=(0, (4, 2)), linewidth=1.3)
    if estimate is not None:
        axes.hlines(place, estimate.low, estimate.high, color=tint_of(score.state), linewidth=2.4)
        axes.plot([estimate.value], [place], **mark(score.state))
    sign = f"{SYMBOLS[score.state]} " if score.state else ""
    value = percent(estimate.value, score.half_width) if estimate else "?" if not sign else ""
    bold = "bold" if score.state in (AlarmState.BREACH, AlarmState.AT_RISK, AlarmState.BLIND) else "normal"
    colour = INK if score.state else GREY
    axes.text(1.05, place, f"{sign}{value}".strip(), transform=axes.get_yaxis_transform(), va="center", weight=bold,
              color=colour, fontsize=9)  # fmt: skip
