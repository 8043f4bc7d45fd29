"""Rules about paths and names of the whole installation."""

from collections.abc import Iterator
from pathlib import Path

from stratawatch.config.confinement import confined
from stratawatch.config.problems import Problem
from stratawatch.config.references import is_reference
from stratawatch.config.store_url import SQLITE, store_url
from stratawatch.config.tables import Table
from stratawatch.errors import ConfigError


def inside_folder(house: Table, folder: Path) -> Iterator[Problem]:
    """Paths stay below the configuration's folder; only a source may leave it, and says so."""
    yield from _path(house.table("queue"), "root", folder)
    yield from _path(house.table("report"), "folder", folder)
    yield from _path(house.table("checks"), "folder", folder)
    for panel in house.named("panels").values():
        yield from _path(panel, "guideline_file", folder)
        yield from _source(panel.table("source"), folder)
    yield from _store(house.table("store"), folder)


def readable_guideline(house: Table, folder: Path) -> Iterator[Problem]:
    """A guideline's file is there and says something."""
    for panel in house.named("panels").values():
        name = panel.text("guideline_file")
        if name is None or list(_path(panel, "guideline_file", folder)):
            continue
        try:
            empty = not (folder / name).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as trouble:
            reason = getattr(trouble, "strerror", None) or "it is not text in UTF-8"
            yield panel.problem("guideline_file", "the guideline cannot be read", got=reason)
            continue
        if empty:
            yield panel.problem("guideline_file", "the guideline is empty")


def separate_rooms(house: Table, folder: Path) -> Iterator[Problem]:
    """The queue is open to labellers, so nothing else lives in its folder."""
    root, pages = house.table("queue").text("root"), house.table("report").text("folder")
    if root is None:
        return
    home = (folder / root).resolve()
    if home == folder.resolve():
        yield house.table("queue").problem("root", "the queue needs a folder of its own", hint='write root = "queue"')
    elif pages is not None and (folder / pages).resolve().is_relative_to(home):
        yield house.table("report").problem("folder", "reports would lie in the queue's folder, open to labellers")


def alert_names(house: Table, folder: Path) -> Iterator[Problem]:  # noqa: ARG001 - one signature for all rules
    """Every channel has a name of its own."""
    seen: set[str] = set()
    for alert in house.listed("alerts"):
        name = alert.text("name") or alert.text("kind")
        if name is None:
            continue
        if name in seen:
            hint = 'give each a name: name = "..."'
            yield alert.problem("name" if "name" in alert else None, f"two channels are named '{name}'", hint=hint)
        seen.add(name)


def _path(table: Table, key: str, folder: Path, *, allow_outside: bool = False, remedy: str = "") -> Iterator[Problem]:
    text = table.text(key)
    if text is None:
        return
    try:
        confined(folder, text, allow_outside=allow_outside)
    except ConfigError as trouble:
        yield table.problem(
            key, f"'{key}' {trouble.what}", expected=trouble.expected, got=trouble.got, hint=trouble.hint or remedy
        )


def _source(source: Table, folder: Path) -> Iterator[Problem]:
    if source.text("kind") == "spark":  # its path is one of the storage that the workers share
        return
    remedy = "allow_outside = true lets a source do that"
    yield from _path(source, "path", folder, allow_outside=source.flag("allow_outside"), remedy=remedy)


def _store(store: Table, folder: Path) -> Iterator[Problem]:
    url = store.text("url")
    if url is None or is_reference(url) or not url.startswith(SQLITE):
        return
    if "password" in store:
        yield store.problem("password", "an SQLite file has no password", hint="remove it")
    try:
        store_url(folder, url, None)
    except ConfigError as trouble:
        yield store.problem("url", trouble.what, expected=trouble.expected, got=trouble.got, hint=trouble.hint)
