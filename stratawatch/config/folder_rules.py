"""Rules about paths and names of the whole installation."""

from collections.abc import Iterator
from pathlib import Path

from stratawatch.adapters.adapter_settings import AdapterSettings
from stratawatch.config.problems import Place, Problem
from stratawatch.config.settings import Settings
from stratawatch.errors import ConfigError
from stratawatch.settings.confined_paths import confined
from stratawatch.settings.database_urls import SQLITE, store_url
from stratawatch.settings.references import is_reference


def inside_folder(settings: Settings, folder: Path) -> Iterator[Problem]:
    """Paths stay below the configuration's folder; only a source may leave it, and says so."""
    yield from _adapter(("queue",), settings.queue, folder)
    for index, alert in enumerate(settings.alerts):
        yield from _adapter(("alerts", index), alert, folder)
    for index, truth in enumerate(settings.truth):
        yield from _adapter(("truth", index), truth, folder)
    yield from _path(("report", "folder"), settings.report.folder, folder)
    yield from _path(("checks", "folder"), settings.checks.folder, folder)
    for name, panel in settings.panels.items():
        yield from _path(("panels", name, "guideline_file"), panel.guideline_file, folder)
        yield from _adapter(("panels", name, "source"), panel.source, folder)
    yield from _store(settings, folder)


def readable_guideline(settings: Settings, folder: Path) -> Iterator[Problem]:
    """A guideline's file is there and says something."""
    for name, panel in settings.panels.items():
        place, file = ("panels", name, "guideline_file"), panel.guideline_file
        if file is None or any(_path(place, file, folder)):
            continue
        try:
            empty = not (folder / file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as trouble:
            reason = getattr(trouble, "strerror", None) or "it is not text in UTF-8"
            yield Problem(place, "the guideline cannot be read", got=reason)
            continue
        if empty:
            yield Problem(place, "the guideline is empty")


def separate_folders(settings: Settings, folder: Path) -> Iterator[Problem]:
    """The queue is open to labellers, so nothing else lives in its folder."""
    for local in settings.queue.local_paths():
        home, place = (folder / local.path).resolve(), ("queue", local.key)
        if home == folder.resolve():
            hint = f'write {local.key} = "queue"'
            yield Problem(place, "the queue needs a folder of its own", hint=hint)
        elif home.is_relative_to(folder.resolve()) and (folder / settings.report.folder).resolve().is_relative_to(home):
            yield Problem(("report", "folder"), "reports would lie in the queue's folder, open to labellers")


def alert_names(settings: Settings, folder: Path) -> Iterator[Problem]:  # noqa: ARG001 - one signature for all rules
    """Every channel has a name of its own."""
    names = [alert.name for alert in settings.alerts]
    for index, alert in enumerate(settings.alerts):
        if alert.name in names[:index]:
            place: Place = ("alerts", index, "name") if "name" in alert.model_fields_set else ("alerts", index)
            yield Problem(place, f"two channels are named '{alert.name}'", hint='give each a name: name = "..."')


def ordinary_channel(settings: Settings, folder: Path) -> Iterator[Problem]:  # noqa: ARG001 - one signature for all
    """A fallback needs a channel that it can take the place of."""
    if settings.alerts and all(alert.fallback for alert in settings.alerts):
        hint = "remove `fallback` from one, or add a channel: a fallback gets only what the others failed to take"
        yield Problem(("alerts", 0, "fallback"), "every channel is a fallback", hint=hint)


def truth_of_panels(settings: Settings, folder: Path) -> Iterator[Problem]:  # noqa: ARG001 - one signature for all
    """Truth is about a panel that there is, and each folder is read once."""
    for index, truth in enumerate(settings.truth):
        if truth.panel not in settings.panels:
            names = " or ".join(f"'{name}'" for name in settings.panels)
            yield Problem(("truth", index, "panel"), f"there is no panel '{truth.panel}'", expected=names)
        if truth.name in [other.name for other in settings.truth[:index]]:
            yield Problem(("truth", index), f"{truth.name} is named twice", hint="remove one")


def _adapter(place: Place, settings: AdapterSettings, folder: Path) -> Iterator[Problem]:
    """Paths of an adapter; where it has such a key, it may say that they lie outside."""
    remedy = "allow_outside = true lets a source do that" if hasattr(settings, "allow_outside") else ""
    for local in settings.local_paths():
        yield from _path((*place, local.key), local.path, folder, allow_outside=local.allow_outside, remedy=remedy)


def _path(
    place: Place, text: str | None, folder: Path, *, allow_outside: bool = False, remedy: str = ""
) -> Iterator[Problem]:
    if text is None:
        return
    try:
        confined(folder, text, allow_outside=allow_outside)
    except ConfigError as trouble:
        hint = trouble.hint or remedy
        yield Problem(place, f"'{place[-1]}' {trouble.what}", expected=trouble.expected, got=trouble.got, hint=hint)


def _store(settings: Settings, folder: Path) -> Iterator[Problem]:
    store = settings.store
    try:
        store.connection_options(folder)
    except ConfigError as trouble:
        yield Problem.of(("store",), trouble)
    if is_reference(store.url) or not store.url.startswith(SQLITE):
        return
    for key in store.keys_set():
        yield Problem(("store", key), f"'{key}' is for a store on PostgreSQL", hint="remove it")
    if store.password is not None:
        yield Problem(("store", "password"), "an SQLite file has no password", hint="remove it")
    try:
        store_url(folder, store.url, None)
    except ConfigError as trouble:
        yield Problem.of(("store", "url"), trouble)
