"""Configuration -> ports. Adapters are built when they are first used, so that nobody pays for what is not needed."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from getpass import getuser
from itertools import islice
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from stratawatch.adapters import checks
from stratawatch.adapters.old_pages import drop_old_pages
from stratawatch.adapters.secret_address import SecretAddress
from stratawatch.config.loading import Configuration, load_configuration
from stratawatch.config.panel_specs import pauses_of
from stratawatch.config.settings import Settings
from stratawatch.engine.baselines.baselines_from_labels import BaselineItemReader
from stratawatch.engine.model.panel_links import DASHBOARD_PATH, STEPS_ANCHOR, Deployment, PanelLinks
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.retention import Retention
from stratawatch.engine.model.shared_budget import SharedBudget
from stratawatch.engine.ports import ChannelRule, Clock, Heartbeat, LabelQueue, Ports, PredictionSource, Store
from stratawatch.engine.ports.clock import FixedClock, SystemClock
from stratawatch.errors import ConfigError, StratawatchError
from stratawatch.extras import is_installed
from stratawatch.folder_names import latest_report
from stratawatch.settings.confined_paths import confined

if TYPE_CHECKING:
    from stratawatch.adapters.checks.builtin_check import BuiltinCheck
    from stratawatch.adapters.checks.great_expectations_check import GreatExpectationsCheck

Port = TypeVar("Port")

CHECK_PAGES: Final = "checks"
"""Data Docs lie in this folder below the reports, which link to them."""


@dataclass(frozen=True)
class Installation:
    """One installation, wired: what every command and every flow starts from."""

    ports: Ports
    panels: Mapping[str, PanelSpec]
    settings: Settings
    report_folder: Path
    configuration: Configuration


def build(
    config_path: str | Path, now: datetime | None = None, *, only_reading: bool = False, by: str | None = None
) -> Installation:
    """Wire an installation. `now` stops the clock (simulated time, backfill), `by` is who asks; else the user.

    Secrets are looked up where they are used: one that is missing is the trouble of its channel or source.
    """
    configuration = load_configuration(config_path)
    return wire(configuration, open_store(configuration), now, only_reading=only_reading, by=by)


def keep_runs(config_path: str | Path) -> timedelta:
    """For how long the Prefect server that `make up` starts remembers runs."""
    return load_configuration(config_path).settings.schedule.keep_runs


def open_store(configuration: Configuration) -> Store:
    """The store, which must be there at this program's schema."""
    from stratawatch.adapters.store import open_store as open_url

    return open_url(configuration.store_url().get_secret_value())


def wire(
    configuration: Configuration,
    store: Store,
    now: datetime | None = None,
    *,
    only_reading: bool = False,
    by: str | None = None,
) -> Installation:
    """The installation around a store; the input check of one that is `only_reading` leaves no pages."""
    settings = configuration.settings
    clock: Clock = SystemClock() if now is None else FixedClock(now)
    report_folder = configuration.folder / settings.report.folder
    alerts = {alert.name: alert for alert in settings.alerts}
    ports = Ports(
        store=store,
        clock=clock,
        sources=OnUse(list(settings.panels), lambda name: source(configuration, name)),
        check=check(configuration, pages=not only_reading),
        queue=queue(configuration),
        channels=OnUse(list(alerts), lambda name: alerts[name].build(configuration.context)),
        channel_rules={
            name: ChannelRule(alert.fallback, alert.timeout.total_seconds(), alert.reports)
            for name, alert in alerts.items()
        },
        read_timeouts={name: panel.source.read_timeout.total_seconds() for name, panel in settings.panels.items()},
        heartbeat=heartbeat(configuration),
        retention=Retention(**dict(settings.retention)),
        drop_pages=partial(drop_old_pages, report_folder, CHECK_PAGES),
        by=by or user_name(),
        paused=pauses_of(settings.panels),
        configured=configuration.panels,
        budget=shared_budget(settings),
        links=panel_links(settings),
        truth=[truth.build(configuration.context) for truth in settings.truth],
        three_advances=partial(until_third, settings.schedule.advance_cron),
    )
    return Installation(ports, configuration.panels, settings, report_folder, configuration)


def shared_budget(settings: Settings) -> SharedBudget | None:
    """What the panels share, if there is a [budget]."""
    if settings.budget is None:
        return None
    floors = {name: panel.floor for name, panel in settings.panels.items()}
    priorities = {name: panel.priority for name, panel in settings.panels.items()}
    return SharedBudget(settings.budget.labels, settings.budget.per, floors, priorities)


