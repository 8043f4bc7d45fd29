"""Recall: how many of the positives a classifier finds."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.effective import effective_labels
from stratawatch.core.estimation.metrics.metric import Called, Domain, too_much_unseen
from stratawatch.core.estimation.mover import recall_interval
from stratawatch.core.estimation.sides import Side
from stratawatch.core.population import Floats
from stratawatch.core.results import Known, Undefined


@dataclass(frozen=True)
class Recall:
    """TP/(TP + FN) over the items that the classifier judged; gradient (I - r)/P."""

    name: str = "recall"
    words: str = "recall"
    small_is_good: bool = False
    default_margin: float = 0.05
    method: str = "ratio of stratified totals, MOVER-R on FF/MID"

    def gradient(self, positive: Flags, negative: Flags, sizes: Floats, rates: Floats) -> Floats:
        """(I - r)/P, where the classifier judged."""
        found = float((sizes * rates)[positive].sum())
        everyone = found + float((sizes * rates)[negative].sum())
        if everyone <= 0:
            return np.zeros_like(sizes)
        recall = found / everyone
        return (np.where(positive, 1 - recall, 0.0) - np.where(negative, recall, 0.0)) / everyone

    def outcome(self, positive: Side, negative: Side, confidence: float) -> Known | Undefined:
        """The ratio of the two estimated totals; without a positive on either side nothing can be told."""
        tp, fn = positive.total, negative.total
        reason = self._untold(positive, negative)
        if reason is not None:
            return reason
        value = tp / (tp + fn)
        low, high = recall_interval(tp, fn, _ends(positive), _ends(negative))
        low, high = min(max(low, 0.0), value), max(min(high, 1.0), value)
        spread = (positive.size * fn) ** 2 * positive.variance + (negative.size * tp) ** 2 * negative.variance
        n_eff = effective_labels(value, spread / (tp + fn) ** 4, low, high, tp + fn, confidence)
        return Known(value, low, high, n_eff)

    def labels(self, positive: Side, negative: Side) -> int:
        """Labels of all items that the classifier judged."""
        return positive.labels + negative.labels

    def domain(self, called: Called) -> Domain | None:
        """The true positives, as many as they are thought to be; nobody has a list of them."""
        return None if called.positives is None else Domain(called.positives, listed=False)

    @staticmethod
    def _untold(positive: Side, negative: Side) -> Undefined | None:
        size = positive.size + negative.size
        if size == 0:
            return Undefined("it judged no item")
        if positive.labels + negative.labels == 0:
            return Undefined(f"no label among the {size:,.0f} items it judged")
        for side, whose in ((positive, "positive"), (negative, "negative")):
            if side.size > 0 and side.labels == 0:
                return Undefined(f"no label among the {side.size:,.0f} items it calls {whose}")
        unseen = too_much_unseen(positive.unseen + negative.unseen, size, "the items it judged")
        if unseen is not None:
            return unseen
        if positive.yes + negative.yes == 0:
            return Undefined(f"no positive among the {positive.labels + negative.labels:,} labels")
        return None


def _ends(side: Side) -> tuple[float, float]:
    return side.size * side.low, side.size * side.high
