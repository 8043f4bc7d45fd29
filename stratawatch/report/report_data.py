"""All that a report shows, read from the store in one transaction; the rest of the package is pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Final

from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.core.goals import Limit
from stratawatch.core.population import Atom
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.alarms.notifications import News
from stratawatch.engine.baselines.current_baselines import current_baselines
from stratawatch.engine.cycle.budget_shares import shared_budget_states
from stratawatch.engine.cycle.forecast_checks import forecast_record
from stratawatch.engine.evidence.compared_windows import ComparedWindows
from stratawatch.engine.evidence.limit_outlooks import kept_outlooks
from stratawatch.engine.evidence.news import news_of_open_breaches
from stratawatch.engine.evidence.score_curves import ScoreCurve, score_curves
from stratawatch.engine.evidence.tried_cut_offs import TriedCutOffs, cut_offs_of_incidents
from stratawatch.engine.labels.corrected_estimates import CorrectedCycle, corrected_cycle
from stratawatch.engine.labels.implied_errors import Disagreement, disagreement
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.labels.missing_answers import MissingAnswers, is_kept, missing_answers
from stratawatch.engine.model.alarm_records import Incident, Notification, StreamKey, StreamState
from stratawatch.engine.model.budget_ledger import BudgetState, WindowShare
from stratawatch.engine.model.cycle_facts import Cycle, Revision
from stratawatch.engine.model.evidence_records import JudgementRule
from stratawatch.engine.model.forecast_record import ForecastRecord
from stratawatch.engine.model.limit_outlook import LimitOutlook
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.model.stored_baseline import StoredBaseline
from stratawatch.engine.ports import Store
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import estimate_text, truth_text
from stratawatch.report.label_counts import count_labels
from stratawatch.report.table_rows import LabelOutcomes
from stratawatch.report.wording import metric_words, span

MOST_NOTIFICATIONS: Final = 500
"""How far back the outbox is read; the report shows those of its own windows."""


@dataclass(frozen=True)
class CycleData:
    """One cycle with what was estimated, judged and labelled in it."""

    cycle: Cycle
    spec: PanelSpec  # as it was when the cycle was opened
    limits: Mapping[StreamKey, Limit]
    revision: Revision | None
    states: Mapping[StreamKey, StreamState]
    quarantined: int | None  # None: its rows were not counted
    labels: LabelOutcomes
    baselines: Mapping[StreamKey, StoredBaseline] = field(default_factory=dict)  # that it was judged with
    is_rerun: bool = False  # of a window that was judged before

    @property
    def finished(self) -> bool:
        """Whether there is anything to say about its window: numbers, or why there are none."""
        return self.revision is not None or self.cycle.state == CycleState.REFUSED

    @property
    def overall(self) -> tuple[Estimate, ...]:
        """The estimates over all segments."""
        return tuple(one for one in (self.revision.estimates if self.revision else ()) if one.segment is None)

    def estimate(self, key: StreamKey) -> Estimate | None:
        """The newest estimate of a stream in this cycle."""
        return self._estimates.get((key.classifier, key.metric, key.segment))

    @cached_property
    def _estimates(self) -> Mapping[tuple[str, str, str | None], Estimate]:
        """The estimates by key: a page looks up fifty segments in thirteen cycles."""
        estimates = self.revision.estimates if self.revision else ()
        return {(e.classifier, e.metric, str(e.segment) if e.segment else None): e for e in estimates}


@dataclass(frozen=True)
class ReportData:
    """What the store holds about a panel, as far as a report shows it."""

    spec: PanelSpec  # today's
    cycles: tuple[CycleData, ...]  # oldest window first
    older: int
    incidents: tuple[Incident, ...]
    notifications: tuple[Notification, ...]
    atoms: tuple[Atom, ...]  # of the newest estimated cycle
    cycle_windows: Mapping[int, Cycle]
    shared_budget: Mapping[int, tuple[BudgetState, WindowShare]] = field(default_factory=dict)  # by cycle
    truth: tuple[str, ...] = ()  # what came by itself, and what it proves
    missing: MissingAnswers | None = None  # of the scorecard's window
    corrected: CorrectedCycle | None = None  # the overall estimates of that window without the errors of labels
    disagreement: Disagreement | None = None  # what that of annotators implies for them
    rule: JudgementRule | None = None  # by which the scorecard's window was judged
    corrections: tuple[str, ...] = ()  # of the windows shown: when, why, before and after
    cut_offs: Mapping[int, TriedCutOffs] = field(default_factory=dict)  # by open incident
    score_curves: tuple[ScoreCurve, ...] = ()  # of classifiers with an open breach
    breaches: Mapping[StreamKey, News] = field(default_factory=dict)  # what is told of those that are open
    outlooks: tuple[LimitOutlook, ...] = ()  # of the newest judged window, at each end of its limits
    forecasts: ForecastRecord | None = None  # what became of the last ones

    @property
    def newest(self) -> CycleData | None:
        """The newest window that is finished: the scorecard's."""
        return next((one for one in reversed(self.cycles) if one.finished), None)

    @property
    def run_again(self) -> CycleData | None:
        """A window after the scorecard's that was judged and is run again: what was found of it holds no more."""
        after = self.cycles[self.cycles.index(self.newest) + 1 :] if self.newest else self.cycles
        return next((one for one in reversed(after) if one.is_rerun), None)

    @property
    def since(self) -> datetime | None:
        """When the period of the report begins: with the opening of its oldest cycle."""
        return min((one.cycle.opened_at for one in self.cycles), default=None)


