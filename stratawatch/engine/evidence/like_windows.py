"""The windows around a fall that can be compared: with the same classifiers and the same question."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports.transaction import Transaction

MOST: Final = 26
"""Judged windows that are looked through."""


@dataclass(frozen=True)
class WindowsAround:
    """Judged windows before a moment, and from it on, oldest first."""

    before: tuple[Cycle, ...]
    since: tuple[Cycle, ...]


def windows_around(tx: Transaction, spec: PanelSpec, cycle: Cycle, since: datetime) -> WindowsAround:
    """The newest windows before a cycle that are like it, parted at a window's start; without the cycle itself."""
    judged = tx.cycles.find(panel=spec.name, states=[CycleState.JUDGED], before=cycle.period, newest=MOST)
    alike = [one for one in judged if is_alike(tx, spec, one)]
    before = tuple(one for one in alike if one.window.start < since)
    return WindowsAround(before, tuple(one for one in alike if one.window.start >= since))


def is_alike(tx: Transaction, spec: PanelSpec, cycle: Cycle) -> bool:
    """Whether patterns and verdicts of a window mean what they mean now."""
    then = tx.panels.get(cycle.panel_version)
    same = (then.classifiers, then.auxiliary) == (spec.classifiers, spec.auxiliary)
    return same and tx.panels.question_key(then) == tx.panels.question_key(spec)
