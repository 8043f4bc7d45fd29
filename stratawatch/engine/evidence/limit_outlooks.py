"""What would prove each stream inside its limit, and what would page it: found when a window is judged, and kept."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from stratawatch.core.alarms.alarm_states import EndOutlook, Judgement
from stratawatch.core.alarms.drops import NO_BASELINE
from stratawatch.core.alarms.ends import DropEnd, End, ends_of
from stratawatch.core.alarms.page_value import page_value
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.engine.alarms.alarm_streams import has_left, watched_streams
from stratawatch.engine.baselines.current_baselines import current_baselines
from stratawatch.engine.evidence.pages import JudgedWindow, page_confidence_of
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.evidence_records import JudgementRule
from stratawatch.engine.model.limit_outlook import LimitOutlook, kept_document, outlooks_from
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction

KEPT: Final = "limit outlooks of "
"""Before a panel's name: the cursor that keeps the outlooks of its newest judged window."""


def limit_outlooks(
    ports: Ports, window: JudgedWindow, rule: JudgementRule, judgements: Mapping[StreamKey, Judgement]
) -> tuple[LimitOutlook, ...]:
    """The outlook at each end of each limit that the last windows say something of; none of what is paused or left."""
    return tuple(
        _outlook(window, rule, key, said, one, end)
        for key, said in judgements.items()
        if not (ports.paused.cover(key) or has_left(ports, key))
        for one in said.outlooks
        for end in ends_of(window.limits[key], one.reading.interval.value, window.against.get(key, NO_BASELINE))
        if end.kind == one.end
    )


def keep_outlooks(tx: Transaction, cycle: Cycle, outlooks: tuple[LimitOutlook, ...], at: datetime) -> None:
    """Keep those of a panel's newest judged window in the place of those before."""
    now: dict[str, Any] = {"panel": cycle.panel, "cycle": cycle.id}
    now["outlooks"] = [kept_document(one) for one in outlooks]
    if now != tx.labels.cursor(KEPT + cycle.panel):
        tx.labels.save_cursor(KEPT + cycle.panel, now, at)


def kept_outlooks(tx: Transaction, spec: PanelSpec) -> tuple[LimitOutlook, ...]:
    """Those of the newest judged window, of limits and baselines that are as they were then."""
    kept, limits = outlooks_from(tx.labels.cursor(KEPT + spec.name)), watched_streams(spec)
    against = _baselines_of_next(tx, spec, kept)
    return tuple(
        one
        for one in kept
        if one.key in limits
        and getattr(limits[one.key], one.end) == one.limit
        and (one.end != "max_drop" or against.get(one.key) == one.baseline)
    )


def _baselines_of_next(tx: Transaction, spec: PanelSpec, kept: Sequence[LimitOutlook]) -> dict[StreamKey, float]:
    """The values that drops of the window after that of these outlooks are from."""
    if not any(one.end == "max_drop" for one in kept):
        return {}
    start = tx.cycles.get(kept[0].cycle).window.end
    return {key: one.estimate.value for key, one in current_baselines(tx, spec, start).items()}


def _outlook(
    window: JudgedWindow, rule: JudgementRule, key: StreamKey, said: Judgement, one: EndOutlook, end: End
) -> LimitOutlook:
    found = one.reading.interval
    return LimitOutlook(
        key=key,
        cycle=window.cycle.id,
        state=said.state,
        end=one.end,
        limit=getattr(window.limits[key], one.end),
        value=found.value,
        low=found.low,
        high=found.high,
        windows=one.reading.windows,
        distance=one.distance,
        half_width=one.half_width,
        windows_to_ok=one.windows_to_ok,
        labels=sum(not draw.reused for draw in window.labelled.draws),
        unit=window.spec.windows.unit,
        page_value=_page_value(window, rule, key, end, found),
        worse_is_lower=end.worse_is_lower,
        adds_up=rule.rule == "evidence" and (one.end != "max_drop" or window.adds_up(key)),
        fell_lately=one.fell_lately,
        baseline=end.baseline.evidence.interval_at(window.spec.confidence).value if isinstance(end, DropEnd) else None,
    )


def _page_value(
    window: JudgedWindow, rule: JudgementRule, key: StreamKey, end: End, reading: IntervalEstimate
) -> float | None:
    """Where one window would page whose labels say as much as those of this one; None where it could not."""
    alone = window.alone[key].result
    if not isinstance(alone, IntervalEstimate):
        return None
    confidence = page_confidence_of(window, rule, key, end.kind)
    limit = end.limit_near(reading.value, end.distance(reading, window.spec.confidence))
    return page_value(end, limit, alone.n_eff, confidence)
