"""Commands of flags and `--config`, started without pydantic, which Typer's conversion of any value loads in .25 s."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from typer.core import TyperCommand, TyperGroup

CONFIG: Final = ("--config", "-c")


def skip_conversion(params: list[Any]) -> list[Any]:
    """Have flags stay what the parser made of them, and `--config` become a Path here; callbacks are still called."""
    for param in params:
        if param.is_flag or param.name == "config":
            param.process_value = lambda ctx, value, param=param: _processed(ctx, param, value)
    return params


def _processed(ctx: Any, param: Any, value: Any) -> Any:
    found = value if param.is_flag or value is None else Path(value)
    return param.callback(ctx, param, found) if param.callback else found


class QuickCommand(TyperCommand):
    """A command whose only options are flags and `--config`."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The command's parameters, help included."""
        return skip_conversion(super().get_params(ctx))


def config_after_command(group: Any, words: Sequence[str]) -> list[str]:
    """The words of a command line with a `--config` that stands before the command moved behind its name.

    Where no command follows that takes it, as before `--help`, it is left out.
    """
    rest, config = list(words), []
    place, node = 0, group
    while place < len(rest) and hasattr(node, "commands"):
        word = rest[place]
        length = 2 if word in CONFIG else 1 if word.startswith("--config=") else 0
        if length:
            config += rest[place : place + length]
            del rest[place : place + length]
        else:
            node = node if word.startswith("-") else node.commands.get(word)
            place += 1
    is_left_out = hasattr(node, "commands") and not any(param.name == "config" for param in node.params)
    return [*rest[:place], *([] if is_left_out else config), *rest[place:]]


class QuickGroup(TyperGroup):
    """A group whose own options are flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The group's parameters, help included."""
        return skip_conversion(super().get_params(ctx))
