"""Estimate a cycle and judge it against the limits; a late label makes a new revision."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmState, BlindCause, Judgement
from stratawatch.core.alarms.drops import NO_BASELINE
from stratawatch.core.alarms.judge import judge_missing
from stratawatch.core.alarms.judge_state import judge_state
from stratawatch.core.estimate import Estimate, Undefined
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Atom, Segment
from stratawatch.engine.alarms.alarm_streams import newest_number, record_judgements, watched_streams
from stratawatch.engine.alarms.later_windows import newest_after
from stratawatch.engine.alarms.notifications import News, warn_of_cycle
from stratawatch.engine.alarms.past_readings import estimates_so_far, paged_streams
from stratawatch.engine.baselines.current_baselines import baselines_for_judging
from stratawatch.engine.cycle.forecast_checks import keep_forecast_check
from stratawatch.engine.cycle.open_cycles import DECIDED
from stratawatch.engine.evidence.limit_outlooks import keep_outlooks, limit_outlooks
from stratawatch.engine.evidence.news import news_of_end, news_of_page
from stratawatch.engine.evidence.pages import JudgedWindow, pages_of_window, stream_of
from stratawatch.engine.evidence.panel_evidence import panel_evidence
from stratawatch.engine.evidence.window_evidence import gather_evidence
from stratawatch.engine.evidence.windows_together import windows_together
from stratawatch.engine.labels.labelled_cycle import LabelledCycle, fingerprint, load_labelled_cycle
from stratawatch.engine.labels.missing_answers import MissingAnswers, keep_missing, missing_answers
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle, Revision
from stratawatch.engine.model.evidence_records import JudgementRule, Page
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import ACTIVE_CYCLES, CycleState, Entity
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import estimate_text

MOST_SEGMENTS: Final = 50
"""Segments that are reported on their own: the largest ones."""
MOST_SLICES: Final = 3
"""Segments that a page shows."""
_OF_LABELS: Final = (BlindCause.FEW_LABELS, BlindCause.MISSING_ANSWERS)


def judge_cycle(ports: Ports, cycle_id: int) -> int | None:
    """Estimate and judge a settled, expired or outdated cycle; returns the new revision's number, if any."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        if not _its_turn(tx, cycle):
            return None
        spec = tx.panels.get(cycle.panel_version)
        mark = tx.labels.newest_event_id()
        labelled = load_labelled_cycle(tx, spec, cycle_id)
        print_ = fingerprint(labelled.verdicts)
        before = tx.estimates.latest(cycle_id)
        number = max(newest_number(tx, cycle), 0) + 1  # a refusal may have number 0, an estimate never has
        first = cycle.state != CycleState.JUDGED
        if first or before is None or before.fingerprint != print_:
            estimates = labelled.design.estimate(
                labelled.ledger,
                labelled.drawn,
                confidence=spec.confidence,
                metrics=metrics_shown(spec),
                segments=_segments(spec, labelled.design.atoms),
            )
            tx.estimates.add(Revision(cycle_id, number, print_, mark, now, tuple(estimates)))
            keep_forecast_check(tx, cycle, labelled, estimates, now)
            is_newest = first or not _a_later_one_is_judged(tx, cycle)
            missing = missing_answers(cycle, labelled, watched_estimates(spec, estimates)) if is_newest else None
            leans = missing is not None and missing.lean is not None
            labelled, rule = gather_evidence(tx, ports, spec, cycle, labelled, number, leans=leans)
            if is_newest:
                window = judged_window(tx, spec, cycle, labelled, estimates, missing, now)
                _judge(tx, ports, window, number, rule, slices_by_stream(spec, estimates))
        else:
            number = before.number
            tx.estimates.mark_read(cycle_id, number, mark)
        if first:
            tx.move(Entity.CYCLE, cycle_id, cycle.state, CycleState.JUDGED, at=now, why=f"revision {number}")
        tx.commit()
    return number