def read_data(store: Store, spec: PanelSpec, newest: int) -> ReportData:
    """Read a panel's newest cycles with all that belongs to them."""
    with store.begin() as tx:
        every = tx.cycles.find(panel=spec.name)
        shown = tuple(_cycle(tx, cycle) for cycle in every[-newest:])
        incidents = tx.alarms.incidents(panel=spec.name)
        compared = ComparedWindows(tx)
        estimated = next((one.cycle.id for one in reversed(shown) if one.revision), None)
        return ReportData(
            spec=spec,
            cycles=shown,
            older=len(every) - len(shown),
            incidents=incidents,
            notifications=tx.outbox.all(newest=MOST_NOTIFICATIONS),
            atoms=tx.cycles.atoms(estimated) if estimated is not None else (),
            cycle_windows={cycle.id: cycle for cycle in (*every, *tx.cycles.find(panel=spec.name, replaced=True))},
            shared_budget={
                one.cycle: (span, one) for span in shared_budget_states(tx) for one in span.windows if one.cycle
            },
            truth=_truth(tx, spec.name, {one.cycle.id: one.cycle for one in shown}),
            missing=_missing(tx, shown),
            corrected=_corrected(tx, shown),
            disagreement=_disagreement(tx, spec, shown),
            rule=_rule(tx, shown),
            corrections=tuple(said for one in shown for said in _corrections(tx, one)),
            cut_offs=cut_offs_of_incidents(compared, incidents),
            score_curves=score_curves(compared, incidents),
            breaches=news_of_open_breaches(compared, incidents),
            outlooks=kept_outlooks(tx, spec),
            forecasts=forecast_record(tx, spec.name),
        )


def _rule(tx: Transaction, shown: Sequence[CycleData]) -> JudgementRule | None:
    """By which rule the newest window that is finished was judged."""
    newest = next((one for one in reversed(shown) if one.finished), None)
    return None if newest is None else tx.evidence.rule_of(newest.cycle.id)


def _missing(tx: Transaction, shown: Sequence[CycleData]) -> MissingAnswers | None:
    """What is missing of the newest window that is finished, where it was estimated."""
    newest = next((one for one in reversed(shown) if one.finished), None)
    if newest is None or newest.revision is None or not is_kept(tx, newest.cycle):
        return None
    labelled = load_labelled_cycle(tx, newest.spec, newest.cycle.id)
    return missing_answers(newest.cycle, labelled, newest.overall)


def _corrected(tx: Transaction, shown: Sequence[CycleData]) -> CorrectedCycle | None:
    """The overall estimates of the newest window that is finished without the errors of labels, as gold shows them."""
    newest = next((one for one in reversed(shown) if one.finished), None)
    if newest is None or newest.revision is None:
        return None
    return corrected_cycle(tx, newest.cycle, newest.overall)


def _disagreement(tx: Transaction, spec: PanelSpec, shown: Sequence[CycleData]) -> Disagreement | None:
    """What annotators' disagreement implies for the newest window that is finished."""
    newest = next((one for one in reversed(shown) if one.finished), None)
    return None if newest is None else disagreement(tx, spec, newest.cycle, newest.overall)


def _truth(tx: Transaction, panel: str, shown: Mapping[int, Cycle]) -> tuple[str, ...]:
    """How much came of whom, and every limit of these windows that it breaks by its count alone."""
    counts = [truth_text(**asdict(one)) for one in tx.truth.counts() if one.panel == panel]
    broken = [
        f"window {shown[one.cycle_id].window}, {one.classifier}{where}: {one.sentence}"
        for one in tx.truth.warnings(panel)
        for where in [f" in {one.segment}" if one.segment else ""]
        if one.cycle_id in shown
    ]
    return (*counts, *broken)


def _cycle(tx: Transaction, cycle: Cycle) -> CycleData:
    spec = tx.panels.get(cycle.panel_version)
    revision, states = tx.estimates.latest(cycle.id), tx.alarms.of_cycle(cycle.id)
    return CycleData(
        cycle=cycle,
        spec=spec,
        limits=watched_streams(spec),
        revision=revision,
        states={state.key: state for state in states},
        quarantined=None if cycle.profile is None else cycle.profile.bad_rows,
        labels=count_labels(tx, spec, cycle),
        baselines=current_baselines(tx, spec, cycle.window.start, _judged_at(revision, states)),
        is_rerun=bool(tx.cycles.earlier_runs(cycle)),
    )


def _corrections(tx: Transaction, one: CycleData) -> Iterator[str]:
    """A sentence on the last rerun of a cycle's window, if any: when and why, its limited metrics before and after."""
    runs = tx.cycles.earlier_runs(one.cycle) if one.cycle.state != CycleState.CANCELLED else ()
    estimated = [revision for run in runs if (revision := tx.estimates.latest(run.id))]  # not those that were cancelled
    for last in runs[-1:]:
        before, after = (_values(one, found) for found in (estimated[-1] if estimated else None, one.revision))
        changes = [f"{name} {before[name]} before, {after[name]} after" for name in before if name in after]
        yield f"window {span(one.cycle.window)} was {'; '.join([last.reason, *changes])}"


def _values(one: CycleData, revision: Revision | None) -> dict[str, str]:
    """What a revision says of the metrics that have a limit, over all segments."""
    limited = {(key.classifier, key.metric) for key in one.limits}
    return {
        f"{metric_words(estimate.metric)} of {estimate.classifier}": estimate_text(found.value, found.low, found.high)
        for estimate in (revision.estimates if revision else ())
        if estimate.segment is None
        and (estimate.classifier, estimate.metric) in limited
        and isinstance(found := estimate.result, IntervalEstimate)
    }


def _judged_at(revision: Revision | None, states: Sequence[StreamState]) -> datetime | None:
    """When its states were judged, else estimated: a late label may have renewed the estimates without the states."""
    if states:
        return max(state.at for state in states)
    return revision.at if revision else None
