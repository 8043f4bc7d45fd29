"""The newest judged windows of a panel as one, or their change from those before, for people who ask."""

from collections.abc import Sequence
from dataclasses import dataclass

from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.pooled_windows import PooledWindows, WindowLabels
from stratawatch.core.estimation.window_changes import change_of_windows
from stratawatch.core.population import Segment
from stratawatch.engine.evidence.like_windows import is_alike
from stratawatch.engine.evidence.windows_together import window_labels
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class NewestTogether:
    """Estimates of the newest windows together; with windows `before`, of the change from those to the newest."""

    before: tuple[Cycle, ...]
    newest: tuple[Cycle, ...]
    estimates: tuple[Estimate, ...]


def newest_together(
    tx: Transaction, panel: str, windows: int, segments: Sequence[Segment | None], *, is_change: bool = False
) -> NewestTogether | None:
    """So many of the newest judged windows that are like the last one, or as many as there are; None: there are none.

    A change is from as many windows before. Raises where there are none before, or labels of a window cannot be pooled.
    """
    judged = tx.cycles.find(panel=panel, states=[CycleState.JUDGED], newest=(1 + is_change) * windows)
    if not judged:
        return None
    spec = tx.panels.get(judged[-1].panel_version)
    alike = [one for one in judged if is_alike(tx, spec, one)]
    labels = {one.id: _labels(tx, spec, one, segments) for one in alike}
    newest, before = (
        [one for one in some if not labels[one.id].is_gap] for some in (alike[-windows:], alike[:-windows])
    )
    if not newest:
        return None
    if is_change and not before:
        raise StratawatchError(
            f"panel '{panel}' has no window before the newest {len(newest)} to compare with",
            expected="judged windows with the same classifiers and the same question",
        )
    pooled = PooledWindows(tuple(labels[one.id] for one in (*before, *newest)))
    names = tuple(classifier.name for classifier in spec.classifiers)
    request = EstimationRequest(spec.confidence, metrics_shown(spec), tuple(segments))
    earlier, later = range(len(before)), range(len(before), len(before) + len(newest))
    found = (
        change_of_windows(pooled, earlier, later, names, request)
        if is_change
        else pooled.estimates(later, names, request)
    )
    return NewestTogether(tuple(before) if is_change else (), tuple(newest), found)


def _labels(tx: Transaction, spec: PanelSpec, cycle: Cycle, segments: Sequence[Segment | None]) -> WindowLabels:
    found = window_labels(tx, cycle, [classifier.name for classifier in spec.classifiers], segments)
    if found is None:
        raise StratawatchError(
            f"the labels of the window from {cycle.window.start:%Y-%m-%d} cannot be counted together with others",
            expected="windows of a design with difference estimates, its own variances and no clusters",
            hint="`stratawatch estimates --history` shows each window by itself",
        )
    return found
