"""The shares of a shared budget and what was spent of it. Without NumPy, as `stratawatch status` reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

LEDGER: Final = "shared budget"
"""The cursor of the shares, by the start of the span that they are of."""
ENDED: Final = ("settled", "judged", "expired", "refused", "cancelled")
"""The states of a cycle that asks for nothing more."""


@dataclass(frozen=True)
class WindowShare:
    """A window's share, and why it is that; `asked` are the items that people were asked about.

    A share without a cycle is only reserved. What a cycle that `ended` did not ask for goes on to others.
    """

    panel: str
    window_end: str
    share: int
    why: str
    cycle: int | None = None
    asked: int = 0
    ended: bool = False

    @property
    def reserved(self) -> int:
        """What may still be asked for."""
        return 0 if self.ended else max(self.share - self.asked, 0)

    @property
    def sentence(self) -> str:
        """The share and why it is that."""
        until = f"{self.panel}, window until {self.window_end[:10]}"
        asked = "not opened yet" if self.cycle is None else f"{self.asked:,} asked{', ended' if self.ended else ''}"
        return f"{until}: {self.share:,} labels, {asked}: {self.why}"


@dataclass(frozen=True)
class BudgetState:
    """A shared budget in one span: what was spent, what is reserved, what is left, and each window's share."""

    start: str
    end: str
    labels: int
    windows: tuple[WindowShare, ...]

    @property
    def spent(self) -> int:
        """Items that people were asked about."""
        return sum(one.asked for one in self.windows)

    @property
    def reserved(self) -> int:
        """Shares as far as they were not asked for yet."""
        return sum(one.reserved for one in self.windows)

    @property
    def left(self) -> int:
        """What nobody has yet."""
        return max(self.labels - self.spent - self.reserved, 0)

    @property
    def sentence(self) -> str:
        """All of it in one sentence."""
        return (
            f"{self.labels:,} labels for windows that end from {self.start[:10]} to before {self.end[:10]}: "
            f"{self.spent:,} spent, {self.reserved:,} reserved, {self.left:,} left"
        )


def budget_states(ledger: Mapping[str, Any], asked: Mapping[int, tuple[int, bool]]) -> tuple[BudgetState, ...]:
    """What is kept of the shares, oldest span first, with what each cycle asked and whether it ended."""
    return tuple(
        BudgetState(
            start,
            kept["end"],
            kept["labels"],
            tuple(_with_asked(one, asked) for one in kept["windows"]),
        )
        for start, kept in sorted(ledger.items())
    )


def _with_asked(kept: Mapping[str, Any], asked: Mapping[int, tuple[int, bool]]) -> WindowShare:
    items, ended = asked.get(kept["cycle"], (0, False))
    return WindowShare(**kept, asked=items, ended=ended)


def cycles_of(ledger: Mapping[str, Any]) -> list[int]:
    """The cycles that have a share in what is kept."""
    return sorted(one["cycle"] for kept in ledger.values() for one in kept["windows"] if one["cycle"] is not None)
