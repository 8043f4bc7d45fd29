"""What the store keeps of labels, estimates and baselines."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from stratawatch.engine.model.cycle_facts import Cycle, PastDraw, PastEstimate, Revision
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.label_events import LabelEvent, WaitingLabels
from stratawatch.engine.model.stored_baseline import StoredBaseline


class LabelRepository(Protocol):
    """The ledger of label events, the inbox of those on items not drawn yet, and how far each queue was read."""

    def add(self, events: Sequence[LabelEvent], at: datetime) -> tuple[int, int]:
        """Append events of drawn items; keep those whose item_key was never drawn in the inbox, until it is.

        Each of a drawn item is kept as an answer to the question that its item was asked last. Returns how many joined
        the ledger, and how many the inbox. What is delivered again is kept once.
        """
        ...

    def waiting(self) -> WaitingLabels:
        """How many events wait in the inbox for the draw of their item, and since when."""
        ...

    def keys_waiting(self, item_keys: Sequence[str]) -> frozenset[str]:
        """Those of the keys under which labels wait in the inbox. Any number of keys."""
        ...

    def waiting_events(self) -> tuple[LabelEvent, ...]:
        """The events in the inbox, in order of arrival."""
        ...

    def earliest_times(self, item_keys: Sequence[str]) -> Mapping[str, datetime]:
        """For items that were drawn, by key, the end of the first window that they were drawn from.

        Nobody can have been asked about an item before. A draw's own time would not do: a store that was restored
        draws the same items again, later than people were asked about them.
        """
        ...

    def of_items(self, item_keys: Sequence[str], question_key: str) -> tuple[LabelEvent, ...]:
        """All answers to this question on these items, by time and arrival. Any number of keys."""
        ...

    def of_panel(self, panel: str, question_key: str | None = None) -> tuple[tuple[str, LabelEvent], ...]:
        """(item id, event) of a panel, or of one of its questions, in order of arrival."""
        ...

    def past_draws(self, cycle_ids: Sequence[int], received_by: datetime, question_key: str) -> tuple[PastDraw, ...]:
        """What these cycles had drawn for a question by a moment, with the answers that had arrived by then, if any."""
        ...

    def on_drawn_items(
        self, question_key: str, received_by: datetime, not_before: datetime
    ) -> tuple[tuple[str, LabelEvent], ...]:
        """(item id, answer to a question) on items that any panel drew for it, received by a moment, by time.

        Answers that were given or received before `not_before` are left out.
        """
        ...

    def newest_event_id(self) -> int:
        """The id of the newest label event, 0 when there is none."""
        ...

    def cursor(self, queue: str, *, lock: bool = False) -> Json:
        """How far a queue was read; {} at first. With `lock` nobody else changes it before this transaction ends."""
        ...

    def save_cursor(self, queue: str, cursor: Json, at: datetime) -> None:
        """Keep how far a queue was read; in the transaction that adds its events."""
        ...


class EstimateRepository(Protocol):
    """Estimates with their revisions."""

    def add(self, revision: Revision) -> None:
        """Append a revision; (cycle, number) must be new."""
        ...

    def mark_read(self, cycle_id: int, number: int, mark: int) -> None:
        """Events up to `mark` changed nothing in this revision's verdicts: it is up to date with them."""
        ...

    def latest(self, cycle_id: int, by: datetime | None = None) -> Revision | None:
        """The newest revision of a cycle, or the newest that had been made by a moment."""
        ...

    def outdated(self, after: int = 0) -> tuple[int, ...]:
        """Cycles with an event on one of their drawn items that is newer than the mark of their newest revision.

        Events up to `after` are known to have outdated nothing and are not looked at.
        """
        ...

    def history(
        self, panel: str, newest: int | None = None, *, replaced: bool = False
    ) -> tuple[tuple[Cycle, Revision], ...]:
        """The newest revision of every cycle of a panel that has one, oldest window first; or of the last so many.

        Cycles that were replaced are left out unless asked for.
        """
        ...

    def in_periods(
        self, panel: str, first: int, last: int, metrics: Collection[str], segments: Collection[str | None]
    ) -> tuple[PastEstimate, ...]:
        """The newest estimates of these metrics and segments (None: overall) in these periods, oldest window first."""
        ...


class BaselineRepository(Protocol):
    """What metrics were. Appended, never changed."""

    def add(self, baseline: StoredBaseline, after: StoredBaseline | None = None) -> bool:
        """Keep a baseline; False when the same was kept before: ever, or with `after` since that one was."""
        ...

    def of(self, panel: str) -> tuple[StoredBaseline, ...]:
        """All baselines of a panel, in the order in which they were measured."""
        ...

    def in_force(self, panel: str, at: datetime, measured_by: datetime | None = None) -> tuple[StoredBaseline, ...]:
        """For every stream and call, the newest measured baseline whose dates hold `at`.

        With `measured_by`, of those that had been measured by that moment.
        """
        ...
