"""Everything the report says about one panel, put together from the store."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from urllib.parse import quote, urlsplit

from stratawatch.engine.ports import Store
from stratawatch.engine.records import Cycle, PanelSpec
from stratawatch.engine.states import CycleState
from stratawatch.report.costs import plain_cost
from stratawatch.report.facts import Facts, read
from stratawatch.report.happenings import DocsLink, cycle_rows, incident_rows, notification_rows, untold
from stratawatch.report.headline import headline
from stratawatch.report.model import LabelCounts, Method, PanelView, Score
from stratawatch.report.scores import by_segment, overall, scales_of
from stratawatch.report.trends import trends

SHOWN_CYCLES: Final = 13
"""A quarter of weekly windows."""


def relative_docs(cycle: Cycle) -> str | None:
    """Data Docs lie in the report folder, the page one folder deeper. A path that leaves the folder gets no link."""
    docs = cycle.docs
    if not docs or "\\" in docs or urlsplit(docs).scheme or docs.startswith("/") or ".." in docs.split("/"):
        return None
    return "../" + quote(docs)


def build(
    store: Store, panel: PanelSpec, now: datetime, *, cycles: int = SHOWN_CYCLES, docs_link: DocsLink = relative_docs
) -> PanelView:
    """The view of a panel over its newest `cycles` cycles."""
    return assemble(read(store, panel, cycles), now, docs_link=docs_link)


def assemble(facts: Facts, now: datetime, *, docs_link: DocsLink = relative_docs) -> PanelView:
    """The same from facts that were read before; pure."""
    scales = scales_of(facts)
    scores, segments = overall(facts, scales), by_segment(facts, scales)
    newest = facts.newest
    labels = newest.labels if newest else LabelCounts()
    estimated = newest is not None and newest.revision is not None
    return PanelView(
        panel=facts.spec.name,
        question=facts.spec.question,
        source=facts.spec.source,
        generated_at=now,
        window=newest.cycle.window if newest else None,
        refused=newest.cycle.reason if newest and newest.cycle.state == CycleState.REFUSED else "",
        headline=headline(facts, scores, segments),
        scores=scores,
        segments=segments,
        trends=trends(facts, scales),
        labels=labels,
        cost=plain_cost(facts.spec, facts.atoms, scores, labels) if estimated else None,
        cycles=cycle_rows(facts, docs_link),
        older=facts.older,
        incidents=incident_rows(facts),
        notifications=notification_rows(facts),
        untold=untold(facts, _worth_naming(scores, segments)),
        method=_method(facts),
    )


def _worth_naming(scores: Sequence[Score], segments: Sequence[Score]) -> list[Score]:
    """A segment without a limit that is too small to tell is an ordinary thing; its cell says so."""
    return [*scores, *(score for score in segments if score.limit is not None)]


def _method(facts: Facts) -> Method:
    revision = facts.newest.revision if facts.newest else None
    estimates = revision.estimates if revision else ()
    return Method(
        names=tuple(sorted({estimate.method for estimate in estimates})),
        confidence=facts.spec.confidence,
        pages_a_year=facts.spec.pages_a_year,
        revision=revision.number if revision else None,
        estimated_at=revision.at if revision else None,
        goals=facts.spec.goals,
    )
