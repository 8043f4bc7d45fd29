"""Baselines from the panel's own judged windows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from stratawatch.core.methods.baselines.baseline import Baseline
from stratawatch.core.methods.baselines.past_estimates import LEAST, past_estimates
from stratawatch.core.results import Estimate, Undefined
from stratawatch.engine.baseline_record import call_of
from stratawatch.engine.records import Cycle, PanelSpec, Revision, StreamKey
from stratawatch.engine.repositories import Transaction
from stratawatch.engine.states import CycleState
from stratawatch.errors import StratawatchError

DEFAULT_WINDOWS: Final = 8
"""With eight weeks of labels few baselines are so unlucky that their error pages by itself."""


def from_windows(
    tx: Transaction, spec: PanelSpec, keys: Sequence[StreamKey], windows: int
) -> tuple[dict[StreamKey, Baseline], str, datetime]:
    """The streams' baselines from the newest judged windows, the windows in words, and the moment that they end at.

    Of each classifier only windows count in which it said yes by the same rule as today.
    """
    if windows < LEAST:
        raise StratawatchError("too few windows for a baseline", expected=f"at least {LEAST}", got=str(windows))
    judged = tx.cycles.find(panel=spec.name, states=[CycleState.JUDGED], newest=windows)
    if len(judged) < LEAST:
        raise StratawatchError(
            f"panel '{spec.name}' has too few judged windows for a baseline",
            expected=f"at least {LEAST}",
            got=str(len(judged)),
            hint="wait for more, or measure labelled predictions: --file",
        )
    past = [_Past(tx, spec, cycle) for cycle in judged]
    found = {key: _baseline(key, [one for window in past for one in window.estimates(key)]) for key in keys}
    first, last = judged[0].window, judged[-1].window
    return found, f"{len(judged)} judged windows, {first.start:%Y-%m-%d} to {last.end:%Y-%m-%d}", last.end


class _Past:
    """One judged window: its newest estimates, and which classifiers were then what they are now."""

    def __init__(self, tx: Transaction, spec: PanelSpec, cycle: Cycle) -> None:
        now = {one.name: call_of(one) for one in spec.classifiers}
        then = tx.panels.get(cycle.panel_version).classifiers
        self._alike = {one.name for one in then if now.get(one.name) == call_of(one)}
        self._revision: Revision | None = tx.estimates.latest(cycle.id)

    def estimates(self, key: StreamKey) -> list[Estimate]:
        """The stream's estimate, if there is one."""
        if self._revision is None or key.classifier not in self._alike:
            return []
        return [
            one
            for one in self._revision.estimates
            if (one.classifier, one.metric) == (key.classifier, key.metric)
            and key.segment == (str(one.segment) if one.segment else None)
        ]


def _baseline(key: StreamKey, estimates: Sequence[Estimate]) -> Baseline:
    if not estimates:
        return Baseline(key.metric, Undefined("no past window estimated it"), "past estimates", 0)
    return past_estimates(estimates, LEAST)
