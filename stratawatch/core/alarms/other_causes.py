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

    `volume` is items a window, `score drift` the mean of all classifiers' scores, `label delay` the median hours until
    an item that was drawn had an answer, `agreement` the share of pairs of answers to one item that agree.
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
        """The number in words, and in brackets what it was before.

        >>> OtherCause("volume", 100_000, 101_000).text, OtherCause("score drift", 0.081, 0.083).text
        ('items 101,000 (was 100,000)', 'mean of all scores 0.083 (was 0.081)')
        >>> OtherCause("label delay", 20, 20).text, OtherCause("agreement", 0.94, 0.93).text
        ('labels after 20 h (as before)', 'annotators agree in 93% (was 94%)')
        """
        words = {"volume": "items", "score drift": "mean of all scores", "label delay": "labels after"}
        now, was = self._number(self.after), self._number(self.before)
        return f"{words.get(self.kind, 'annotators agree in')} {now} ({'as before' if now == was else f'was {was}'})"

    def _number(self, value: float) -> str:
        if self.kind == "volume":
            return count(value)
        if self.kind == "score drift":
            return score_text(value)
        return f"{value:.0f} h" if self.kind == "label delay" else whole_percent(value)
