"""Baselines from the panel's own judged windows."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from stratawatch.core.baselines.baseline import Baseline
from stratawatch.core.baselines.baseline_from_estimates import METHOD, MIN_WINDOWS, baseline_from_estimates
from stratawatch.core.estimate import Estimate, Undefined
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle, Revision
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.model.stored_baseline import call_rule
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StratawatchError

DEFAULT_WINDOWS: Final = 8
"""With eight weeks of labels few baselines are so unlucky that their error pages by itself."""
UNESTIMATED: Final = Undefined("no past window estimated it")


def from_windows(
    tx: Transaction, spec: PanelSpec, keys: Sequence[StreamKey], windows: int, by: datetime
) -> tuple[dict[StreamKey, Baseline], str, datetime]:
    """The streams' baselines from the newest windows that had been judged by a moment; these in words, and their end.

    Of each classifier only windows count in which it said yes by the same rule as today.
    """
    if windows < MIN_WINDOWS:
        raise StratawatchError("too few windows for a baseline", expected=f"at least {MIN_WINDOWS}", got=str(windows))
    judged = judged_windows(tx, spec.name, windows, by)
    if len(judged) < MIN_WINDOWS:
        raise StratawatchError(
            f"panel '{spec.name}' has too few judged windows for a baseline",
            expected=f"at least {MIN_WINDOWS}",
            got=str(len(judged)),
            hint="wait for more, or measure labelled predictions: --file",
        )
    past = [_PastWindow(tx, one) for one in judged]
    found = {key: _baseline(spec, key, past) for key in keys}
    first, last = judged[0].cycle.window, judged[-1].cycle.window
    return found, f"{len(judged)} judged windows, {first.start:%Y-%m-%d} to {last.end:%Y-%m-%d}", last.end


class JudgedWindow(NamedTuple):
    """A judged window with the estimates that it ended with."""

    cycle: Cycle
    revision: Revision


def judged_windows(tx: Transaction, panel: str, newest: int, by: datetime) -> list[JudgedWindow]:
    """The newest windows that had been judged by a moment, oldest first, with their estimates of then."""
    found: list[JudgedWindow] = []
    for cycle in reversed(tx.cycles.find(panel=panel, states=[CycleState.JUDGED])):
        if len(found) == newest:
            break
        if revision := tx.estimates.latest(cycle.id, by):
            found.append(JudgedWindow(cycle, revision))
    return found[::-1]


class _PastWindow:
    """One judged window: its estimates, and what its classifiers said yes by."""

    def __init__(self, tx: Transaction, judged: JudgedWindow) -> None:
        self.calls = {one.name: call_rule(one) for one in tx.panels.get(judged.cycle.panel_version).classifiers}
        self._estimates = judged.revision.estimates

    def estimates(self, key: StreamKey) -> list[Estimate]:
        """The stream's estimate, if there is one."""
        return [
            one
            for one in self._estimates
            if (one.classifier, one.metric) == (key.classifier, key.metric)
            and key.segment == (str(one.segment) if one.segment else None)
        ]


def _baseline(spec: PanelSpec, key: StreamKey, past: Sequence[_PastWindow]) -> Baseline:
    """A stream's baseline, or why there is none: also that the classifier said yes by another rule in past windows."""
    call = next(call_rule(one) for one in spec.classifiers if one.name == key.classifier)
    alike = [window for window in past if window.calls.get(key.classifier) == call]
    estimates = [one for window in alike for one in window.estimates(key)]
    baseline = (
        baseline_from_estimates(estimates, MIN_WINDOWS) if estimates else Baseline(key.metric, UNESTIMATED, METHOD, 0)
    )
    others = [window.calls[key.classifier] for window in past if window.calls.get(key.classifier, call) != call]
    if not others or not isinstance(baseline.evidence, Undefined):
        return baseline
    rules = " or by ".join(sorted(set(others)))
    why = f"{len(others)} of {len(past)} windows are of another classifier, yes by {rules}"
    return replace(baseline, evidence=Undefined(f"{baseline.evidence.reason}; {why}" if estimates else why))
