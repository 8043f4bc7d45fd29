"""Which streams a judgement pages, and why: by the evidence of all windows, or by this window's interval alone."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmRule
from stratawatch.core.alarms.drops import NO_BASELINE, ActiveBaseline, fell_or_rose
from stratawatch.core.alarms.judge import page_by_window, page_confidence
from stratawatch.core.designs.missing_bounds import blind_reason
from stratawatch.core.estimate import Estimate, Undefined
from stratawatch.core.goals import Limit, LimitEnd
from stratawatch.core.metrics import metric_named
from stratawatch.core.tuning import EVIDENCE
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.evidence.loss_onset import loss_onset
from stratawatch.engine.evidence.panel_evidence import YEAR, EndEvidence, PanelEvidence
from stratawatch.engine.labels.labelled_cycle import LabelledCycle
from stratawatch.engine.labels.missing_answers import MissingAnswers
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.evidence_records import JudgementRule, Page
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count, evidence_text, exact_points, percent

_ALL: Final = 1.0


@dataclass(frozen=True)
class JudgedWindow:
    """A window that is judged: what it says of each stream, against which baselines, and which answers are missing."""

    spec: PanelSpec
    cycle: Cycle
    labelled: LabelledCycle
    current: Mapping[StreamKey, Estimate]
    against: Mapping[StreamKey, ActiveBaseline | Undefined]
    missing: MissingAnswers | None

    @cached_property
    def alone(self) -> Mapping[StreamKey, Estimate]:
        """What this window's labels say of each stream without history's part in intervals: what pages rest on."""
        if not self.labelled.design.intervals_have_history:
            return self.current
        found = self.labelled.design.estimate(
            self.labelled.ledger,
            self.labelled.drawn,
            confidence=self.spec.confidence,
            metrics=sorted({key.metric for key in self.limits}),
            segments=sorted({limit.segment for limit in self.limits.values() if limit.segment}),
            borrow=False,
        )
        return {**self.current, **{stream_of(self.spec.name, estimate): estimate for estimate in found}}

    @property
    def limits(self) -> dict[StreamKey, Limit]:
        """The limits of the streams."""
        return watched_streams(self.spec)

    def adds_up(self, key: StreamKey) -> bool:
        """Whether falls of a stream from its baseline are added up over windows."""
        baseline = self.against.get(key, NO_BASELINE)
        return not isinstance(baseline, Undefined) and baseline.has_evidence


def pages_of_window(
    tx: Transaction, window: JudgedWindow, rule: JudgementRule, evidence: PanelEvidence | None
) -> dict[StreamKey, Page]:
    """The streams to be paged: each whose window lies outside, and the one that leads where evidence is enough.

    `evidence` is that of all windows up to this one; None where it decides nothing.
    """
    found = {}
    for key, reason in _outside_alone(window, rule).items():
        end = evidence.of(key) if evidence else None
        found[key] = _page_since(tx, window, end, "window", reason)
    if evidence and evidence.pages and not _is_in_doubt(window, evidence.ends[0].key):
        leader, *others = evidence.ends
        alone = leader.key in found
        proofs = [found[leader.key].reason] if alone else []
        if leader.end == "max_drop":
            proofs += _fall(window, leader.key)
        proofs.append(_sentence(evidence, window.spec.false_pages_per_year))
        suspected = dict.fromkeys(end.key for end in others if end in evidence.suspected and end.key != leader.key)
        page = _page_since(tx, window, leader, "evidence", "; ".join(proofs))
        found[leader.key] = replace(page, evidence=evidence.total, others=tuple(suspected), is_proven_alone=alone)
    return found


def _page_since(tx: Transaction, window: JudgedWindow, end: EndEvidence | None, rule: AlarmRule, reason: str) -> Page:
    """A page with the window in which the loss most likely began: its own where evidence says nothing of that.

    Of an older window that is judged late the evidence may be of later ones, after which it did not begin.
    """
    began, own = loss_onset(tx, window.spec, end) if end else None, window.cycle.window.start
    if began is None or began.since > own:
        return Page(rule, reason, own)
    first, last = began.within
    return Page(rule, reason, began.since, within=(first, min(last, own)))


def _is_in_doubt(window: JudgedWindow, key: StreamKey) -> bool:
    """Whether missing answers leave a stream open, which people hear of: a page by evidence then waits for a window."""
    missing, interval = window.missing, window.alone[key].result
    if missing is None or isinstance(interval, Undefined):
        return False
    return bool(blind_reason(missing.of(window.alone[key]), interval, missing.lean))


def _fall(window: JudgedWindow, key: StreamKey) -> list[str]:
    """How far a stream fell, such as "recall fell by more than 5 points below its baseline of 84.0% (2026-08-03)"."""
    baseline, most = window.against[key], window.limits[key].max_drop
    if isinstance(baseline, Undefined) or most is None:
        return []
    way = "above" if metric_named(key.metric).lower_is_better else "below"
    was = baseline.evidence.interval_at(window.current[key].confidence)
    fell = f"{metric_named(key.metric).title} {fell_or_rose(key.metric)} by more than {exact_points(most)} points"
    return [f"{fell} {way} its baseline of {percent(was.value, was.half_width)} ({baseline.of})"]


def _sentence(evidence: PanelEvidence, false_pages_per_year: float) -> str:
    """How sure the page is.

    >>> _sentence(PanelEvidence((), 520.0), 1.0)
    'windows together prove it, 0 to 1 where 520 to 1 is enough; luck reaches that at most 0.8 times a year'
    """
    promise = EVIDENCE.evidence_share * false_pages_per_year
    enough = f"{count(round(evidence.threshold))} to 1 is enough; luck reaches that at most {promise:g} times a year"
    return f"windows together prove it, {evidence_text(evidence.total)} to 1 where {enough}"


def _outside_alone(window: JudgedWindow, rule: JudgementRule) -> dict[StreamKey, str]:
    """The streams whose interval lies outside at the confidence of a page, each with why."""
    alone = {
        key: replace(limit, floor=None, ceiling=None) for key, limit in window.limits.items() if not window.adds_up(key)
    }
    together = {key: replace(limit, max_drop=None) if key in alone else limit for key, limit in window.limits.items()}
    # A drop without evidence of its own keeps all of the promise; what has some keeps the rest of it.
    found = _beyond(window, alone, _ALL) | _beyond(window, together, share_of_window(window.spec, rule.rule))
    return {key: found[key] for key in window.limits if key in found}


def share_of_window(spec: PanelSpec, rule: AlarmRule) -> float:
    """The part of the promised false pages that one window's interval may use where windows are judged by a rule."""
    if spec.alarms == "window":
        return _ALL
    return EVIDENCE.window_share if rule == "window" else 1 - EVIDENCE.evidence_share


