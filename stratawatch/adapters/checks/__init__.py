"""Whether the input is fit to be judged: one adapter a kind, loaded when it is used."""

from importlib import import_module
from typing import Any, Final

from stratawatch.errors import ConfigError

REGISTRY: Final[dict[str, str]] = {
    "builtin": "stratawatch.adapters.checks.builtin_check:BuiltinCheck",
    "great_expectations": "stratawatch.adapters.checks.great_expectations_check:GreatExpectationsCheck",
}
"""Kind of check -> module:class."""


def load(kind: str) -> Any:
    """The class behind a kind of check."""
    if kind not in REGISTRY:
        raise ConfigError(f"there is no check of kind '{kind}'", expected=" or ".join(sorted(REGISTRY)))
    module, _, name = REGISTRY[kind].partition(":")
    return getattr(import_module(module), name)
