"""What the store keeps of evidence over windows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from stratawatch.engine.model.evidence_records import EvidenceRestart, EvidenceRow, JudgementRule


class EvidenceRepository(Protocol):
    """Evidence, where it began anew, and by which rule windows were judged. Appended, never changed."""

    def add(self, rows: Sequence[EvidenceRow]) -> None:
        """Append the evidence of one judgement. Raises StaleState when any of it is there already."""
        ...

    def of_panel(self, panel: str, after_period: int | None = None) -> tuple[EvidenceRow, ...]:
        """The newest revision of each window that has evidence, oldest window first; of those after a period.

        Windows whose cycle was replaced count by the cycle that they have now.
        """
        ...

    def since_restarts(self, panel: str) -> tuple[EvidenceRow, ...]:
        """The bets on broken limits in windows after the last restart of each stream: of its own, or of all.

        As of the newest revision of each window, the oldest window first.
        """
        ...

    def growth(self, panel: str, since: datetime) -> tuple[EvidenceRow, ...]:
        """The bets on baselines in windows that start at a moment or later, in the same order."""
        ...

    def of_cycle(self, cycle_id: int) -> tuple[EvidenceRow, ...]:
        """The evidence of a cycle's newest revision that has any."""
        ...

    def restart(self, restart: EvidenceRestart) -> bool:
        """Keep that streams begin at 0 after a window; False when they do already, and then the first reason stays."""
        ...

    def restarts(self, panel: str) -> tuple[EvidenceRestart, ...]:
        """The restarts of a panel, oldest window first."""
        ...

    def keep_rule(self, rule: JudgementRule) -> JudgementRule:
        """Keep by which rule a window was judged; returns the rule it keeps, which is that of its first judgement."""
        ...

    def rule_of(self, cycle_id: int) -> JudgementRule | None:
        """By which rule a cycle was judged; None before that, and where it was judged before there was evidence."""
        ...

    def rules(self, panel: str) -> tuple[JudgementRule, ...]:
        """The rules of a panel's windows, oldest first."""
        ...
