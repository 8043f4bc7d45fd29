"""What the store keeps of gold items."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from stratawatch.engine.model.gold import GoldAsk, GoldItem


class GoldRepository(Protocol):
    """Items whose truth is known, by the question of a panel that it answers, and the keys that asked for them."""

    def keep(self, panel: str, question_key: str, items: Sequence[GoldItem], at: datetime) -> int:
        """Keep gold items; one that is there is replaced. Returns how many are new or changed."""
        ...

    def remove(self, panel: str, question_key: str, items: Sequence[str]) -> int:
        """Let items be gold no more: nobody is asked for them, and answers to them count for nothing."""
        ...

    def items(self, panel: str, question_key: str) -> tuple[GoldItem, ...]:
        """The gold items of a question, by id."""
        ...

    def times_asked(self, panel: str, question_key: str) -> Mapping[str, int]:
        """How often each gold item was asked for."""
        ...

    def ask(self, panel: str, round_id: int, question_key: str, asks: Sequence[GoldAsk]) -> None:
        """Keep under which keys a round asks for gold items. Labels that waited for these keys join the ledger."""
        ...

    def keys_of_round(self, round_id: int) -> frozenset[str]:
        """The keys under which a round asks for gold items."""
        ...

    def asked(self, panel: str, question_key: str, before: datetime) -> tuple[GoldAsk, ...]:
        """What was asked for windows that begin before a moment, with today's truth of each; oldest first."""
        ...
