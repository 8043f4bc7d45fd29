"""Where people are told: one adapter a kind, loaded when it is used."""

from importlib import import_module
from typing import Any, Final

from stratawatch.errors import ConfigError

REGISTRY: Final[dict[str, str]] = {
    "console": "stratawatch.adapters.alerts.console:ConsoleChannel",
    "webhook": "stratawatch.adapters.alerts.webhook:WebhookChannel",
}
"""Kind of channel -> module:class."""


def load(kind: str) -> Any:
    """The class behind a kind of channel."""
    if kind not in REGISTRY:
        raise ConfigError(f"there is no alert channel of kind '{kind}'", expected=" or ".join(sorted(REGISTRY)))
    module, _, name = REGISTRY[kind].partition(":")
    return getattr(import_module(module), name)
