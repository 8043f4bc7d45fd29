"""What the store keeps of panels, cycles and rounds."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom
from stratawatch.engine.model.cycle_facts import CandidateItem, Cycle, DrawnItem, FrozenCycle, Round, Transition
from stratawatch.engine.model.evidence_records import FixedBets
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.label_events import Batch, NewBatch
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.states import BatchState, CycleState, Entity


class PanelRepository(Protocol):
    """Panels and their versions. A changed specification is a new version; old cycles keep theirs."""

    def save(self, spec: PanelSpec, at: datetime) -> int:
        """Keep this specification, return its version's id; the same specification keeps the same id."""
        ...

    def get(self, version: int) -> PanelSpec:
        """The specification of a version."""
        ...

    def latest(self) -> Mapping[str, PanelSpec]:
        """The newest specification of every panel, by name."""
        ...

    def question_key(self, spec: PanelSpec) -> str:
        """The key of the question that a specification asks, kept or not.

        It is the question's text with the guideline's, or with `guideline_version` where that is set. Setting or
        removing `guideline_version` beside an unchanged guideline keeps the key of the panel's newest specification,
        and so does a `guideline_version` that is that key itself.
        """
        ...

    def question_keys(self, panel: str) -> frozenset[str]:
        """The keys of all questions that the specifications kept of a panel ask."""
        ...


class CycleRepository(Protocol):
    """Cycles, their frozen facts and the log of every move."""

    def open(self, panel: str, version: int, period: int, window: Window, at: datetime) -> int | None:
        """Open a window once; None when (panel, period) is there already."""
        ...

    def get(self, cycle_id: int) -> Cycle:
        """One cycle. Raises StratawatchError when there is none."""
        ...

    def find(
        self,
        *,
        panel: str | None = None,
        states: Sequence[CycleState] | None = None,
        before: int | None = None,
        newest: int | None = None,
        replaced: bool = False,
    ) -> tuple[Cycle, ...]:
        """Cycles, oldest window first; `before` a period, and with `newest`, only the last so many.

        Those that were replaced are left out; with `replaced`, the others are.
        """
        ...

    def replace(self, cycle_id: int, why: str) -> None:
        """Free a judged cycle's window for another cycle; a replaced one has its negative id for a period."""
        ...

    def earlier_runs(self, cycle: Cycle) -> tuple[Cycle, ...]:
        """The cycles of the same window that this one replaced, oldest first."""
        ...

    def is_backfilled(self, cycle: Cycle) -> bool:
        """Whether a later window of the panel was opened before this one."""
        ...

    def freeze(self, cycle_id: int, frozen: FrozenCycle, deadline_at: datetime) -> None:
        """Keep the frozen facts: atoms, segments, candidates, profile, bad rows. Does not move the state."""
        ...

    def explain(
        self, cycle_id: int, *, reason: str, docs: str | None = None, profile: InputProfile | None = None
    ) -> None:
        """Keep why a cycle was refused, expired or cancelled, and the profile where a refused window was counted."""
        ...

    def unfreeze(self, cycle_id: int, version: int | None = None) -> None:
        """Forget what a refused cycle kept (reason, profile, quarantine, failures), before it is reopened.

        With a version, the panel's specification of that version holds for it from now on: nothing was drawn yet.
        """
        ...

    def count_failure(self, cycle_id: int, message: str) -> int:
        """Count a failed attempt and keep its message; returns the number of attempts in a row."""
        ...

    def atoms(self, cycle_id: int) -> tuple[Atom, ...]:
        """Atoms in their order."""
        ...

    def items_by_pattern(self, cycle_ids: Sequence[int]) -> Mapping[int, Mapping[str, int]]:
        """How many items of each of these cycles have each pattern; a cycle that is not frozen is left out."""
        ...

    def candidates(self, cycle_id: int) -> tuple[CandidateItem, ...]:
        """The pools, by atom and digest."""
        ...

    def drawn_candidates(self, cycle_id: int) -> tuple[CandidateItem, ...]:
        """Those of the pools that some round drew, by atom and digest."""
        ...

    def labelled_before(self, cycle_id: int) -> tuple[CandidateItem, ...]:
        """The items of a cycle that had a verdict when it was opened; none where random numbers are permanent."""
        ...

    def items_of_earlier_pools(self, cycle_id: int, since: datetime) -> frozenset[str]:
        """The candidates of a cycle that its panel had as candidates of an earlier window, from `since` on."""
        ...

    def quarantine(self, cycle_id: int | None, rows: Sequence[QuarantinedRow], at: datetime) -> None:
        """Keep rows that were set aside. The same (kind, key, reason, cycle) is kept once; a `count` is added up."""
        ...

    def quarantined(self, cycle_id: int | None = None, newest: int = 100) -> tuple[QuarantinedRow, ...]:
        """Rows that were set aside: of one cycle, or the newest of all."""
        ...

    def labels_set_aside(self, newest: int) -> tuple[tuple[datetime, QuarantinedRow], ...]:
        """Labels that were set aside, by origin and reason, with the last time; those of the newest come last."""
        ...

    def transitions(
        self,
        entity: Entity | None = None,
        entity_id: int | None = None,
        *,
        after: int = 0,
        since: datetime | None = None,
    ) -> tuple[Transition, ...]:
        """The transition log, oldest first: all of it, what came `after` a number of `newest_transition`, or `since`.

        Numbers are given out before the commit: a line with a lower one may appear after a higher one was read.
        """
        ...

    def newest_transition(self) -> int:
        """The number of the newest line of the transition log; 0 when there is none."""
        ...


