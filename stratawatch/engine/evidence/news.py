"""What people are told of a breach: at its page, while it lasts, and when it is over; and its windows for charts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.drops import worsening_word
from stratawatch.core.alarms.ends import fixed_ends
from stratawatch.core.alarms.error_shares import ErrorShare, error_share
from stratawatch.core.alarms.moved import ValueInterval
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.goals import Limit
from stratawatch.core.metrics import metric_named
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.alarms.later_windows import newest_after
from stratawatch.engine.alarms.notifications import News, since_line, since_the_first, start_text
from stratawatch.engine.alarms.stream_words import where_text
from stratawatch.engine.baselines.current_baselines import current_baselines, date_of
from stratawatch.engine.evidence.compared_windows import ComparedWindows
from stratawatch.engine.evidence.duration import LookedAt, duration
from stratawatch.engine.evidence.harm import Harm, harm
from stratawatch.engine.evidence.lasting_text import still_on_line, still_sure_line
from stratawatch.engine.evidence.late_pages import later_lines
from stratawatch.engine.evidence.like_windows import windows_around
from stratawatch.engine.evidence.moved_text import cause_lines, named_text, place_lines
from stratawatch.engine.evidence.stream_estimates import chart_facts, estimate_in, estimates_up_to, window_start
from stratawatch.engine.evidence.what_moved import StreamChange, change_of_stream
from stratawatch.engine.model.alarm_records import Incident, StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.evidence_records import Page
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.model.stored_baseline import StoredBaseline
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import (
    capitalised,
    confidence_text,
    count_text,
    exact_points,
    percent,
    points,
    printable,
    this_window,
)


def news_of_page(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, page: Page, slices: Sequence[str] = ()
) -> News:
    """What is broken and by how much, since when, at what cost, where, and how sure that is.

    `slices` are lines on segments, where no window before says what moved.
    """
    later = newest_after(tx, cycle)
    fall = _Fall.of(ComparedWindows(tx), spec, cycle, key, page.since, is_newest=later is None)
    lines = [
        *([] if later is None else later_lines(tx, spec, cycle, later, key)),
        *fall.value_lines(),
        fall.since_line(page.since, page.within),
        *fall.harm_lines(),
        *(fall.place_lines() if fall.change else slices),
        _sure(page, spec, fall.this),
        *([f"Suspected too: {'; '.join(map(str, page.others))}."] if page.others else []),
    ]
    chart, older = chart_facts(tx, spec, cycle, key, page.since), fall.may_be_older
    return News(lines, chart, fall.cause_lines(), fall.headline, may_be_older=older)


def news_of_reminder(windows: ComparedWindows, spec: PanelSpec, cycle: Cycle, key: StreamKey, since: datetime) -> News:
    """What the newest window says of a breach that lasts, and what it has cost; nothing where it was refused."""
    if cycle.state != CycleState.JUDGED:
        return News()
    tx, fall = windows.tx, _Fall.of(windows, spec, cycle, key, since)
    began = [*fall.value_lines(), fall.since_line(since), *_still_on(tx, fall, since), *fall.harm_lines()]
    chart, older = chart_facts(tx, spec, cycle, key, since), fall.may_be_older
    cost: dict[str, Any] = {} if fall.harm is None else {"harm": fall.harm.short, "more_wrong": fall.harm.more_now}
    if fall.is_inside:
        unit = spec.windows.unit
        sure = f"Sure: not yet. This {unit} by itself looks fine; it ends once that is proven and the last 2 {unit}s "
        sure += "together are inside."
        return News([*began, sure], chart, fall.figures(), fall.headline, looks_over=True, may_be_older=older, **cost)
    sure = still_sure_line(fall.found, fall.limit, fall.share, spec.windows.unit)
    lines = [*began, *fall.place_lines(), sure]
    if fall.change is not None:
        moved = fall.change.change
        cost |= {"moved": moved, "named_segments": tuple(sorted(map(str, moved.named_segments)))}
    return News(lines, chart, fall.cause_lines(), fall.headline, may_be_older=older, **cost)


def news_of_open_breaches(windows: ComparedWindows, incidents: Sequence[Incident]) -> dict[StreamKey, News]:
    """What the newest judged window says of each open breach, as a reminder would."""
    tx, found = windows.tx, dict[StreamKey, News]()
    for one in incidents:
        is_open = one.kind == AlarmState.BREACH and one.resolved_at is None
        newest = tx.cycles.find(panel=one.key.panel, states=[CycleState.JUDGED], newest=1) if is_open else ()
        if not newest:
            continue
        spec = tx.panels.get(newest[0].panel_version)
        if one.key in watched_streams(spec):
            since = one.since or tx.cycles.get(one.cycle_id).window.start
            found[one.key] = news_of_reminder(windows, spec, newest[0], one.key, since)
    return found


def news_of_end(tx: Transaction, spec: PanelSpec, cycle: Cycle, incident: Incident) -> News:
    """How it is now, how long a breach lasted that is over, and what that has cost."""
    key, unit = incident.key, spec.windows.unit
    since = incident.since or tx.cycles.get(incident.cycle_id).window.start
    limit, cost = watched_streams(spec).get(key), None
    before: list[str] = []
    lasted = f"It was about the {unit} of {start_text(since)}, which other labels put inside."
    if found := duration(tx, spec, incident, cycle, _looked_at(tx, spec, incident, cycle)):
        lasted = found.sentence(spec.windows)
        before = [*_when_paged(tx, spec, incident)]
        cost = harm(tx, spec, cycle, key, since, ended=found.ended)
    fall = _Fall(spec, cycle, key, limit, estimate_in(tx, spec, cycle, key), cost)
    lines = [*fall.value_lines(), *before, *_who_cared(incident), lasted]
    if cost is not None and cost.total:
        paid = [f"Cost: {cost.total_cost}"] if cost.total_cost else []
        lines += [f"Harm: {cost.total}", *paid, f"Left to do: put right what the {cost.name} of that time did."]
    return News(lines, chart_facts(tx, spec, cycle, key, since), subject=fall.headline)


def _when_paged(tx: Transaction, spec: PanelSpec, incident: Incident) -> Iterator[str]:
    """How it was in the window that was paged, by the labels that this has now."""
    paged = tx.cycles.get(incident.cycle_id)
    found = _Fall(spec, paged, incident.key, None, estimate_in(tx, spec, paged, incident.key)).found
    if found is not None:
        share = error_share(incident.key.metric)
        value = share.brief(ValueInterval(found.value, found.low, found.high))
        yield f"Before: {value} in the {spec.windows.unit} of {start_text(paged.window.start)}, which was paged."


def _who_cared(incident: Incident) -> Iterator[str]:
    """Who looked after it, if anybody did."""
    if incident.acknowledged_at is not None:
        why = f": {printable(incident.acknowledged_why)}" if incident.acknowledged_why else ""
        yield f"Looked after by {incident.acknowledged_by} since {start_text(incident.acknowledged_at)}{why}."


@dataclass(frozen=True)
class _Fall:
    """What is known of a stream that left its limit, as of a window."""

    spec: PanelSpec
    cycle: Cycle
    key: StreamKey
    limit: Limit | None
    estimate: Estimate | None
    harm: Harm | None = None
    change: StreamChange | None = None
    baseline: StoredBaseline | None = None
    is_from_the_first: bool = False
    is_newest: bool = True

    @classmethod
    def of(
        cls,
        windows: ComparedWindows,
        spec: PanelSpec,
        cycle: Cycle,
        key: StreamKey,
        since: datetime,
        *,
        is_newest: bool = True,
    ) -> "_Fall":
        """A fall that began with the window of that start."""
        tx = windows.tx
        limit = watched_streams(spec).get(key)
        is_of_drop = limit is not None and limit.max_drop is not None
        return cls(
            spec,
            cycle,
            key,
            limit,
            estimate_in(tx, spec, cycle, key),
            harm(tx, spec, cycle, key, since, is_newest=is_newest),
            None if key.segment else change_of_stream(windows, spec, cycle, key, since),
            current_baselines(tx, spec, cycle.window.start).get(key) if is_of_drop else None,
            not is_of_drop and not windows_around(tx, spec, cycle, key.classifier, since).before,
            is_newest,
        )

    @property
    def this(self) -> str:
        """What its window is called in a sentence."""
        return this_window(self.spec.windows.unit, is_newest=self.is_newest)

    @property
    def share(self) -> ErrorShare:
        """The words for its metric."""
        return error_share(self.key.metric)

    @property
    def usual(self) -> float | None:
        """The metric before, where that can be compared."""
        return None if self.change is None else self.change.change.before.value

    @property
    def is_inside(self) -> bool:
        """Whether its value in this window is inside its floor and its ceiling, proven or not."""
        return _is_inside(self.estimate, self.limit)

    @property
    def found(self) -> IntervalEstimate | None:
        """The metric in this window, where it can be told."""
        result = None if self.estimate is None else self.estimate.result
        return result if isinstance(result, IntervalEstimate) else None

    @property
    def headline(self) -> str:
        """What is wrong, by how much, and where; empty where nothing is known of the window."""
        if self.estimate is None or isinstance(self.estimate.result, Undefined):
            return ""
        said = f"{self.key.classifier} ({self.key.panel}){where_text(self.key)}: "
        said += self.share.short(self.estimate.result.value)
        said += "" if self.is_newest else f" in the {self.spec.windows.unit} of {start_text(self.cycle.window.start)}"
        if self.is_inside:
            return ", ".join([said, *self.allowed()])
        if self.change is None or self.usual is None:
            return said
        where = named_text(self.change)
        return f"{said}, usually {self.share.number(self.usual)}{f'; {where}' if where else ''}"

    def value_lines(self) -> Iterator[str]:
        """What is wrong in this window, and how much is allowed."""
        if self.estimate is None or self.limit is None:
            return
        found, title = self.estimate.result, metric_named(self.key.metric).title
        when = "Now" if self.is_newest else capitalised(self.this)
        if isinstance(found, Undefined):
            yield f"{when}: nothing is known of {title}, {_limit_text(self.limit)}: {found.reason}."
            return
        said = [self.share.text(ValueInterval(found.value, found.low, found.high)), *self.allowed()]
        usual = "" if self.usual is None else f"; usually {points(self.share.of(self.usual), found.half_width)}%"
        yield f"{when}: {', '.join(said)}{usual}."

    def allowed(self) -> Iterator[str]:
        """What the limit allows; of a largest drop with the baseline that it is about."""
        limit = self.limit
        if limit is None:
            return
        if allowed := self.share.allowed(limit):
            yield allowed
        if limit.max_drop is not None:
            rises = self.share.is_rest or metric_named(limit.metric).lower_is_better
            way = f"{exact_points(limit.max_drop)} points {'more' if rises else 'less'} than its baseline"
            was = self.baseline
            if was is None:
                yield f"at most {way} allowed"
            else:
                value = percent(self.share.of(was.estimate.value), was.estimate.half_width)
                yield f"at most {way} of {value} (measured {date_of(was)}) allowed"

    def since_line(self, since: datetime, within: tuple[datetime, datetime] | None = None) -> str:
        """Since when it is so."""
        unit = self.spec.windows.unit
        is_sure = within is None or within[0] == within[1]
        if self.was_outside_before:
            return f"Since: before the {unit} of {start_text(since)}; it was outside its limit then too."
        return since_the_first(since, unit) if self.is_from_the_first and is_sure else since_line(since, unit, within)

    @property
    def may_be_older(self) -> bool:
        """Whether nothing is known of the time before, or it was outside then too, as where a limit was changed."""
        return self.is_from_the_first or self.was_outside_before

    @property
    def was_outside_before(self) -> bool:
        """Whether all of the interval of the windows before lies outside a floor or a ceiling."""
        if self.change is None or self.limit is None:
            return False
        before, limit = self.change.change.before, self.limit
        is_below = limit.floor is not None and before.high < limit.floor
        return is_below or (limit.ceiling is not None and before.low > limit.ceiling)

    def harm_lines(self) -> list[str]:
        """What it costs, in calls and where it is known in money."""
        return [] if self.harm is None else [line for line in (self.harm.line, self.harm.cost_line) if line]

    def place_lines(self) -> list[str]:
        """Where it is, and the sign that needs no label."""
        return [] if self.change is None else [*place_lines(self.change, self.spec.windows.unit)]

    def cause_lines(self) -> list[str]:
        """What it is not, what may be done, and the metric itself."""
        lines = [] if self.change is None else [*cause_lines(self.change, self.spec.windows.unit)]
        return [*lines, *self.figures()]

    def figures(self) -> list[str]:
        """The metric and its limit, as reports have them."""
        found = self.found
        if self.estimate is None or self.limit is None or found is None:
            return []
        value = f"{metric_named(self.key.metric).title} {percent(found.value, found.half_width)}"
        labels = count_text(self.estimate.labels_used, "label")
        return [f"As a metric: {value} from {labels}, {_limit_text(self.limit)}."]


def _limit_text(limit: Limit) -> str:
    """The ends of a limit.

    >>> _limit_text(Limit("precision", floor=0.9, max_drop=0.05))
    'floor 90%, largest fall 5 points'
    """
    ends = (("floor", limit.floor), ("ceiling", limit.ceiling))
    words = [f"{name} {exact_points(value)}%" for name, value in ends if value is not None]
    if limit.max_drop is not None:
        words.append(f"largest {worsening_word(limit.metric)} {exact_points(limit.max_drop)} points")
    return ", ".join(words)


def _sure(page: Page, spec: PanelSpec, this: str) -> str:
    """How sure the page is, in words, and what the ranges in brackets are; `this` is what its window is called."""
    unit, promise = spec.windows.unit, spec.false_pages_per_year
    by = f"{this} alone" if page.is_proven_alone else f"several {unit}s together, not by this one alone"
    expected = "one false page a year is" if promise == 1 else f"{promise:g} false pages a year are"
    brackets = f"Brackets: {confidence_text(spec.confidence)} intervals."
    return f"Sure: proven by {by}; at most {expected} expected of this panel. {brackets}"


def _is_inside(estimate: Estimate | None, limit: Limit | None) -> bool:
    """Whether an estimate is inside a limit's floor and ceiling, proven or not."""
    if estimate is None or limit is None or isinstance(estimate.result, Undefined):
        return False
    found, ends = estimate.result, fixed_ends(limit, estimate.result.value)
    return bool(ends) and all(end.distance(found).value >= 0 for end in ends)


