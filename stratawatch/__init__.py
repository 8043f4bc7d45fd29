"""Stratawatch: precision, recall and false-omission rate of deployed classifiers from few human labels."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from stratawatch.core.goals import Goal
    from stratawatch.errors import StratawatchError
    from stratawatch.study import Study, StudyHistory

__version__ = "0.1.0"
__all__ = ["Goal", "StratawatchError", "Study", "StudyHistory"]

_HOMES: Final = {
    "Goal": "stratawatch.core.goals",
    "StratawatchError": "stratawatch.errors",
    "Study": "stratawatch.study",
    "StudyHistory": "stratawatch.study",
}
"""What notebooks import from here is loaded when it is first used: the command line must not pay for it."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
