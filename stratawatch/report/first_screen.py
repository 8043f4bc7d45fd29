"""What stands below the headline of a report: a line for each classifier, the trouble first, and two small charts."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.alarm_states import URGENCY, AlarmState
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.formatting import capitalised, count_text, exact_points, points, signed_points
from stratawatch.report.breach_rows import FlagCounts, Place, PlacesChart
from stratawatch.report.report_data import CycleData, ReportData
from stratawatch.report.view_models import ClassifierRow, Score, Summary, interval_of
from stratawatch.report.wording import metric_words

MOST_ROWS: Final = 8
"""Classifiers that have a line of their own; of the others there is the name, unless something is wrong with them."""
MOST_METRICS: Final = 2
"""Metrics of a line; the rest is one click deeper."""
MOST_PLACES: Final = 5
_USUAL_WINDOWS: Final = 4
_ALL_MOVED: Final = 3
"""Classifiers at least of whom a move in one direction is the sample's."""
_FINE: Final = (AlarmState.OK, AlarmState.UNPROVEN, None)


def summary(facts: ReportData, scores: Sequence[Score], segments: Sequence[Score]) -> Summary:
    """The lines of all classifiers, the charts of a breach, and what else is to be known at once."""
    metrics = _metrics(scores)
    rows = [_row(facts, name, metrics, scores, segments) for name in dict.fromkeys(one.classifier for one in scores)]
    rows.sort(key=lambda row: len(URGENCY) if row.state is None else URGENCY.index(row.state))
    shown = max(MOST_ROWS, sum(row.state not in _FINE for row in rows))
    shown_scores = [one for one in scores if one.metric in metrics]
    notes = (*_too_wide(facts, scores), *(_moved_together(shown_scores) if _is_next(facts) else ()))
    broken = _broken(facts)
    chart = None if broken is None else _places(facts, broken)
    flags = None if broken is None else next((row.flags for row in rows if row.name == broken.classifier), None)
    return Summary(metrics, tuple(rows[:shown]), tuple(row.name for row in rows[shown:]), notes, chart, flags)


def _metrics(scores: Sequence[Score]) -> tuple[str, ...]:
    """Those with a limit, where something is wrong first, else the first ones."""
    known = list(dict.fromkeys(one.metric for one in scores))
    limited = [name for name in known if any(one.limit for one in scores if one.metric == name)] or known
    troubled = [name for name in limited if any(one.state not in _FINE for one in scores if one.metric == name)]
    chosen = [*troubled, *(name for name in limited if name not in troubled)][:MOST_METRICS]
    return tuple(name for name in known if name in chosen)


def _row(
    facts: ReportData, name: str, metrics: Sequence[str], scores: Sequence[Score], segments: Sequence[Score]
) -> ClassifierRow:
    own = {one.metric: one for one in scores if one.classifier == name}
    states = [one.state for one in (*scores, *segments) if one.classifier == name and one.state is not None]
    worst = min(states, key=URGENCY.index, default=None)
    return ClassifierRow(name, worst, tuple(own.get(metric) for metric in metrics), _flags(facts, name))


def _flags(facts: ReportData, name: str) -> FlagCounts | None:
    """What the classifier flagged in each window that was counted, up to the scorecard's."""
    newest = facts.newest
    if newest is None:
        return None
    judged = [one for one in facts.cycles if one.revision is not None and one.cycle.period <= newest.cycle.period]
    found = [(one, flags) for one in judged if (flags := _positives(one, name)) is not None]
    if not found or found[-1][0] is not newest:
        return None
    since = min((s for key, s in _breaches(facts) if key.classifier == name), default=None)
    until = since or newest.cycle.window.start
    before = [flags for one, flags in found if one.cycle.window.start < until][-_USUAL_WINDOWS:]
    starts = tuple(one.cycle.window.start for one, _ in found)
    usual = sum(before) / len(before) if before else None
    return FlagCounts(name, starts, tuple(flags for _, flags in found), usual, since if since in starts else None)


def _positives(one: CycleData, name: str) -> int | None:
    columns = one.cycle.profile.columns.get(name) if one.cycle.profile else None
    return None if columns is None else columns.get("positives")


