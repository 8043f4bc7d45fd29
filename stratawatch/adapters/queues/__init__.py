"""Label queues: the kinds that there are, each loaded when it is used, and what their settings have in common."""

from abc import abstractmethod
from typing import Annotated, ClassVar, Final

from pydantic import AfterValidator, Field

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


def _odd(votes: int) -> int:
    if votes % 2 == 0:
        raise ValueError("an even number of votes can tie; write 1, 3, 5, ...")
    return votes


Votes = Annotated[int, Field(ge=1, le=25), AfterValidator(_odd)]
"""How many people a queue asks about each item."""


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
