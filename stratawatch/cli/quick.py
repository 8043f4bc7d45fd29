"""A quick start: Typer turns texts into paths and flags through pydantic, half of what `status` may take to start."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from typer.core import TyperCommand, TyperGroup


def _same(value: Any, param: Any, ctx: Any) -> Any:  # noqa: ARG001 - called with these names
    """A flag is a truth value already, or it was not given."""
    return value


def _path(value: Any, param: Any, ctx: Any) -> Path | None:  # noqa: ARG001
    """A path needs no check of its own: whoever reads it says what is wrong."""
    return None if value is None else Path(value)


PLAIN: Final[dict[Any, Callable[..., Any]]] = {bool: _same, Path: _path}


def quicken(params: list[Any]) -> list[Any]:
    """Let flags and paths be what they are. Should Typer change inside, they are slow again, and a test says so."""
    for param in params:
        coerce = PLAIN.get(param.type_descriptor.annotation)
        if coerce is not None:
            vars(param)["get_runtime_param"] = lambda coerce=coerce: SimpleNamespace(coerce=coerce)
    return params


class QuickCommand(TyperCommand):
    """A command of flags and paths."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The command's parameters, help included."""
        return quicken(super().get_params(ctx))


class QuickGroup(TyperGroup):
    """A group whose own options are flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The group's parameters, help included."""
        return quicken(super().get_params(ctx))
