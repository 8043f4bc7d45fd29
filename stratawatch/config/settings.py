"""The whole file as typed tables."""

from typing import Annotated

from pydantic import BeforeValidator, Field
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.queues import QueueSettings
from stratawatch.config.panel_settings import PanelSettings
from stratawatch.settings.database_urls import check_store_url
from stratawatch.settings.shapes import Cron, Name, Secret, Shape, Text

PREFIX = "STRATAWATCH_"
DELIMITER = "__"


class StoreSettings(Shape):
    """[store]: the state's database."""

    url: Annotated[str, BeforeValidator(check_store_url), Field(repr=False)] = "sqlite:///stratawatch.db"
    password: Secret | None = None


class ReportSettings(Shape):
    """[report]: where pages are written."""

    folder: Text = "reports"


class ChecksSettings(Shape):
    """[checks]: expectations of the user's own, beside those of the program."""

    folder: Text = "checks"


class ScheduleSettings(Shape):
    """[schedule]: when the served flows run, in UTC."""

    open_cron: Cron = "15 * * * *"
    advance_cron: Cron = "*/5 * * * *"
    report_cron: Cron = "0 7 * * 1"


class Settings(BaseSettings):
    """One stratawatch.toml."""

    model_config = SettingsConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        hide_input_in_errors=True,
        env_prefix=PREFIX,
        env_nested_delimiter=DELIMITER,
        env_ignore_empty=True,
    )

    store: StoreSettings = StoreSettings()
    queue: Annotated[QueueSettings, Field(default_factory=lambda: QueueSettings.model_validate({}))]
    report: ReportSettings = ReportSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    checks: ChecksSettings = ChecksSettings()
    alerts: list[ChannelSettings] = Field(default_factory=list)
    panels: Annotated[dict[Name, PanelSettings], Field(min_length=1)]

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the library's signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The file and the environment are merged beforehand: problems must be placed in what was merged."""
        return (init_settings,)
