"""Alert channels: the kinds that there are, each loaded when it is used, and what their settings have in common."""

from typing import ClassVar, Final

from stratawatch.adapters.adapter_settings import AdapterSettings, BuildContext
from stratawatch.engine.ports import AlertChannel
from stratawatch.settings.shapes import Name

REGISTRY: Final[dict[str, str]] = {
    "console": "stratawatch.adapters.alerts.console:ConsoleSettings",
    "webhook": "stratawatch.adapters.alerts.webhook:WebhookSettings",
}
"""Kind of channel -> module:settings class."""


class ChannelSettings(AdapterSettings):
    """[[alerts]]: a channel, by its kind."""

    registry: ClassVar = REGISTRY

    name: Name

    def build(self, context: BuildContext) -> AlertChannel:
        """The channel; secrets are looked up now."""
        raise NotImplementedError
