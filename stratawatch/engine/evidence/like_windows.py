"""The windows around a classifier's fall that can be compared: with the same question, and the classifier as it is."""

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


def windows_around(tx: Transaction, spec: PanelSpec, cycle: Cycle, classifier: str, since: datetime) -> WindowsAround:
    """The newest windows before a cycle that are like it, parted at a window's start; without the cycle itself."""
    judged = tx.cycles.find(panel=spec.name, states=[CycleState.JUDGED], before=cycle.period, newest=MOST)
    alike = [one for one in judged if is_alike(tx, spec, one, classifier)]
    before = tuple(one for one in alike if one.window.start < since)
    return WindowsAround(before, tuple(one for one in alike if one.window.start >= since))


def is_alike(tx: Transaction, spec: PanelSpec, cycle: Cycle, classifier: str) -> bool:
    """Whether the classifier's calls and scores in a window mean what they mean now, and so do verdicts.

    Other classifiers may have come or left since.
    """
    then = tx.panels.get(cycle.panel_version)
    same = any(one.name == classifier and one in then.classifiers for one in spec.classifiers)
    return same and tx.panels.question_key(then) == tx.panels.question_key(spec)
