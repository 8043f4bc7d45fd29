"""The items that a classifier got wrong in a window, and what labellers saw of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from stratawatch.engine.labels.labelled_items import CallSide, LabelledItem, labelled_items
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction

SIDES: Final = get_args(CallSide)
MOST: Final = 50
"""Mistakes on a page, those first that stand for most items."""


@dataclass(frozen=True)
class MistakesView:
    """Mistakes of one classifier in the newest judged window, with the counts that they come from."""

    panel: str
    classifier: str
    classifiers: tuple[str, ...]
    side: str
    segment: str
    segments: tuple[str, ...]
    cycle: Cycle | None
    labelled: Counter[str]
    wrong: Counter[str]
    shown: tuple[LabelledItem, ...]

    @property
    def number(self) -> int:
        """How many mistakes there are, shown or not."""
        return sum(self.wrong[side] for side in SIDES if self.side in ("", side))


def mistakes_view(tx: Transaction, spec: PanelSpec, classifier: str, side: str, segment: str) -> MistakesView:
    """Read the mistakes. A name that is not there is as none: the first classifier, both sides, all segments."""
    judged, panel = tx.estimates.history(spec.name, newest=1), spec.name
    if not judged:
        names = tuple(one.name for one in spec.classifiers)
        return MistakesView(
            panel, classifier if classifier in names else names[0], names, "", "", (), None, Counter(), Counter(), ()
        )
    cycle = judged[0][0]
    items = labelled_items(tx, cycle)
    names = tuple(one.name for one in tx.panels.get(cycle.panel_version).classifiers)
    chosen = classifier if classifier in names else names[0]
    segments = tuple(sorted({name for one in items for name in one.segments}))
    where = segment if segment in segments else ""
    labelled = [one for one in items if one.verdict in ("yes", "no") and (not where or where in one.segments)]
    of_side = side if side in SIDES else ""
    wrong = [one for one in labelled if one.is_mistake(chosen)]
    return MistakesView(
        panel,
        chosen,
        names,
        of_side,
        where,
        segments,
        cycle,
        Counter(str(one.side(chosen)) for one in labelled if one.side(chosen)),
        Counter(str(one.side(chosen)) for one in wrong),
        _heaviest([one for one in wrong if of_side in ("", one.side(chosen))]),
    )


def _heaviest(wrong: Sequence[LabelledItem]) -> tuple[LabelledItem, ...]:
    return tuple(sorted(wrong, key=lambda one: (-(one.weight or 0), one.item.item))[:MOST])
