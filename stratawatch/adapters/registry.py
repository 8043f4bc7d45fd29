"""Registries hold "module:name", so that nothing is imported before it is used."""

from importlib import import_module
from typing import Any


def load(entry: str) -> Any:
    """What an entry of a registry names; its module is imported now."""
    module, _, name = entry.partition(":")
    return getattr(import_module(module), name)
