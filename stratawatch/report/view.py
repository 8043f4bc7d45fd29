"""Everything the report says about one panel, put together from the store."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final
from urllib.parse import quote, urlsplit

from stratawatch.core.designs.frozen import method_warnings
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.engine.evidence.cut_off_text import cut_off_rows, tried_text
from stratawatch.engine.evidence.window_rule import rule_text
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.model.survey_of_panel import survey_of_panel
from stratawatch.engine.ports import Store
from stratawatch.formatting import estimate_text
from stratawatch.report.costs import plain_cost
from stratawatch.report.events import DocsLink, cycle_rows, incident_rows, notification_rows, undefined_rows
from stratawatch.report.first_screen import summary
from stratawatch.report.headline import headline
from stratawatch.report.moved_view import moved_views
from stratawatch.report.report_data import ReportData, read_data
from stratawatch.report.scores import by_segment, overall, scales_of
from stratawatch.report.small_cells import without_small_cells
from stratawatch.report.table_rows import (
    BoundsRow,
    CorrectedRow,
    Cost,
    CutOffsView,
    LabelErrorsView,
    LabelOutcomes,
    MissingView,
)
from stratawatch.report.trends import trends
from stratawatch.report.view_models import Method, PanelView, Score
from stratawatch.report.wording import metric_words

SHOWN_CYCLES: Final = 13
"""A quarter of weekly windows."""


def relative_docs(cycle: Cycle) -> str | None:
    """Data Docs lie in the report folder, the page one folder deeper. A path that leaves the folder gets no link."""
    docs = cycle.docs
    if not docs or "\\" in docs or urlsplit(docs).scheme or docs.startswith("/") or ".." in docs.split("/"):
        return None
    return "../" + quote(docs)


def build(
    store: Store,
    panel: PanelSpec,
    now: datetime,
    *,
    cycles: int = SHOWN_CYCLES,
    docs_link: DocsLink = relative_docs,
    shadows: Collection[str] = (),
    smallest_cell: int = 0,
) -> PanelView:
    """The view of a panel over its newest `cycles` cycles; its headline is not about the `shadows`.

    Of a segment's metric that fewer labels than `smallest_cell` tell of, the value is not shown.
    """
    facts = without_small_cells(read_data(store, panel, cycles), smallest_cell)
    return assemble(facts, now, docs_link=docs_link, shadows=shadows)


def assemble(
    facts: ReportData, now: datetime, *, docs_link: DocsLink = relative_docs, shadows: Collection[str] = ()
) -> PanelView:
    """The view of a panel from data that was read before; pure."""
    scales = scales_of(facts)
    scores, segments = overall(facts, scales), by_segment(facts, scales)
    newest, names = facts.newest, {one.name for one in facts.spec.classifiers}
    labels = newest.labels if newest else LabelOutcomes()
    return PanelView(
        panel=facts.spec.name,
        question=facts.spec.question,
        source=facts.spec.source,
        generated_at=now,
        window=newest.cycle.window if newest else None,
        refused=newest.cycle.reason if newest and newest.cycle.state == CycleState.REFUSED else "",
        headline=headline(facts, _without(shadows, scores), _without(shadows, segments)),
        summary=summary(facts, scores, segments),
        scores=scores,
        segments=segments,
        trends=trends(facts, scales),
        labels=labels,
        cost=_cost(facts),
        shared_budget=_shared_budget(facts),
        forecasts=facts.forecasts.sentence if facts.forecasts else "",
        cycles=cycle_rows(facts, docs_link),
        older=facts.older,
        incidents=incident_rows(facts),
        notifications=notification_rows(facts),
        undefined=undefined_rows(facts, _worth_naming(scores, segments)),
        method=_method(facts),
        truth=facts.truth,
        missing=_missing(facts, scores),
        label_errors=_label_errors(facts),
        disagreement=facts.disagreement.sentence if facts.disagreement else "",
        cut_offs=_cut_offs(facts),
        moved=moved_views(
            one.moved for key, one in facts.breaches.items() if one.moved is not None and key.classifier in names
        ),
        score_curves=tuple(one for one in facts.score_curves if one.classifier in names),
    )


def _missing(facts: ReportData, scores: Sequence[Score]) -> MissingView | None:
    """The answers that are missing of the newest window; of its strata only those that lack some."""
    found = facts.missing
    if found is None:
        return None
    bounds = [
        BoundsRow(score.classifier, score.metric, score.estimate, one)
        for score in scores
        if score.estimate and (one := found.bounds.get((score.classifier, score.metric, score.segment)))
    ]
    counts = tuple(one for one in found.counts if one.classifier or one.answered < one.drawn)
    return MissingView(found.sentence, found.lean is not None, tuple(bounds), counts)


def _label_errors(facts: ReportData) -> LabelErrorsView | None:
    """What gold items say of the newest window's labels."""
    if facts.corrected is None or facts.newest is None:
        return None
    rows = tuple(
        CorrectedRow(one.classifier, one.metric, _result_text(one.result), _result_text(found))
        for one, found in zip(facts.newest.overall, facts.corrected.estimates, strict=True)
        if isinstance(one.result, IntervalEstimate)
    )
    return LabelErrorsView(facts.corrected.sentence, rows)


