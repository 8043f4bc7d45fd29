"""Says what happens to classifiers that left a panel, or only changed their name, while it can still be taken back."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from stratawatch.config.problems import Problem

if TYPE_CHECKING:
    from stratawatch.engine.model.panel_spec import PanelSpec
    from stratawatch.engine.model.pauses import Pauses
    from stratawatch.engine.ports.transaction import Transaction


def left_classifier_notices(tx: "Transaction", spec: "PanelSpec", paused: "Pauses") -> Iterator[Problem]:
    """A notice for each classifier of the panel's newest version that is neither configured nor paused any more."""
    before = tx.panels.latest().get(spec.name)
    names = {one.name for one in spec.classifiers} | {name for panel, name in paused.classifiers if panel == spec.name}
    for left in before.classifiers if before is not None else ():
        if left.name in names:
            continue
        alike = [one.name for one in spec.classifiers if replace(one, name=left.name) == left]
        what = (
            f"classifier '{left.name}' left panel '{spec.name}': cycles under way estimate it to their end, nobody is "
            "paged about it any more, and its open incidents end with the next judgement"
        )
        hint = ""
        if alike:
            what += f"; '{alike[0]}' reads the same and counts as a new one, without its trend, baselines and incidents"
            hint = f"if it was only renamed, call it '{left.name}' again to keep them"
        yield Problem(("panels", spec.name, "classifiers"), what, hint=hint)
