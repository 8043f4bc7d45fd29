"""Label queues: the kinds that there are, each loaded when it is used, and what their settings have in common."""

from abc import abstractmethod
from typing import ClassVar, Final

from stratawatch.adapters.adapter_settings import AdapterSettings, BuildContext
from stratawatch.engine.ports import LabelQueue

REGISTRY: Final[dict[str, str]] = {
    "folder": "stratawatch.adapters.queues.folder:FolderSettings",
    "page": "stratawatch.adapters.queues.page:PageSettings",
    "bucket": "stratawatch.adapters.queues.bucket:BucketSettings",
    "webhook": "stratawatch.adapters.queues.webhook:WebhookQueueSettings",
    "label_studio": "stratawatch.adapters.queues.label_studio:LabelStudioSettings",
    "broker": "stratawatch.adapters.queues.broker:BrokerSettings",
}
"""Kind of queue -> module:settings class."""


class QueueSettings(AdapterSettings):
    """[queue]: a queue, by its kind."""

    registry: ClassVar = REGISTRY
    default_kind: ClassVar = "folder"

    @property
    def answers_asked(self) -> int | None:
        """How many people the queue itself asks about an item; None where those who read it decide that."""
        return None

    @abstractmethod
    def build(self, context: BuildContext) -> LabelQueue:
        """The queue."""
