"""How to read each table of a report: one of its rows as a sentence, which stands below it."""

from collections.abc import Sequence
from dataclasses import dataclass

from stratawatch.engine.evidence.cut_off_text import cut_off_in_words
from stratawatch.engine.evidence.score_curves import ScoreCurve
from stratawatch.formatting import count, count_text, estimate_in_words, exact_points, minute, percent, points
from stratawatch.report.moved_view import MovedView, change_text
from stratawatch.report.score_chart import range_text
from stratawatch.report.table_rows import BoundsRow
from stratawatch.report.view_models import PanelView, Score, limit_word
from stratawatch.report.wording import brief_percent, metric_words, span


@dataclass(frozen=True)
class HowToRead:
    """A sentence for each table; empty where the table is not there."""

    first: str
    scorecard: str
    several: str
    moved: tuple[str, ...]
    scores: tuple[str, ...]
    cut_offs: tuple[str, ...]
    segments: str
    bounds: str
    sides: str
    strata: str
    label_errors: str
    cycles: str
    next_window: str
    incidents: str
    notifications: str
    counted: str
    cost: str


def how_to_read(view: PanelView) -> HowToRead:
    """The sentences of a page."""
    missing = view.missing
    return HowToRead(
        first=_first(view),
        scorecard=_estimate(view, view.scores),
        several=_several(view),
        moved=tuple(map(_moved, view.moved)),
        scores=tuple(map(_scores, view.score_curves)),
        cut_offs=tuple(cut_off_in_words(tried.rows) if tried.rows else "" for tried in view.cut_offs),
        segments=_estimate(view, view.segments),
        bounds=_bounds(missing.bounds) if missing else "",
        sides=missing.of_sides[0].in_words if missing and missing.of_sides else "",
        strata=missing.of_strata[0].in_words if missing and missing.of_strata else "",
        label_errors=_label_error(view),
        cycles=_cycle(view),
        next_window=_next_window(view),
        incidents=_incident(view),
        notifications=_notification(view),
        counted=_counted(view),
        cost=_cost(view),
    )


def _estimate(view: PanelView, scores: Sequence[Score]) -> str:
    for one in scores:
        if one.estimate:
            found = one.estimate.value, one.estimate.low, one.estimate.high
            return estimate_in_words(one.name, *found, view.method.confidence, one.labels_used)
    return "a metric of a classifier, and why there is no value" if scores else ""


def _several(view: PanelView) -> str:
    for row in view.several.rows if view.several else ():
        for one in row.readings:
            if one and one.found and not one.before:
                name = f"{metric_words(row.metric)} of {row.classifier} in the last {count_text(one.windows, 'window')}"
                ends = one.found.value, one.found.low, one.found.high
                return estimate_in_words(name, *ends, view.method.confidence, one.labels_used)
    return "a metric over several windows, and how far it moved"


def _first(view: PanelView) -> str:
    for row in view.summary.rows:
        for score in row.scores:
            if score and score.estimate:
                told = f"the {score.name} is {brief_percent(score.estimate.value)}"
                if score.limit_value is not None:
                    told += f", its {limit_word(score.limit)} {brief_percent(score.limit_value)}"
                return f"{told}; flags are those of this window"
    return "how a classifier's metrics are, and how many items it flagged"


def _moved(found: MovedView) -> str:
    first = found.rows[0]
    part, how = (first.rate, "are right or wrong more often") if first.rate else (first.mix, "are more or fewer of all")
    return f"items of {first.name} {how} than before, which alone moved it by {change_text(part)}" if part else ""


def _scores(curve: ScoreCurve) -> str:
    first = curve.groups[0]
    spread = (
        f"{percent(first.now.share)} of the items have a score of {range_text(first)}, {percent(first.before.share)}"
    )
    return f"{spread} had one before; of {curve.classifier} alone"


def _counted(view: PanelView) -> str:
    for one in view.scores:
        if one.estimate:
            random = f"as {count(one.estimate.n_eff)} of a simple random sample would"
            told = f"{count_text(one.labels_used, 'label')} tell as much of the {one.name} {random}"
            return f"{told}; its interval is made by: {one.method}"
    return ""


def _cost(view: PanelView) -> str:
    if view.cost is None or not view.cost.needs:
        return ""
    first = view.cost.needs[0]
    known = f"to know the {metric_words(first.metric)} of {first.classifier} to ±{percent(first.half_width)}"
    return f"{known} takes {count(first.separate)} random labels of its own, or {count(first.shared)} of all items"


def _bounds(rows: Sequence[BoundsRow]) -> str:
    if not rows:
        return ""
    first, half = rows[0], rows[0].estimate.half_width
    ends = f"{percent(first.bounds.lowest, half)} or as high as {percent(first.bounds.highest, half)}"
    missing = f"{percent(first.bounds.missing_share)} of its answers are missing"
    return f"the {metric_words(first.metric)} of {first.classifier} could be as low as {ends}, as {missing}"


def _label_error(view: PanelView) -> str:
    if view.label_errors is None or not view.label_errors.rows:
        return ""
    first = view.label_errors.rows[0]
    name = f"the {metric_words(first.metric)} of {first.classifier}"
    return f"{name} is {first.labelled} by the labels as they are; without their errors: {first.corrected}"


def _cycle(view: PanelView) -> str:
    if not view.cycles:
        return ""
    first = view.cycles[0]
    labels = f"{count(first.labels.used)} of {count_text(first.labels.drawn, 'drawn item')} have an answer that counts"
    return f"the window {span(first.window)} is {first.state.value}, and {labels}"


def _next_window(view: PanelView) -> str:
    if view.next_window is None:
        return ""
    first = view.next_window.rows[0]
    name = f"the {metric_words(first.metric)} of {first.classifier}"
    if first.expected is None:
        return f"nothing can be said of how well the next window tells {name}"
    low, high = (points(end, first.wanted) for end in first.expected)
    wanted = f"±{exact_points(first.wanted)} is wanted"
    return f"the next window is expected to tell {name} to ±{low} to {high} points; {wanted}"


def _incident(view: PanelView) -> str:
    if not view.incidents:
        return ""
    first = view.incidents[0]
    ended = "is still open" if first.resolved_at is None else f"ended at {minute(first.resolved_at)}"
    name = f"{first.name[:1].lower()}{first.name[1:]}"
    return f"the {first.kind.value} of {name} opened at {minute(first.opened_at)} and {ended}"


def _notification(view: PanelView) -> str:
    if not view.notifications:
        return ""
    first = view.notifications[0]
    return (
        f"written at {minute(first.at)} for {first.channel}, severity {first.severity}; its delivery is {first.state}"
    )