def _cut_offs(facts: ReportData) -> tuple[CutOffsView, ...]:
    """The cut-offs that were tried for open incidents."""
    return tuple(
        CutOffsView(
            f"{metric_words(one.key.metric)} of {one.key.classifier}",
            tried_text(tried),
            tuple(cut_off_rows(tried)),
            None if isinstance(tried.choice, Undefined) else tried.choice,
        )
        for one in facts.incidents
        if (tried := facts.cut_offs.get(one.id)) is not None and tried.is_worth_telling
    )


def _result_text(found: IntervalEstimate | Undefined) -> str:
    return found.reason if isinstance(found, Undefined) else estimate_text(found.value, found.low, found.high)


def _without(shadows: Collection[str], scores: Sequence[Score]) -> list[Score]:
    return [score for score in scores if score.classifier not in shadows]


def _worth_naming(scores: Sequence[Score], segments: Sequence[Score]) -> list[Score]:
    """The scores to name when undefined: small segments without a limit often are, and their cells give the reason."""
    return [*scores, *(score for score in segments if score.limit is not None)]


def _cost(facts: ReportData) -> Cost | None:
    """What the newest window cost, by the classifiers and goals of that window."""
    newest = facts.newest
    if newest is None or newest.revision is None:
        return None
    return plain_cost(newest.spec, facts.atoms, newest.revision.estimates, newest.labels)


def _shared_budget(facts: ReportData) -> str:
    """What the newest window had of a budget that panels share, and why."""
    newest = facts.newest
    if newest is None or newest.cycle.id not in facts.shared_budget:
        return ""
    span, share = facts.shared_budget[newest.cycle.id]
    return f"Share of the budget over all panels: {share.share:,} labels: {share.why}. Budget: {span.sentence}."


def _method(facts: ReportData) -> Method:
    """How the newest window was estimated and judged; today's settings are those of the next one."""
    revision = facts.newest.revision if facts.newest else None
    spec = facts.newest.spec if facts.newest else facts.spec
    estimates = revision.estimates if revision else ()
    return Method(
        names=tuple(
            sorted({estimate.method for estimate in estimates if isinstance(estimate.result, IntervalEstimate)})
        ),
        confidence=next((estimate.confidence for estimate in estimates), spec.confidence),
        false_pages_per_year=spec.false_pages_per_year,
        revision=revision.number if revision else None,
        estimated_at=revision.at if revision else None,
        goals=spec.goals,
        cluster=spec.columns.cluster if any(estimate.deff is not None for estimate in estimates) else None,
        warnings=method_warnings(survey_of_panel(spec)),
        pages=rule_text(facts.rule),
        seed=spec.seed,
        panel_version=facts.newest.cycle.panel_version if facts.newest else None,
    )
