"""What the store keeps of truth that arrived by itself."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from stratawatch.engine.model.panel_spec import Window
from stratawatch.engine.model.truth import KnownItem, TruthCount, TruthStatement, TruthWarning


class TruthRepository(Protocol):
    """Statements of truth and the warnings that were made of them, apart from labels and estimates. Append-only."""

    def add(self, statements: Sequence[TruthStatement], at: datetime) -> int:
        """Append statements; returns how many were new. What is delivered again is kept once."""
        ...

    def newest(self, panel: str) -> int:
        """The number of the newest statement about a panel; 0 when there is none."""
        ...

    def known_items(self, panel: str, cycle_ids: Sequence[int], received_by: datetime) -> tuple[KnownItem, ...]:
        """The candidates of these cycles of which the truth was known by a moment: by the newest statement of each."""
        ...

    def candidate_counts(self, cycle_ids: Sequence[int]) -> Mapping[tuple[str, int], int]:
        """The candidates of these cycles by (pattern, bin)."""
        ...

    def described(self, panel: str, window: Window) -> tuple[TruthStatement, ...]:
        """The newest statements on items that say themselves that they were predicted in this window, and how."""
        ...

    def counts(self) -> tuple[TruthCount, ...]:
        """How much came of every panel and source."""
        ...

    def add_warnings(self, warnings: Sequence[TruthWarning]) -> tuple[TruthWarning, ...]:
        """Keep warnings, one for each stream and cycle; returns those that are new."""
        ...

    def warnings(self, panel: str) -> tuple[TruthWarning, ...]:
        """The warnings of a panel, oldest first."""
        ...
