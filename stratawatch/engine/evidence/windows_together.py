"""Windows up to one that is judged, pooled label by label: their frozen designs and labels, as the store has them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.pooled_windows import PooledWindows, WindowLabels
from stratawatch.core.population import Candidates, Segment
from stratawatch.engine.labels.labelled_cycle import (
    LabelledCycle,
    cycle_verdicts,
    design_of_cycle,
    draws_by_round,
    load_labelled_cycle,
)
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports.transaction import Transaction


@dataclass(frozen=True)
class WindowsTogether:
    """The windows of a panel up to the `newest` that can be pooled, by period, oldest first; `request` says of what.

    Those without any label are gaps. Those before a window whose labels cannot be pooled are left out: readings that
    would need them are means.
    """

    panel: str
    newest: int
    periods: Sequence[int]
    since: int
    pooled: PooledWindows
    classifiers: Sequence[str]
    request: EstimationRequest
    _found: dict[int, Mapping[StreamKey, Estimate]] = field(default_factory=dict)

    def of(self, key: StreamKey) -> Callable[[int], Estimate | None]:
        """By a number of newest windows, gaps counted, what they say of a stream; None where that is not known."""

        def last(windows: int) -> Estimate | None:
            first = self.newest - windows + 1
            return None if first < self.since or first > self.periods[-1] else self._estimates(first)[key]

        return last

    def _estimates(self, period: int) -> Mapping[StreamKey, Estimate]:
        """Of all streams, from the first window that is not before this period."""
        first = next(place for place, one in enumerate(self.periods) if one >= period)
        if first not in self._found:
            estimates = self.pooled.estimates(range(first, len(self.periods)), self.classifiers, self.request)
            self._found[first] = {_key(self.panel, one): one for one in estimates}
        return self._found[first]


def windows_together(
    tx: Transaction,
    spec: PanelSpec,
    cycle: Cycle,
    labelled: LabelledCycle,
    so_far: Mapping[StreamKey, Sequence[Estimate]],
) -> WindowsTogether | None:
    """The windows that the readings of these streams look over; None where they can only be means of estimates."""
    longest = max(map(len, so_far.values()), default=1)
    if longest == 1 or not labelled.design.pools_with_windows:
        return None
    request = _request(spec, so_far)
    names = tuple(classifier.name for classifier in spec.classifiers)
    by_period = {cycle.period: labelled.design.window_labels(labelled.ledger, labelled.drawn, request.segments)}
    since = cycle.period - longest + 1
    earlier = tx.cycles.find(panel=spec.name, states=[CycleState.JUDGED], before=cycle.period, newest=longest - 1)
    for one in reversed([one for one in earlier if one.period >= since]):
        found = window_labels(tx, one, names, request.segments)
        if found is None:
            since = min(by_period)
            break
        by_period[one.period] = found
    labelled_periods = [period for period in sorted(by_period) if not by_period[period].is_gap]
    if not labelled_periods:
        return None
    pooled = PooledWindows(tuple(by_period[period] for period in labelled_periods))
    return WindowsTogether(spec.name, cycle.period, labelled_periods, since, pooled, names, request)


def _request(spec: PanelSpec, so_far: Mapping[StreamKey, Sequence[Estimate]]) -> EstimationRequest:
    """Everything that some stream is about."""
    segments: dict[Segment | None, None] = {}
    metrics: dict[str, None] = {}
    for estimates in so_far.values():
        segments[estimates[-1].segment] = None
        metrics[estimates[-1].metric] = None
    return EstimationRequest(spec.confidence, tuple(metrics), tuple(segments))


def window_labels(
    tx: Transaction, cycle: Cycle, names: Sequence[str], segments: Sequence[Segment | None]
) -> WindowLabels | None:
    """The labels of a judged window, for classifiers in this order; None where they cannot be pooled."""
    spec = tx.panels.get(cycle.panel_version)
    found = _labelled(tx, spec, cycle, in_segments=any(segments))
    if not found.design.pools_with_windows:
        return None
    return found.design.window_labels(found.ledger, found.drawn, segments, names)


def _labelled(tx: Transaction, spec: PanelSpec, cycle: Cycle, *, in_segments: bool) -> LabelledCycle:
    """The window with its labels. Pools are three times the draws, and only segments and clusters are in them alone."""
    if in_segments or spec.columns.cluster is not None:
        return load_labelled_cycle(tx, spec, cycle.id)
    draws, drawn = draws_by_round(tx, cycle.id)
    labelled = Candidates(
        items=tuple(draw.item for draw in draws),
        atoms=np.array([draw.atom for draw in draws], dtype=np.int64),
        digests=tuple(draw.digest for draw in draws),
    )
    design = replace(design_of_cycle(spec, tx.cycles.atoms(cycle.id), ()), candidates=labelled)
    return LabelledCycle(design, draws, drawn, cycle_verdicts(tx, spec, cycle.id, draws))


def _key(panel: str, estimate: Estimate) -> StreamKey:
    segment = str(estimate.segment) if estimate.segment else None
    return StreamKey(panel, estimate.classifier, estimate.metric, segment)
