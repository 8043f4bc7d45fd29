"""The whole file as typed tables."""

from datetime import timedelta
from typing import Annotated

from pydantic import BeforeValidator, Field

from stratawatch.adapters.alerts import LONGEST_TIMEOUT, ChannelSettings
from stratawatch.adapters.queues import QueueSettings
from stratawatch.adapters.truth import TruthSettings
from stratawatch.config.panel_settings import PanelSettings
from stratawatch.engine.model.shared_budget import LEAST_BUDGET, Span
from stratawatch.settings.database_urls import check_store_url
from stratawatch.settings.postgres_keys import StorePostgresKeys
from stratawatch.settings.roles import Role
from stratawatch.settings.shapes import Cron, HeaderName, Link, Name, PositiveDuration, Secret, Shape, Text


class StoreSettings(StorePostgresKeys):
    """[store]: the state's database."""

    url: Annotated[str, BeforeValidator(check_store_url), Field(repr=False)] = "sqlite:///stratawatch.db"
    password: Secret | None = None


class ReportSettings(Shape):
    """[report]: where pages are written."""

    folder: Text = "reports"
    url: Link | None = None
    """Where a web server of the user's shows that folder, for links in Prefect and in notifications."""
    smallest_cell: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """A segment's metric that fewer labels than this tell of in a window is not shown."""
    png: bool = False
    """Whether pictures are drawn beside each day's page, for mails and other places that show no page."""


class BudgetSettings(Shape):
    """[budget]: what the cycles of all panels may ask for together, of windows that end in one day, week or month."""

    labels: Annotated[int, Field(ge=LEAST_BUDGET, le=100_000_000)]
    per: Span = "week"


class ChecksSettings(Shape):
    """[checks]: expectations of the user's own, beside those of the program."""

    folder: Text = "checks"


class HeartbeatSettings(Shape):
    """[heartbeat]: an address that is asked after every good advance; who watches it misses the others."""

    url: Secret
    timeout: Annotated[PositiveDuration, Field(le=LONGEST_TIMEOUT)] = timedelta(seconds=20)


class MlflowSettings(Shape):
    """[mlflow]: where `stratawatch export mlflow` puts estimates."""

    url: Link
    token: Secret | None = None
    """Sent as `Authorization: Bearer`."""
    experiment: Annotated[Text, Field(max_length=200)] = "stratawatch"
    timeout: Annotated[PositiveDuration, Field(le=LONGEST_TIMEOUT)] = timedelta(seconds=30)


class PersonSettings(Shape):
    """[[web.people]]: who may look at the dashboard, and what else."""

    name: Text
    role: Role = "viewer"
    token_hash: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """Of the token in the person's link; without one the proxy has to name the person."""


class WebSettings(Shape):
    """[web]: what `stratawatch web` serves beside its pages, and to whom."""

    metrics_token: Secret | None = None
    """Who sends it, as `Authorization: Bearer`, gets /metrics; without one nobody does."""
    url: Link | None = None
    """Where people reach it, for links in notifications and reports."""
    proxy_header: HeaderName | None = None
    """The header in which a proxy says who it let in."""
    proxy_addresses: list[Text] = Field(default_factory=lambda: ["127.0.0.1", "::1"])
    """Where that proxy asks from; nobody else's header is believed."""
    proxy_role: Role | None = None
    """The role of people whom the proxy names and `people` does not; without one they are refused."""
    people: list[PersonSettings] = Field(default_factory=list)


class RetentionSettings(Shape):
    """[retention]: how long the store and the report folder keep what estimates do not need."""

    payload: PositiveDuration = timedelta(days=90)
    bad_rows: PositiveDuration = timedelta(days=90)
    waiting_labels: PositiveDuration = timedelta(days=365)
    truth: PositiveDuration = timedelta(days=730)
    revisions: PositiveDuration = timedelta(days=365)
    transitions: PositiveDuration = timedelta(days=730)
    reports: PositiveDuration = timedelta(days=730)
    data_docs: PositiveDuration = timedelta(days=730)


class ScheduleSettings(Shape):
    """[schedule]: when the served flows run, in UTC."""

    open_cron: Cron = "15 * * * *"
    advance_cron: Cron = "*/5 * * * *"
    report_cron: Cron = "0 7 * * 1"
    keep_runs: Annotated[PositiveDuration, Field(gt=timedelta(hours=1))] = timedelta(days=30)
    """For how long a Prefect server of ours shows runs that ended."""


class Settings(Shape):
    """One stratawatch.toml, with the environment laid over it beforehand, so that problems have a place in either."""

    store: StoreSettings = StoreSettings()
    queue: Annotated[QueueSettings, Field(default_factory=lambda: QueueSettings.model_validate({}))]
    report: ReportSettings = ReportSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    checks: ChecksSettings = ChecksSettings()
    heartbeat: HeartbeatSettings | None = None
    web: WebSettings = WebSettings()
    mlflow: MlflowSettings | None = None
    retention: RetentionSettings = RetentionSettings()
    budget: BudgetSettings | None = None
    alerts: list[ChannelSettings] = Field(default_factory=list)
    truth: list[TruthSettings] = Field(default_factory=list)
    panels: Annotated[dict[Name, PanelSettings], Field(min_length=1)]
