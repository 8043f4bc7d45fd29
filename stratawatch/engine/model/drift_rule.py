"""What happens when a window's input is unlike that of the windows before it."""

from dataclasses import dataclass
from typing import Literal

Reaction = Literal["ignore", "warn", "refuse"]


@dataclass(frozen=True)
class DriftRule:
    """A reaction to each kind of drift. Only a window that is an earlier one's copy is refused by default.

    `factor` is how many times more or fewer rows than usual, or calls of a classifier, are drift.
    """

    volume: Reaction = "warn"  # many more or fewer rows
    silent: Reaction = "warn"  # a classifier that speaks much less often, or not at all
    scale: Reaction = "warn"  # scores on another scale
    frozen: Reaction = "warn"  # scores that are all the same, or those of an earlier window
    types: Reaction = "warn"  # a column that holds another kind of value
    replay: Reaction = "refuse"  # the counts of an earlier window, to the last one
    missed: Reaction = "warn"  # rows of the window before that came after it was read; "ignore" does not look for them
    clock: Reaction = "warn"  # rows dated later than the window in which they arrived
    factor: float = 1.8