def _breaches(facts: ReportData) -> Iterator[tuple[StreamKey, datetime]]:
    """The open breaches, with the window in which each most likely began."""
    for one in facts.incidents:
        if one.kind == AlarmState.BREACH and one.resolved_at is None:
            paged_in = facts.cycle_windows.get(one.cycle_id)
            since = one.since or (paged_in.window.start if paged_in else None)
            if since is not None:
                yield one.key, since


def _broken(facts: ReportData) -> StreamKey | None:
    """The breach of which charts are drawn: the one of all items that does most harm now."""
    names = {one.name for one in facts.spec.classifiers}
    open_ = (key for key, _ in _breaches(facts) if key.segment is None and key in facts.breaches)
    found = [key for key in open_ if key.classifier in names]
    return max(found, key=lambda key: facts.breaches[key].more_wrong, default=None)


def _places(facts: ReportData, key: StreamKey) -> PlacesChart | None:
    """A broken metric by segment, window by window: those that moved it, and others of their column."""
    newest, named = facts.newest, facts.breaches[key].named_segments
    if newest is None or not named:
        return None
    columns = {name.partition("=")[0] for name in named}
    sizes: dict[str, int] = {}
    for atom in facts.atoms:
        for segment, size in atom.segments.items():
            if str(segment).partition("=")[0] in columns:
                sizes[str(segment)] = sizes.get(str(segment), 0) + size
    others = sorted((name for name in sizes if name not in named), key=lambda name: (-sizes[name], name))
    shown = [one for one in facts.cycles if one.cycle.period <= newest.cycle.period]
    places = tuple(
        Place(name, name in named, tuple(_value(one, key, name) for one in shown))
        for name in [*named, *others][:MOST_PLACES]
    )
    limit = newest.limits.get(key)
    starts = tuple(one.cycle.window.start for one in shown)
    since = dict(_breaches(facts))[key]
    return PlacesChart(key.classifier, key.metric, starts, places, limit, since if since in starts else None)


def _value(one: CycleData, key: StreamKey, segment: str) -> float | None:
    found = interval_of(one.estimate(StreamKey(key.panel, key.classifier, key.metric, segment)))
    return found.value if found else None


def _too_wide(facts: ReportData, scores: Sequence[Score]) -> Iterator[str]:
    """A sentence on the goals that the window's labels did not reach, by as much as the digits of a width show."""
    spec, said = facts.newest.spec if facts.newest else facts.spec, []
    for goal in spec.goals:
        mine = [one.half_width for one in scores if one.half_width and goal.is_for(one.classifier, one.metric)]
        wide = [half for half in mine if half > goal.margin and points(half, half) != points(goal.margin, half)]
        if wide:
            who = "" if len(wide) == len(mine) else f" of {len(wide)} of {count_text(len(mine), 'classifier')}"
            reach = f"±{points(max(wide), max(wide))} points (wanted ±{exact_points(goal.margin)})"
            said.append(f"{metric_words(goal.metric)}{who} up to {reach}")
    if said:
        yield f"Less sure than wanted: {'; '.join(said)}. `stratawatch plan` says what it takes."


def _moved_together(scores: Sequence[Score]) -> Iterator[str]:
    """That a metric moved in one direction for all classifiers, which share their sample, and for none provably.

    Nothing is said where one of them is in breach, or could not be told: then it may be the classifiers.
    """
    for metric in dict.fromkeys(one.metric for one in scores):
        mine = [one for one in scores if one.metric == metric]
        known = [(one.change, one.half_width) for one in mine if one.change is not None and one.half_width]
        if len(known) < max(_ALL_MOVED, len(mine)) or any(one.state == AlarmState.BREACH for one in mine):
            continue
        alike = len({change > 0 for change, _ in known}) == 1
        if not alike or not all(half / 4 < abs(change) < half for change, half in known):
            continue
        mean, half = sum(change for change, _ in known) / len(known), known[0][1]
        name = capitalised(metric_words(metric))
        moved = f"{name} of all classifiers moved together, by {signed_points(mean, half)} on average"
        yield f"{moved}: probably the sample, which they share, or the items."


def _is_next(facts: ReportData) -> bool:
    """Whether the window before the scorecard's was estimated too, so that a change is from one to the next."""
    judged = [one.cycle.period for one in facts.cycles if one.revision is not None]
    return len(judged) > 1 and judged[-1] == judged[-2] + 1
