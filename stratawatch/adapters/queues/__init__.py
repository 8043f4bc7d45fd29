"""Label queues: the kinds that there are, each loaded when it is used, and what their settings have in common."""

from abc import abstractmethod
from typing import ClassVar, Final

from stratawatch.adapters.adapter_settings import AdapterSettings, BuildContext
from stratawatch.engine.ports import LabelQueue

REGISTRY: Final[dict[str, str]] = {"folder": "stratawatch.adapters.queues.folder:FolderSettings"}
"""Kind of queue -> module:settings class."""


class QueueSettings(AdapterSettings):
    """[queue]: a queue, by its kind."""

    registry: ClassVar = REGISTRY
    default_kind: ClassVar = "folder"

    @abstractmethod
    def build(self, context: BuildContext) -> LabelQueue:
        """The queue."""
