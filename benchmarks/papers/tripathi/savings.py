"""What recycling saved: child by child, as the paper counts, and for the panel, as people who label count."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.estimate import Undefined
from stratawatch.literature.tripathi.panel_draw import PanelDraw


@dataclass(frozen=True)
class Saving:
    """`draws` wanted; `saved` of them are the parent's (Lemma 3); `new` distinct items are not among its labels."""

    draws: int
    saved: int
    new: int

    @property
    def share(self) -> float | Undefined:
        """Savings as the paper has them: saved/draws."""
        return self.saved / self.draws if self.draws else Undefined("no draws are wanted")


@dataclass(frozen=True)
class Savings:
    """By classifier, the parent included, which saves nothing; and `labels`, the distinct items of all together."""

    by_classifier: tuple[Saving, ...]
    labels: int

    @property
    def draws(self) -> int:
        """Labels of independent samples, one for each classifier."""
        return sum(saving.draws for saving in self.by_classifier)

    @property
    def collective(self) -> float | Undefined:
        """1 - labels/draws: what the panel saves, its parent paid for."""
        return 1 - self.labels / self.draws if self.draws else Undefined("no draws are wanted")


def savings(draw: PanelDraw) -> Savings:
    """The account of a draw."""
    known = np.unique(draw.items_of(draw.parent))
    return Savings(
        tuple(
            Saving(len(part.sequence), part.saved, len(np.setdiff1d(draw.items_of(classifier), known)))
            for classifier, part in enumerate(draw.sequences)
        ),
        draw.labels,
    )
