"""What a study has so far, as other code reads it."""

from dataclasses import dataclass

from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.verdicts import VerdictsByItem


@dataclass(frozen=True)
class LabelledStudy:
    """A study's design, the verdicts, the items that its estimates rest on, and their confidence."""

    design: FrozenDesign
    ledger: VerdictsByItem
    drawn: DrawnItems
    confidence: float