def page_confidence_of(window: JudgedWindow, rule: JudgementRule, key: StreamKey, end: LimitEnd) -> float:
    """The confidence of the interval by which this window alone may page at one end of a stream's limit."""
    by_itself = end == "max_drop" and not window.adds_up(key)
    return _confidence(window, _ALL if by_itself else share_of_window(window.spec, rule.rule))


def _confidence(window: JudgedWindow, share: float) -> float:
    """The confidence where pages by one window may use this share of the promised false pages."""
    # A stream with a floor and a largest drop has two chances to page falsely.
    tests = sum(limit.tests for limit in window.limits.values())
    return page_confidence(tests, YEAR / window.spec.windows.length, share * window.spec.false_pages_per_year)


def _beyond(window: JudgedWindow, limits: Mapping[StreamKey, Limit], share: float) -> dict[StreamKey, str]:
    tested = {key: limit for key, limit in limits.items() if limit.tests}
    if not tested:
        return {}
    spec, missing = window.spec, window.missing
    wide = window.labelled.design.estimate(
        window.labelled.ledger,
        window.labelled.drawn,
        confidence=_confidence(window, share),
        metrics=sorted({key.metric for key in tested}),
        segments=sorted({limit.segment for limit in tested.values() if limit.segment}),
        borrow=False,
    )
    for_page = {stream_of(spec.name, estimate): estimate for estimate in wide}
    reasons = {
        key: page_by_window(
            window.alone[key],
            for_page[key],
            limit,
            baseline=window.against.get(key, NO_BASELINE),
            bounds=missing.of(window.current[key]) if missing else None,
            lean=missing.lean if missing else None,
        )
        for key, limit in tested.items()
    }
    return {key: why for key, why in reasons.items() if why}


def stream_of(panel: str, estimate: Estimate) -> StreamKey:
    """The stream that an estimate is of."""
    segment = str(estimate.segment) if estimate.segment else None
    return StreamKey(panel, estimate.classifier, estimate.metric, segment)
