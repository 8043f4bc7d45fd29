"""A wrong or unusual input or setting: what is typed or what the data are, and what `check` says of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

GOOD: Final = "Everything is in order."
START: Final = "start = 2026-01-05T00:00:00Z"
LR: Final = 'score = "score_lr"\ncall = "pred_lr"'
PANEL_KEYS: Final = "budget = 60"


@dataclass(frozen=True)
class UnusualInput:
    """One of them. `changes` are made in the configuration, `more` stands behind it.

    `columns` replace columns of the predictions, `rows` picks some of them, `prepare` does what else is needed.
    """

    typed: str
    said: str
    changes: tuple[tuple[str, str], ...] = ()
    more: str = ""
    columns: str = ""
    rows: str = ""
    added: str = ""
    prepare: Callable[[Path], None] | None = None
    judged: bool = False  # the installation has a judged cycle
    fine: bool = False  # the exit status is 0
    now: str = "2026-01-12T06:00:00+00:00"

    def query(self, rows: str) -> str:
        """The predictions, from those of the installation."""
        replaced = f" REPLACE ({self.columns})" if self.columns else ""
        added = f", {self.added}" if self.added else ""
        return f"SELECT *{replaced}{added} FROM ({rows}) {self.rows}"


def key(line: str) -> tuple[tuple[str, str], ...]:
    """One key more in the panel's table."""
    return ((PANEL_KEYS, f"{PANEL_KEYS}\n{line}"),)