def judged_window(
    tx: Transaction,
    spec: PanelSpec,
    cycle: Cycle,
    labelled: LabelledCycle,
    estimates: Sequence[Estimate],
    missing: MissingAnswers | None,
    at: datetime,
) -> JudgedWindow:
    """What a window says of each stream with a limit, against the baselines that are known at a moment."""
    current = {stream_of(spec.name, one): one for one in watched_estimates(spec, estimates)}
    against = baselines_for_judging(tx, spec, cycle, watched_streams(spec), at)
    return JudgedWindow(spec, cycle, labelled, current, against, missing)


def _judge(
    tx: Transaction,
    ports: Ports,
    window: JudgedWindow,
    number: int,
    rule: JudgementRule,
    slices: Mapping[StreamKey, Sequence[str]],
) -> None:
    """Judge every stream with a limit, and tell people what they must hear."""
    spec, cycle = window.spec, window.cycle
    superseded = newest_after(tx, cycle) is not None
    retired, backfilled = cycle.panel in tx.labels.cursor(DECIDED), tx.cycles.is_backfilled(cycle)
    counts = rule.rule == "evidence" and not (retired or backfilled)
    pages = pages_of_window(tx, window, rule, panel_evidence(tx, ports, spec) if counts else None)
    judgements = _judgements(tx, window, pages)
    record_judgements(
        tx,
        ports,
        cycle,
        number,
        judgements,
        pages=pages,
        superseded=superseded,
        only_states=retired,
        news={} if backfilled or retired else _news(tx, window, judgements, pages, slices),
    )
    if not (superseded or retired or backfilled):
        _tell_of_missing(tx, ports, cycle, window.missing)
        keep_outlooks(tx, cycle, limit_outlooks(ports, window, rule, judgements), ports.clock.now())


def _news(
    tx: Transaction,
    window: JudgedWindow,
    judgements: Mapping[StreamKey, Judgement],
    pages: Mapping[StreamKey, Page],
    slices: Mapping[StreamKey, Sequence[str]],
) -> dict[StreamKey, News]:
    """The news of streams that are paged now, and of those whose breach may be over."""
    spec, cycle = window.spec, window.cycle
    paged = paged_streams(tx, cycle)
    found = {
        key: news_of_page(tx, spec, cycle, key, page, slices.get(key, ()))
        for key, page in pages.items()
        if key not in paged
    }
    for incident in tx.alarms.incidents(panel=cycle.panel, only_open=True):
        said = judgements.get(incident.key)
        if incident.kind == AlarmState.BREACH and said is not None and said.state == AlarmState.OK:
            found[incident.key] = news_of_end(tx, spec, cycle, incident)
    return found


def _segments(spec: PanelSpec, atoms: Sequence[Atom]) -> tuple[Segment, ...]:
    """The largest segments, and those with a limit: one that is not there this week must be told as BLIND."""
    sizes: Counter[Segment] = Counter()
    for atom in atoms:
        sizes.update(atom.segments)
    largest = sorted(sizes, key=lambda segment: (-sizes[segment], segment))[:MOST_SEGMENTS]
    limited = {limit.segment for limit in spec.limits if limit.segment}
    return tuple(sorted(limited.union(largest)))


def wanted_margin(spec: PanelSpec, key: StreamKey) -> float:
    """How precisely a stream's metric is wanted: by its goal, else by the metric's default."""
    for goal in spec.goals:
        if goal.is_for(key.classifier, key.metric):
            return goal.margin
    return metric_named(key.metric).default_margin


def _its_turn(tx: Transaction, cycle: Cycle) -> bool:
    """Whether no older window is still under way: windows are judged in order, but backfilled ones wait for none."""
    if cycle.state == CycleState.JUDGED:
        return not cycle.is_replaced
    if cycle.state not in (CycleState.SETTLED, CycleState.EXPIRED):
        return False
    active = tx.cycles.find(panel=cycle.panel, states=ACTIVE_CYCLES)
    older = [other for other in active if other.period < cycle.period]
    return tx.cycles.is_backfilled(cycle) or all(map(tx.cycles.is_backfilled, older))


