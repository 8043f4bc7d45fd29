"""An input row or a label that was set aside."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from stratawatch.engine.model.document import Json


@dataclass(frozen=True)
class QuarantinedRow:
    """An input row, or a label, that was set aside, with the reason."""

    kind: Literal["prediction", "label"]
    key: str
    reason: str
    content: Json = field(default_factory=dict)

    @property
    def unreadable(self) -> Mapping[str, str]:
        """What the source had where it could not be read, by the fault's key; older programs did not keep it."""
        found: Mapping[str, str] = self.content.get("unreadable", {})
        return found
