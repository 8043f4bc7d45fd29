"""What `doctor` looks at: one function a part, each of which says what it found and what to do."""

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from stratawatch.cli.channel_looks import ask_channel
from stratawatch.cli.output import time_text
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.adapters.store import SqlStore
    from stratawatch.config.loading import Configuration
    from stratawatch.wiring import Installation

State = Literal["ok", "warning", "trouble"]

PACKAGES: Final = ("sqlalchemy", "duckdb", "prefect", "psycopg", "great-expectations", "pyspark")
MISSED: Final = 3
"""Runs of the schedule without the end of an advance, after which it counts as dead."""
LITTLE_SPACE: Final = {"trouble": 100 * 2**20, "warning": 2**30}
"""Free bytes below which a disk is a trouble or a warning."""
SERVER_SECONDS: Final = 5.0


@dataclass(frozen=True)
class Finding:
    """What was found of one part; `remedy` says what to do about a warning or a trouble."""

    part: str
    state: State
    fact: str
    remedy: str = ""


def examine(path: Path) -> list[Finding]:
    """Look at every part; one that fails does not hide the others."""
    from stratawatch.config.loading import load_configuration

    findings = [_versions(), *_guarded("server", _server)]
    try:
        configuration = load_configuration(path)
    except StratawatchError as trouble:
        return [*findings, Finding("configuration", "trouble", str(trouble), "`stratawatch check` says more")]
    findings.append(Finding("configuration", "ok", str(configuration.path)))
    findings += _guarded("channels", lambda: _channels(configuration))
    findings += _guarded("disk", lambda: _disks(configuration))
    return [*findings, *_guarded("store", lambda: _of_store(configuration))]


def _guarded(part: str, look: Callable[[], Iterator[Finding]]) -> list[Finding]:
    """The findings of a part; an error is a trouble: one of ours says itself what to do, any other one is described."""
    found = []
    try:
        for finding in look():
            found.append(finding)  # noqa: PERF402 - what was found before an error counts
    except StratawatchError as trouble:
        found.append(Finding(part, "trouble", str(trouble)))
    except Exception as trouble:  # noqa: BLE001 - whatever it is, the other parts are looked at
        what = f"it cannot be looked at: {type(trouble).__name__}: {trouble}"
        found.append(Finding(part, "trouble", what, "mend that, then run `stratawatch doctor` again"))
    return found


def _versions() -> Finding:
    from stratawatch import __version__

    there = []
    for name in PACKAGES:
        try:
            there.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    running = f"stratawatch {__version__}, Python {platform.python_version()} on {sys.platform}"
    return Finding("versions", "ok", ", ".join([running, *there]))


def _server() -> Iterator[Finding]:
    """The Prefect server that the environment names, if any."""
    import httpx

    url = os.environ.get("PREFECT_API_URL")
    if not url:
        yield Finding("server", "ok", "no Prefect server is named (PREFECT_API_URL)")
        return
    try:
        answers = httpx.get(f"{url.rstrip('/')}/health", timeout=SERVER_SECONDS).is_success
    except httpx.HTTPError:
        answers = False
    if answers:
        yield Finding("server", "ok", f"the Prefect server at {url} answers")
    else:
        remedy = "start it, or set PREFECT_API_URL right; until then nothing runs by schedule"
        yield Finding("server", "trouble", f"the Prefect server at {url} does not answer", remedy)


def _channels(configuration: "Configuration") -> Iterator[Finding]:
    alerts = configuration.settings.alerts
    if not alerts:
        yield Finding("channels", "warning", "there is none: nobody is told of a breach", "add [[alerts]]")
    for settings in alerts:
        try:
            answer = ask_channel(settings.build(configuration.context)) or "its secrets are set"
        except StratawatchError as trouble:
            yield Finding(f"channel {settings.name}", "trouble", str(trouble), "the other channels send meanwhile")
        else:
            test = f"`stratawatch alerts test {settings.name}` sends a test"
            yield Finding(f"channel {settings.name}", "ok", f"{settings.kind}, {answer}; {test}")
    if configuration.settings.heartbeat is None:
        yield Finding("heartbeat", "ok", "there is none: nobody outside misses an advance")
    else:
        configuration.context.reveal(configuration.settings.heartbeat.url)
        yield Finding("heartbeat", "ok", "its address is set")


def _disks(configuration: "Configuration") -> Iterator[Finding]:
    """The space where store, queue and reports are; once for each disk."""
    settings = configuration.settings
    places = [*(("queue", local.path) for local in settings.queue.local_paths()), ("reports", settings.report.folder)]
    url = configuration.store_url().get_secret_value()
    if url.startswith("sqlite:///"):
        places.insert(0, ("store", url.removeprefix("sqlite:///")))
    disks = set()
    for name, place in places:
        path = (configuration.folder / place).absolute()
        folder = next(folder for folder in (path, *path.parents) if folder.is_dir())
        disk = folder.stat().st_dev
        if disk in disks:
            continue
        disks.add(disk)
        free = shutil.disk_usage(folder).free
        state: State = next((name for name, least in LITTLE_SPACE.items() if free < least), "ok")  # type: ignore[misc]
        remedy = "" if state == "ok" else "make room; [retention] says what the store keeps"
        yield Finding(f"disk of {name}", state, f"{free / 2**30:,.1f} GB free at {folder}", remedy)


