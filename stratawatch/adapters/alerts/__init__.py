"""Alert channels: the kinds that there are, each loaded when it is used, and what their settings have in common."""

from abc import abstractmethod
from datetime import timedelta
from typing import Annotated, ClassVar, Final

from pydantic import Field, model_validator

from stratawatch.adapters.adapter_settings import AdapterSettings, BuildContext
from stratawatch.engine.ports import AlertChannel
from stratawatch.settings.shapes import Name, PositiveDuration

REGISTRY: Final[dict[str, str]] = {
    "alertmanager": "stratawatch.adapters.alerts.alertmanager:AlertmanagerSettings",
    "apprise": "stratawatch.adapters.alerts.apprise:AppriseSettings",
    "console": "stratawatch.adapters.alerts.console:ConsoleSettings",
    "mail": "stratawatch.adapters.alerts.mail:MailSettings",
    "pagerduty": "stratawatch.adapters.alerts.pagerduty:PagerDutySettings",
    "prefect_event": "stratawatch.adapters.alerts.prefect_event:PrefectEventSettings",
    "slack": "stratawatch.adapters.alerts.slack:SlackSettings",
    "webhook": "stratawatch.adapters.alerts.webhook:WebhookSettings",
}
"""Kind of channel -> module:settings class."""

LONGEST_TIMEOUT: Final = timedelta(minutes=1)
"""Shorter than the claim on a notification, and short enough for several slow channels in one advance."""


class ChannelSettings(AdapterSettings):
    """[[alerts]]: a channel, by its kind."""

    registry: ClassVar = REGISTRY
    wakes_people: ClassVar[bool] = False
    """Whether its receiver calls somebody for whatever it is sent, so that no report may go there."""

    name: Name
    fallback: bool = False
    """Whether the channel gets only pages that every other channel failed to take."""
    reports: bool = False
    """Whether the channel gets the weekly report too, or, with `fallback`, besides such pages."""
    timeout: Annotated[PositiveDuration, Field(le=LONGEST_TIMEOUT)] = timedelta(seconds=20)
    """For one send, all of it."""

    @model_validator(mode="after")
    def _no_report_wakes_anybody(self) -> "ChannelSettings":
        if self.reports and self.wakes_people:
            raise ValueError(
                "`reports` is for channels that people read; this one calls somebody, so give it to another"
            )
        return self

    @abstractmethod
    def build(self, context: BuildContext) -> AlertChannel:
        """The channel; secrets are looked up now."""
