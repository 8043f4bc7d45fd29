"""Where people label: one adapter a kind, loaded when it is used."""

from importlib import import_module
from typing import Any, Final

from stratawatch.errors import ConfigError

REGISTRY: Final[dict[str, str]] = {
    "folder": "stratawatch.adapters.queues.folder:FolderQueue",
}
"""Kind of queue -> module:class."""


def load(kind: str) -> Any:
    """The class behind a kind of queue."""
    if kind not in REGISTRY:
        raise ConfigError(f"there is no queue of kind '{kind}'", expected=" or ".join(sorted(REGISTRY)))
    module, _, name = REGISTRY[kind].partition(":")
    return getattr(import_module(module), name)