def panel_links(settings: Settings) -> dict[str, PanelLinks]:
    """Who looks after each panel, and where its runbook, its newest report and its page of the dashboard are.

    Where no runbook is named, the report has steps.
    """
    base = (settings.report.url or "").rstrip("/")
    reports = {name: f"{base}/{latest_report(name)}" if base else "" for name in settings.panels}
    steps = {name: f"{page}#{STEPS_ANCHOR}" if page else "" for name, page in reports.items()}
    watched = (settings.web.url or "").rstrip("/")
    pages = {name: f"{watched}{DASHBOARD_PATH}/panels/{name}" if watched else "" for name in settings.panels}
    return {
        name: PanelLinks(
            panel.owner or "",
            panel.runbook or steps[name],
            reports[name],
            pages[name],
            tuple(Deployment(one.at, one.what, one.classifier or "") for one in panel.deployments),
        )
        for name, panel in settings.panels.items()
    }


def until_third(cron: str, now: datetime) -> timedelta:
    """How long it is from a moment to the third time after it that a cron expression names.

    >>> from datetime import UTC
    >>> until_third("*/5 * * * *", datetime(2026, 1, 5, 12, 1, tzinfo=UTC))
    datetime.timedelta(seconds=840)
    """
    from cronsim import CronSim

    return next(islice(CronSim(cron, now), 2, None)) - now


def user_name() -> str:
    """The user of this process; its number where the machine has no name for it, as in containers."""
    try:
        return getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"


def source(configuration: Configuration, panel: str) -> PredictionSource:
    """Where a panel's predictions are read."""
    return configuration.settings.panels[panel].source.build(configuration.context)


def labelled_predictions(
    configuration: Configuration, panel: str, file: str | None, label: str | None = None
) -> BaselineItemReader | None:
    """Labelled predictions in a file of the configuration's folder, if one is named, as those of its source are."""
    from stratawatch.adapters.sources.labelled_files import LABEL, LabelledFiles

    if file is None:
        if label is not None:
            raise StratawatchError("a column of labels is one of labelled predictions", expected="a file beside it")
        return None
    folder, settings = configuration.folder, configuration.settings.panels[panel].source
    if configuration.panels[panel].columns.classifier is not None:
        what = f"the predictions of panel '{panel}' are a long table, and labelled predictions are read from wide ones"
        raise ConfigError(
            what, expected="a row for each item", hint="measure the baseline with a panel of wide columns"
        )
    try:
        confined(folder, file)
    except ConfigError as trouble:
        what = f"the file of labelled predictions {trouble.what}"
        raise ConfigError(what, expected=trouble.expected, got=trouble.got, hint=trouble.hint) from None
    delimiter = getattr(settings, "delimiter", None)  # a source of files says how its CSV is written
    return LabelledFiles(configuration.context.pattern(file), label or LABEL, delimiter, folder)


def check(configuration: Configuration, *, pages: bool = True) -> "GreatExpectationsCheck | BuiltinCheck":
    """The input check, with the user's own expectations. The library is used for them, and for pages if it is there."""
    report_folder = configuration.folder / configuration.settings.report.folder
    suites_folder = configuration.folder / configuration.settings.checks.folder
    found: GreatExpectationsCheck | BuiltinCheck
    if is_installed("checks") and (pages or any(suites_folder.glob("*.json"))):
        pages_folder = report_folder / CHECK_PAGES if pages else None
        kind = resolve_name(checks.REGISTRY["great_expectations"])
        found = kind(pages_folder, root=report_folder, suites_folder=suites_folder)
    else:
        found = resolve_name(checks.REGISTRY["builtin"])(suites_folder)
    return found


def queue(configuration: Configuration) -> LabelQueue:
    """Where people label."""
    return configuration.settings.queue.build(configuration.context)


def heartbeat(configuration: Configuration) -> Heartbeat | None:
    """What tells a watcher of a good advance, if there is one; its address is looked up when it is asked."""
    if configuration.settings.heartbeat is None:
        return None
    return lambda: heartbeat_address(configuration).get()


def heartbeat_address(configuration: Configuration) -> SecretAddress:
    """The address of [heartbeat], which must be there, looked up now."""
    settings = configuration.settings.heartbeat
    if settings is None:
        raise ConfigError("there is no [heartbeat]")
    url = configuration.context.reveal(settings.url)
    return SecretAddress("the heartbeat", url, timeout=settings.timeout.total_seconds())


class OnUse(Mapping[str, Port], Generic[Port]):
    """Ports by name: the names are known, each port is built when it is first asked for."""

    def __init__(self, names: Sequence[str], make: Callable[[str], Port]) -> None:
        self._names, self._make = dict.fromkeys(names), make
        self._made: dict[str, Port] = {}

    def __getitem__(self, name: str) -> Port:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names  # Mapping would build the port to find out, and one that cannot be built would raise

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
