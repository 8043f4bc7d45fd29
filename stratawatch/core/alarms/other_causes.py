"""What else could look like a classifier that got worse: other input, late labels, annotators apart, moved scores."""

from dataclasses import dataclass
from typing import Final, Literal

from stratawatch.formatting import count, score_text, whole_percent

CauseKind = Literal["volume", "score drift", "label delay", "agreement"]

# From which change on a cause is not ruled out, as a share of what was before; for agreement a difference of shares.
_LEAST_MOVE: Final[dict[CauseKind, float]] = {
    "volume": 0.25,
    "score drift": 0.1,
    "label delay": 0.5,
    "agreement": 0.05,
}


@dataclass(frozen=True)
class OtherCause:
    """One of the other causes with its number before and after.

    `volume` is items a window, `score drift` the mean of all scores, `label delay` the median hours until an item that
    was drawn had an answer, `agreement` the share of pairs of answers to one item that agree.
    """

    kind: CauseKind
    before: float
    after: float

    @property
    def is_ruled_out(self) -> bool:
        """Whether it moved too little to be the cause."""
        size = 1.0 if self.kind == "agreement" else self.before
        return abs(self.after - self.before) <= _LEAST_MOVE[self.kind] * size

    @property
    def text(self) -> str:
        """The number in words, with what it was before.

        >>> OtherCause("volume", 100_000, 101_000).text, OtherCause("score drift", 0.081, 0.083).text
        ('volume (101,000 items a window, 100,000 before)', 'scores (mean 0.083, 0.081 before)')
        >>> OtherCause("label delay", 20, 70).text, OtherCause("agreement", 0.94, 0.93).text
        ('late labels (70 hours, 20 before)', 'annotators (agree in 93% of pairs, 94% before)')
        """
        if self.kind == "volume":
            return f"volume ({count(self.after)} items a window, {count(self.before)} before)"
        if self.kind == "score drift":
            return f"scores (mean {score_text(self.after)}, {score_text(self.before)} before)"
        if self.kind == "label delay":
            return f"late labels ({self.after:.0f} hours, {self.before:.0f} before)"
        return f"annotators (agree in {whole_percent(self.after)} of pairs, {whole_percent(self.before)} before)"
