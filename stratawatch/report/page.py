"""Views to HTML: one file that needs nothing else, without a script, with every value escaped."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from stratawatch import formatting
from stratawatch.core.alarms.alarm_states import MEANINGS, SYMBOLS, AlarmState
from stratawatch.engine.model.states import CycleState
from stratawatch.report import wording
from stratawatch.report.breach_charts import flags_svg, flags_title, places_svg, places_title
from stratawatch.report.cut_off_chart import cut_off_svg
from stratawatch.report.how_to_read import how_to_read
from stratawatch.report.moved_view import change_text
from stratawatch.report.score_chart import range_text, score_svg, score_title, windows_text
from stratawatch.report.trend_chart import trend_svg
from stratawatch.report.view_models import PanelView, Score

if TYPE_CHECKING:
    from jinja2 import Environment

FILTERS: Final = {
    "percent": formatting.percent,
    "interval": lambda one: formatting.interval_text(one.low, one.high),
    "estimate": lambda one: formatting.estimate_text(one.value, one.low, one.high),
    "points": formatting.signed_points,
    "drop_points": wording.drop_points,
    "day": formatting.day,
    "capitalised": formatting.capitalised,
    "count": formatting.count,
    "width_points": formatting.points,
    "exact_points": formatting.exact_points,
    "when": formatting.minute_with_offset,
    "span": wording.span,
    "metric_name": wording.metric_name,
    "metric_words": wording.metric_words,
    "css_class": wording.css_class,
    "first_day": wording.first_day,
    "first_pair": wording.brief_pair,
    "whole_percent": formatting.whole_percent,
    "score_title": score_title,
    "score_range": range_text,
    "score_windows": windows_text,
    "change_text": change_text,
    "places_title": places_title,
    "flags_title": flags_title,
}
_TROUBLE: Final = (AlarmState.BREACH, AlarmState.AT_RISK, AlarmState.BLIND)
MOST_OPEN_SEGMENTS: Final = 8
"""More segments than this are folded away."""


def panel_page(view: PanelView) -> str:
    """The page of one panel."""
    names, eventful = dict.fromkeys(one.classifier for one in view.trends), _eventful(view)
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            view=view,
            read=how_to_read(view),
            cards=_by_classifier(view.scores),
            trends=[(name, list(group)) for name, group in groupby(view.trends, key=lambda trend: trend.classifier)],
            eventful=[name for name in names if name in eventful],
            calm=[name for name in names if name not in eventful],
            quiet_cycles=all(row.state == CycleState.JUDGED and not row.warnings for row in view.cycles),
            failed=sum(row.state == "failed" for row in view.notifications),
            segments=_segments(view),
            segments_lack=_lacking(view.segments),
        )
    )


def index_page(views: Sequence[tuple[PanelView, str]]) -> str:
    """The list of panels, each with its headline and a link to its newest page."""
    return environment().get_template("index.html.j2").render(views=views)


@cache
def environment() -> "Environment":
    """What templates are filled in with: everything escaped, commands between backticks as code."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(_own),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_with_commands,
    )
    environment.filters |= FILTERS
    environment.globals |= {
        "style": Markup(_own("page.css")),  # noqa: S704 - our own file
        "chart": lambda trend: Markup(trend_svg(trend)),  # noqa: S704 - it holds numbers, dates and our own words
        "places_chart": lambda chart: Markup(places_svg(chart)),  # noqa: S704 - names in it are escaped
        "cut_off_chart": lambda choice: Markup(cut_off_svg(choice)),  # noqa: S704 - numbers and our own words
        "score_chart": lambda curve: Markup(score_svg(curve)),  # noqa: S704 - it holds numbers alone
        "flags_chart": lambda flags: Markup(flags_svg(flags)),  # noqa: S704 - numbers, dates and our own words
        "symbols": SYMBOLS,
        "meanings": MEANINGS,
        "plural": formatting.count_text,
        "READ_AS": formatting.READ_AS,
        "AlarmState": AlarmState,
    }
    return environment


def _own(name: str) -> str:
    return files("stratawatch.report").joinpath(name).read_text(encoding="utf-8")


def _eventful(view: PanelView) -> set[str]:
    """The classifiers that were in trouble in one of the windows, or of which something could not be told."""
    return {
        trend.classifier
        for trend in view.trends
        for point in trend.points
        if point.state in _TROUBLE or (point.estimate is None and not point.under_way)
    }


def _by_classifier(scores: Sequence[Score]) -> list[tuple[str, list[Score]]]:
    return [(name, list(group)) for name, group in groupby(scores, key=lambda score: score.classifier)]


_SegmentRow = tuple[str, str, dict[str, Score]]


def _segments(view: PanelView) -> tuple[list[str], tuple[list[_SegmentRow], list[_SegmentRow]]]:
    """The metrics that are columns, and (segment, classifier, score by metric) of the rows to see and of the others.

    Where something is wrong that is what is to be seen: rows in trouble, and of a breach where it comes from.
    """
    metrics = list(dict.fromkeys(score.metric for score in view.segments))
    grouped = groupby(view.segments, key=lambda score: (score.segment or "", score.classifier))
    rows = [(*place, {score.metric: score for score in group}) for place, group in grouped]
    chart = view.summary.places
    named = {(one.name, chart.classifier) for one in chart.places if one.moved_it} if chart else set()
    shown = [row for row in rows if row[:2] in named or any(score.state in _TROUBLE for score in row[2].values())]
    if not shown and len({row[0] for row in rows}) <= MOST_OPEN_SEGMENTS:
        return metrics, (rows, [])
    return metrics, (shown, [row for row in rows if row not in shown])


def _lacking(scores: Sequence[Score]) -> str:
    """The reason why no segment has an estimate, if it is one for all and none has a limit."""
    reasons = {score.reason for score in scores}
    undefined = all(score.estimate is None and score.limit is None for score in scores)
    return reasons.pop() if undefined and len(reasons) == 1 else ""


_CONTROLS: Final = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), " ")
"""Control characters as blanks, but for tabs and line breaks."""


def _with_commands(value: Any) -> Any:
    """A text, escaped, with what stands between backticks as code, as the terminal's sentences have commands."""
    from markupsafe import Markup, escape

    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    value = value.translate(_CONTROLS)  # names come from data, and HTML may hold none of these
    parts = value.split("`")
    if len(parts) < 3 or len(parts) % 2 == 0:
        return value
    shown = (Markup("<code>{}</code>").format(part) if odd % 2 else escape(part) for odd, part in enumerate(parts))
    return Markup().join(shown)