class RoundRepository(Protocol):
    """Rounds, draws and batches."""

    def add(
        self, cycle_id: int, plan: Plan, draws: Sequence[DrawnItem], batches: Sequence[NewBatch], at: datetime
    ) -> int:
        """Keep a planned round with its draws and its outbox rows; its ordinal is the next of its cycle, from 1.

        Labels that waited in the inbox for these items join the ledger, in order of arrival and with their times.
        Raises StaleState when another process added that round meanwhile.
        """
        ...

    def add_batches(self, round_id: int, new: Sequence[NewBatch]) -> None:
        """Add outbox rows to a round, for votes that its answers ask for. Keys must be new."""
        ...

    def get(self, round_id: int) -> Round:
        """One round."""
        ...

    def batch(self, batch_id: int) -> Batch:
        """One batch."""
        ...

    def of(self, cycle_id: int) -> tuple[Round, ...]:
        """A cycle's rounds, in order."""
        ...

    def draws(self, cycle_id: int, round_id: int | None = None) -> tuple[DrawnItem, ...]:
        """What was drawn, in the whole cycle or in one round, by atom and digest."""
        ...

    def batches(
        self, *, cycle_id: int | None = None, round_id: int | None = None, states: Sequence[BatchState] | None = None
    ) -> tuple[Batch, ...]:
        """Batches, oldest first."""
        ...

    def batch_ids(self, states: Sequence[BatchState], panel: str | None = None) -> tuple[tuple[str, int], ...]:
        """(panel, id) of the batches in these states, oldest first, without reading their tasks."""
        ...

    def batch_keys(
        self, states: Sequence[BatchState] | None = None, *, among: Collection[str] | None = None
    ) -> frozenset[str]:
        """The keys of all batches, or of those in these states or among these keys, without reading their tasks."""
        ...

    def claim(self, batch_id: int, holder: str, now: datetime, until: datetime) -> bool:
        """Take a planned batch for a short while; False when another holder's claim is still good, or it was sent."""
        ...

    def release_claim(self, batch_id: int, message: str) -> int:
        """Give a claim back after a failed send; returns the number of attempts."""
        ...

    def keys_drawn(self, item_keys: Sequence[str], question_key: str) -> frozenset[str]:
        """Those of the keys under which an item was ever drawn for this question. Any number of keys."""
        ...

    def drawn_in_earlier_windows(self, cycle_id: int, item_keys: Collection[str]) -> frozenset[str]:
        """Those of the keys that a cycle of an earlier window of the panel drew, one that was replaced too."""
        ...

    def fix_bets(self, cycle_id: int, bets: FixedBets) -> None:
        """Keep of draws whether they are first uses and whether their labels bet; what was kept before stays."""
        ...

    def ever_drawn(self, panel: str) -> tuple[tuple[str, datetime], ...]:
        """Every item ever drawn for a panel with the first time it was, by item id."""
        ...