def _of_store(configuration: "Configuration") -> Iterator[Finding]:
    """The store, and what is known through it."""
    from stratawatch.adapters.store import open_store
    from stratawatch.wiring import wire

    store = open_store(configuration.store_url().get_secret_value())
    facts = store.describe()
    yield Finding("store", "ok", f"{facts['store']}, {facts['database']}, schema {facts['schema']}")
    installation = wire(configuration, store, only_reading=True)
    yield from _guarded("schedule", lambda: _schedule(installation, datetime.now(UTC)))
    yield from _guarded("leases", lambda: _leases(store))
    yield from _guarded("queue", lambda: _queue(installation))
    yield from _guarded("notifications", lambda: _notifications(installation, datetime.now(UTC)))
    yield from _guarded("clock", lambda: _clock(installation))


def _schedule(installation: "Installation", now: datetime) -> Iterator[Finding]:
    """When the last advance ended, against the cron line that should start one."""
    from cronsim import CronSim

    from stratawatch.engine.alarms.run_record import ADVANCE_RUN

    with installation.ports.store.begin() as tx:
        last = tx.last_runs.get(ADVANCE_RUN)
    cron = installation.settings.schedule.advance_cron
    remedy = f"start what runs it: `make up`, the service or the crontab ({cron})"
    if last is None:
        yield Finding("schedule", "warning", "no advance has ended yet", remedy)
        return
    due = next(islice(CronSim(cron, now, reverse=True), MISSED - 1, None))
    ended = f"the last advance ended {time_text(last.finished_at)}"
    if last.finished_at < due:
        what = f"{ended}; by '{cron}' {MISSED} were due since"
        yield Finding("schedule", "trouble", what, remedy)
    elif last.troubles:
        yield Finding("schedule", "warning", f"{ended}, with: {'; '.join(last.troubles)}")
    else:
        yield Finding("schedule", "ok", ended)


def _leases(store: "SqlStore") -> Iterator[Finding]:
    """The workers that hold a lease now."""
    from stratawatch.engine.lease import is_holder_gone

    with store.begin() as tx:
        holders = {name: tx.leases.held(name) for name in sorted(tx.leases.names())}
    now = datetime.now(UTC)
    current = {name: held[0] for name, held in holders.items() if held is not None and held[1] > now}
    killed = [name for name, holder in current.items() if is_holder_gone(holder)]
    if killed:
        what = f"of a worker that was killed: {', '.join(killed)}"
        yield Finding("leases", "warning", what, "nothing to do: the next advance takes them")
    else:
        yield Finding("leases", "ok", f"held now: {', '.join(current) or 'none'}")


def _queue(installation: "Installation") -> Iterator[Finding]:
    from stratawatch.engine.labels.queue_identity import inspect_queue
    from stratawatch.engine.labels.reconcile_queue import AGAIN
    from stratawatch.engine.model.cycle_commands import cycle_command

    ports = installation.ports
    inspect_queue(ports.store, ports.queue)
    with ports.store.begin() as tx:
        record = tx.labels.cursor(AGAIN)
    identity = ports.queue.identity()
    yield Finding("queue", "ok", f"{ports.queue.where}, {f'marked as {identity}' if identity else 'not in use yet'}")
    for how in ("lost", "withdrawn"):
        if record.get(how):
            number = count_text(len(record[how]), "batch", "batches")
            yield Finding("queue", "warning", f"{number} {how}", f"`{cycle_command('resend')}` asks for them again")


def _notifications(installation: "Installation", now: datetime) -> Iterator[Finding]:
    from stratawatch.engine.alarms.silent_streams import silent_keys

    with installation.ports.store.begin() as tx:
        silent = silent_keys(tx, now)
        late = [one for one in tx.outbox.undelivered() if one.is_held_up(now) and one.dedup_key not in silent]
    if late:
        what = f"{count_text(len(late), 'notification')} held up: {late[-1].last_error}"
        yield Finding("notifications", "warning", what, "`stratawatch alerts list --undelivered` lists them")
    else:
        yield Finding("notifications", "ok", "none is held up")


def _clock(installation: "Installation") -> Iterator[Finding]:
    from stratawatch.engine.cycle.clock_check import require_sound_clock

    require_sound_clock(installation.ports, installation.panels, "the clock is doubted")
    yield Finding("clock", "ok", f"{time_text(installation.ports.clock.now())} +00:00")
