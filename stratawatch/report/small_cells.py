"""Takes the values of small segments away, so that a page says nothing of a few people."""

from collections.abc import Collection
from dataclasses import replace

from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.engine.alarms.notifications import News
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.formatting import count_text
from stratawatch.report.report_data import CycleData, ReportData


def without_small_cells(facts: ReportData, smallest: int) -> ReportData:
    """The data without the values of segments that fewer than `smallest` labels tell of, in every window.

    Sentences on their states, breaches and limits have values too: of these there is the state alone.
    """
    if not smallest:
        return facts
    newest = facts.newest
    small = frozenset[StreamKey]() if newest is None else _small(facts, newest, smallest)
    return replace(
        facts,
        cycles=tuple(_hidden_in(one, _small(facts, one, smallest), smallest) for one in facts.cycles),
        breaches={
            key: _without_names(news, {str(one.segment) for one in small})
            for key, news in facts.breaches.items()
            if key not in small
        },
        outlooks=tuple(one for one in facts.outlooks if one.key not in small),
    )


def _without_names(news: News, hidden: Collection[str]) -> News:
    """What is told of a breach without the lines on where it is that name a small segment."""
    told = [
        line
        for line in news.lines
        if not (line.startswith(("Where: ", "Elsewhere: ")) and any(name in line for name in hidden))
    ]
    moved = news.moved
    if moved is not None:
        shown = tuple(part for part in moved.parts if str(part.domain.segment) not in hidden)
        moved = replace(moved, parts=shown)
    return replace(news, lines=told, moved=moved)


def _small(facts: ReportData, one: CycleData, smallest: int) -> frozenset[StreamKey]:
    return frozenset(
        StreamKey(facts.spec.name, estimate.classifier, estimate.metric, str(estimate.segment))
        for estimate in (one.revision.estimates if one.revision else ())
        if _is_small(estimate, smallest)
    )


def _is_small(estimate: Estimate, smallest: int) -> bool:
    return estimate.segment is not None and estimate.labels_used < smallest


def _hidden_in(one: CycleData, small: Collection[StreamKey], smallest: int) -> CycleData:
    if one.revision is None:
        return one
    why = f"not shown: fewer than {count_text(smallest, 'label')} tell of it"
    estimates = tuple(_shown(found, why) if _is_small(found, smallest) else found for found in one.revision.estimates)
    states = {key: replace(said, reason=why) if key in small else said for key, said in one.states.items()}
    return replace(one, revision=replace(one.revision, estimates=estimates), states=states)


def _shown(estimate: Estimate, why: str) -> Estimate:
    if not isinstance(estimate.result, IntervalEstimate):
        return estimate
    return replace(estimate, result=Undefined(why), labels_used=0)
