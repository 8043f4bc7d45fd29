"""Truth that arrives by itself: the kinds of feeds that there are, and what their settings have in common."""

from abc import abstractmethod
from typing import ClassVar, Final

from stratawatch.adapters.adapter_settings import AdapterSettings, BuildContext
from stratawatch.engine.ports import TruthFeed
from stratawatch.settings.shapes import Name

REGISTRY: Final[dict[str, str]] = {"folder": "stratawatch.adapters.truth.folder:TruthFolderSettings"}
"""Kind of feed -> module:settings class."""


class TruthSettings(AdapterSettings):
    """[[truth]]: a feed of truth about one panel, by its kind."""

    registry: ClassVar = REGISTRY
    default_kind: ClassVar = "folder"

    panel: Name

    @property
    @abstractmethod
    def name(self) -> str:
        """The name that the read position of the feed is kept under; no two feeds share one."""

    @abstractmethod
    def build(self, context: BuildContext) -> TruthFeed:
        """The feed."""
