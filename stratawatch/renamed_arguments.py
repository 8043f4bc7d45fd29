"""Arguments that have a new name: the old one is taken for one version, with a warning."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from warnings import warn

Class = TypeVar("Class")


def renamed_arguments(**new_names: str) -> Callable[[type[Class]], type[Class]]:
    """Let a class be called with old names of its arguments: `renamed_arguments(old="new")`."""

    def decorate(cls: type[Class]) -> type[Class]:
        original: Callable[..., None] = cls.__init__

        @wraps(original)
        def init(self: Class, *args: Any, **arguments: Any) -> None:
            for old in new_names.keys() & arguments.keys():
                new = new_names[old]
                if new in arguments:
                    raise TypeError(f"{cls.__name__}() got `{new}` and its old name `{old}`")
                warn(f"{cls.__name__}({old}=...) is called `{new}` now", DeprecationWarning, stacklevel=2)
                arguments[new] = arguments.pop(old)
            original(self, *args, **arguments)

        cls.__init__ = init  # type: ignore[assignment]  # the same arguments, and the old names
        return cls

    return decorate
