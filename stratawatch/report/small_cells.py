"""Takes the values of small segments away, so that a page says nothing of a few people."""

from dataclasses import replace

from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.formatting import count_text
from stratawatch.report.report_data import CycleData, ReportData


def without_small_cells(facts: ReportData, smallest: int) -> ReportData:
    """The data without the values of segments that fewer than `smallest` labels tell of, in every window."""
    if not smallest:
        return facts
    return replace(facts, cycles=tuple(_hidden_in(one, smallest) for one in facts.cycles))


def _hidden_in(one: CycleData, smallest: int) -> CycleData:
    if one.revision is None:
        return one
    estimates = tuple(_shown(estimate, smallest) for estimate in one.revision.estimates)
    return replace(one, revision=replace(one.revision, estimates=estimates))


def _shown(estimate: Estimate, smallest: int) -> Estimate:
    is_small = estimate.segment is not None and estimate.labels_used < smallest
    if not is_small or not isinstance(estimate.result, IntervalEstimate):
        return estimate
    why = f"not shown: fewer than {count_text(smallest, 'label')} tell of it"
    return replace(estimate, result=Undefined(why), labels_used=0)