def _looked_at(tx: Transaction, spec: PanelSpec, incident: Incident, over: Cycle) -> LookedAt:
    """What the windows between a page and its end say; of a largest drop they say nothing by themselves."""
    limit, paged = watched_streams(spec).get(incident.key), tx.cycles.get(incident.cycle_id).window.start
    if limit is None or limit.max_drop is not None:
        return LookedAt()
    windows = (over.window.start - paged) // spec.windows.length
    found = [
        (window_start(spec, period), one) for period, one in estimates_up_to(tx, spec, over, incident.key, windows)
    ]
    between = [(start, one) for start, one in found if paged < start < over.window.start]
    return LookedAt(
        [start for start, one in between if _is_inside(one, limit)],
        [start for start, one in between if _is_outside(one, limit)],
    )


def _is_outside(estimate: Estimate, limit: Limit) -> bool:
    """Whether all of an estimate's interval is outside one end of a limit."""
    if isinstance(estimate.result, Undefined):
        return False
    found, confidence = estimate.result, estimate.confidence
    return any(end.distance(found, confidence).is_outside for end in fixed_ends(limit, found.value))


def _still_on(tx: Transaction, fall: _Fall, since: datetime) -> Iterator[str]:
    """Whether it goes on, where there is an interval of it to be told."""
    spec, cycle = fall.spec, fall.cycle
    if fall.found is None or fall.limit is None:
        return
    number = (cycle.window.start - since) // spec.windows.length + 1
    found = dict(estimates_up_to(tx, spec, cycle, fall.key, number))
    each = (found[period].result if period in found else None for period in _periods(cycle, number))
    values = [one if isinstance(one, IntervalEstimate) else None for one in each]
    has_ends = fall.limit.floor is not None or fall.limit.ceiling is not None
    is_told = fall.limit.max_drop is None or (has_ends and not fall.is_inside)
    yield still_on_line(values, fall.share, spec.windows.unit, is_inside=fall.is_inside if is_told else None)


def _periods(cycle: Cycle, number: int) -> range:
    """Those of so many windows up to a cycle's."""
    return range(cycle.period - number + 1, cycle.period + 1)
