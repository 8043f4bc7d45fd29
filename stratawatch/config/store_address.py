"""The store's address and the panels' names, without the checks of the whole file.

`status` must answer when something is wrong with the rest.
"""

import os
from pathlib import Path
from typing import Any, Final

from stratawatch.config.configuration_file import read_document
from stratawatch.engine.model.pauses import Pauses
from stratawatch.settings.database_urls import check_store_url, store_url
from stratawatch.settings.references import EnvironmentText, check_secret

DEFAULT: Final = "sqlite:///stratawatch.db"
_OVERRIDES: Final = {"url": "STRATAWATCH_STORE__URL", "password": "STRATAWATCH_STORE__PASSWORD"}


def read_panel_names(path: Path) -> frozenset[str] | None:
    """The names of the configured panels; None when the file does not tell."""
    panels = read_document(path).data.get("panels")
    return frozenset(panels) if isinstance(panels, dict) else None


def read_pauses(path: Path) -> Pauses:
    """What the file or the environment pauses, and the shadows, as far as they tell."""
    tables = _tables(read_document(path).data.get("panels"))
    return Pauses(
        frozenset(name for name, one in tables.items() if _is_on(one, "paused", name)),
        _classifiers_with(tables, "paused"),
        _classifiers_with(tables, "shadow"),
    )


def _classifiers_with(tables: dict[str, dict[str, Any]], key: str) -> frozenset[tuple[str, str]]:
    """(panel, classifier) of those whose table says `key = true`."""
    return frozenset(
        (panel, name)
        for panel, table in tables.items()
        for name, classifier in _tables(table.get("classifiers")).items()
        if _is_on(classifier, key, panel, "classifiers", name)
    )


def shares_budget(path: Path) -> bool:
    """Whether the file, or the environment, has a budget that panels share."""
    named = any(name.upper().startswith("STRATAWATCH_BUDGET__") for name in os.environ)
    return named or "budget" in read_document(path).data


def _is_on(table: dict[str, Any], key: str, *place: str) -> bool:
    """Whether a table of a panel says `key = true`, or a variable of the environment does, which goes before it."""
    variable = "__".join(("stratawatch_panels", *place, key))
    overrides = [value for name, value in os.environ.items() if name.lower() == variable and value]
    return overrides[-1].lower() == "true" if overrides else table.get(key) is True


def _tables(value: Any) -> dict[str, dict[str, Any]]:
    """The tables in a value that may be anything: somebody may have written double brackets."""
    return {name: one for name, one in value.items() if isinstance(one, dict)} if isinstance(value, dict) else {}


def read_store_address(path: Path) -> str | None:
    """The address to connect to, as `load` would give it; None when only the full reading can tell."""
    document = read_document(path)
    store = document.data.get("store", {})
    odd = [name for name in os.environ if name.upper().startswith("STRATAWATCH_STORE")]
    if not isinstance(store, dict) or set(odd) - set(_OVERRIDES.values()) or set(store) - set(_OVERRIDES):
        return None
    url, password = _value(store, "url", DEFAULT), _value(store, "password", None)
    try:
        check_store_url(url)
        check_secret(password)
    except ValueError:
        return None
    if not isinstance(url, str) or not isinstance(password, str | None):
        return None
    return store_url(document.folder, url, password)


def _value(store: dict[str, Any], key: str, default: str | None) -> Any:
    override = os.environ.get(_OVERRIDES[key])
    return EnvironmentText(override) if override else store.get(key, default)