def _a_later_one_is_judged(tx: Transaction, cycle: Cycle) -> bool:
    newest = tx.cycles.find(panel=cycle.panel, states=[CycleState.JUDGED], newest=1)
    return any(other.period > cycle.period for other in newest)


def _judgements(tx: Transaction, window: JudgedWindow, pages: Mapping[StreamKey, Page]) -> dict[StreamKey, Judgement]:
    """The state of every stream with a limit: BREACH where it is paged now, else by the windows up to this one."""
    spec, missing, current = window.spec, window.missing, window.current
    so_far, paged = estimates_so_far(tx, spec, window.cycle, current), paged_streams(tx, window.cycle)
    together = windows_together(tx, spec, window.cycle, window.labelled, so_far)
    judged = {}
    for key, limit in window.limits.items():
        if key in pages:
            judged[key] = Judgement(AlarmState.BREACH, pages[key].reason)
            continue
        said = judge_state(
            so_far[key],
            1.0 if spec.draws_anew else window.labelled.first_use_share,
            limit,
            wanted_margin(spec, key),
            is_paged=key in paged,
            blind_margin_factor=spec.blind_margin_factor,
            baseline=window.against.get(key, NO_BASELINE),
            together=together.of(key) if together else None,
        )
        if missing is None:
            judged[key] = said
            continue
        said = _with_most_missing(said, current[key], missing)
        judged[key] = judge_missing(said, current[key], limit, missing.of(current[key]), missing.lean)
    return judged if _labels_came(window) else {key: _without_labels(said) for key, said in judged.items()}


def _labels_came(window: JudgedWindow) -> bool:
    """Whether the queue gave anything for what it was asked in this window; skips are answers too."""
    asked = [draw.item_key for draw in window.labelled.draws if not draw.reused]
    return not asked or not window.labelled.verdicts.keys().isdisjoint(asked)


def _with_most_missing(said: Judgement, estimate: Estimate, missing: MissingAnswers) -> Judgement:
    """The judgement where nothing can be estimated because most answers are missing, and not because labels are few."""
    if (
        said.cause != BlindCause.FEW_LABELS
        or not isinstance(estimate.result, Undefined)
        or not missing.are_most_of(estimate)
    ):
        return said
    return replace(said, reason=f"{said.reason}; {missing.number_text}", cause=BlindCause.MISSING_ANSWERS)


def _without_labels(said: Judgement) -> Judgement:
    """The judgement where no label came: that is the cause then, and not that labels are few or missing."""
    return replace(said, cause=BlindCause.NO_LABELS) if said.cause in _OF_LABELS else said


def _tell_of_missing(tx: Transaction, ports: Ports, cycle: Cycle, missing: MissingAnswers | None) -> None:
    """Keep the missing answers for `status`, and warn once where they lean."""
    keep_missing(tx, cycle, missing, ports.clock.now())
    if missing and missing.lean:
        warn_of_cycle(tx, ports, cycle, "missing", f"Answers are missing: {cycle.panel}", missing.sentence)


def watched_estimates(spec: PanelSpec, estimates: Sequence[Estimate]) -> list[Estimate]:
    """The estimates of streams that have a limit."""
    streams = watched_streams(spec)
    return [estimate for estimate in estimates if stream_of(spec.name, estimate) in streams]


def slices_by_stream(spec: PanelSpec, estimates: Sequence[Estimate]) -> dict[StreamKey, list[str]]:
    """Up to three segments of every classifier and metric, those furthest from where one wants them first."""
    lines_by_key: dict[StreamKey, list[tuple[float, str]]] = defaultdict(list)
    for estimate in estimates:
        if estimate.segment is None or isinstance(estimate.result, Undefined):
            continue
        found = estimate.result
        worst_first = -found.value if metric_named(estimate.metric).lower_is_better else found.value
        line = f"{estimate.segment}: {estimate_text(found.value, found.low, found.high)}"
        lines_by_key[StreamKey(spec.name, estimate.classifier, estimate.metric)].append((worst_first, line))
    return {key: [line for _, line in sorted(lines)[:MOST_SLICES]] for key, lines in lines_by_key.items()}
