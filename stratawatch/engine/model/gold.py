"""Gold items: items whose truth is known, mixed into batches to count how often labels err."""

from dataclasses import dataclass
from typing import Literal

from stratawatch.core.designs.label_error import GoldAnswers
from stratawatch.core.estimate import Undefined
from stratawatch.core.verdicts import Verdict
from stratawatch.engine.model.document import Json
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

GoldTruth = Literal["yes", "no"]


@dataclass(frozen=True)
class GoldItem:
    """An item whose truth is known, with what labellers are shown of it."""

    item: str
    truth: GoldTruth
    payload: Json


@dataclass(frozen=True)
class GoldAsk:
    """A gold item under the key by which one round asked for it: another round has another key for it."""

    item: str
    item_key: str
    truth: GoldTruth


@dataclass(frozen=True)
class GoldCounts:
    """What became of the gold items that were asked: how many of each truth have an answer, and how many are right.

    `undecided` ones were skipped or have no majority; `asked` counts those too that have no answer yet.
    """

    asked: int = 0
    positives: int = 0
    said_yes: int = 0
    negatives: int = 0
    said_no: int = 0
    undecided: int = 0

    def with_verdict(self, truth: GoldTruth, verdict: Verdict | None) -> "GoldCounts":
        """The counts with one more gold item, of which people say this; None: nothing yet."""
        is_decided, is_yes = verdict in ("yes", "no"), truth == "yes"
        return GoldCounts(
            self.asked + 1,
            self.positives + (is_decided and is_yes),
            self.said_yes + (verdict == "yes" and is_yes),
            self.negatives + (is_decided and not is_yes),
            self.said_no + (verdict == "no" and not is_yes),
            self.undecided + (verdict == "unresolved"),
        )

    @property
    def answers(self) -> GoldAnswers | Undefined:
        """What the correction reads; it needs an answer to a positive and to a negative gold item."""
        try:
            return GoldAnswers(self.positives, self.said_yes, self.negatives, self.said_no)
        except StratawatchError:
            return Undefined(f"no gold item of one kind was answered ({self.sentence})")

    @property
    def sentence(self) -> str:
        """All of it in words."""
        positives = f"{self.said_yes:,} of {count_text(self.positives, 'positive')} labelled yes"
        negatives = f"{self.said_no:,} of {count_text(self.negatives, 'negative')} labelled no"
        undecided = f", {self.undecided:,} undecided" if self.undecided else ""
        return f"{count_text(self.asked, 'gold item')} asked: {positives}, {negatives}{undecided}"
