"""Stratawatch: precision, recall and false-omission rate of deployed classifiers from few human labels."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from stratawatch.core.designs.label_error import GoldAnswers
    from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
    from stratawatch.core.goals import Goal, Limit
    from stratawatch.errors import StratawatchError
    from stratawatch.stratified import allocate, estimate_share, fewest_labels
    from stratawatch.study import (
        PastLabel,
        Study,
        StudyEstimate,
        StudyEstimates,
        StudyHistory,
        StudyPlan,
        change_of_studies,
        pool_studies,
    )

__version__ = "0.1.0"
__all__ = [
    "Estimate",
    "Goal",
    "GoldAnswers",
    "IntervalEstimate",
    "Limit",
    "PastLabel",
    "StratawatchError",
    "Study",
    "StudyEstimate",
    "StudyEstimates",
    "StudyHistory",
    "StudyPlan",
    "Undefined",
    "allocate",
    "change_of_studies",
    "estimate_share",
    "fewest_labels",
    "pool_studies",
]

# What is imported from here is loaded when it is first used: the command line must not pay for it.
_HOMES: Final = {
    "stratawatch.core.designs.label_error": ("GoldAnswers",),
    "stratawatch.core.estimate": ("Estimate", "IntervalEstimate", "Undefined"),
    "stratawatch.core.goals": ("Goal", "Limit"),
    "stratawatch.errors": ("StratawatchError",),
    "stratawatch.stratified": ("allocate", "estimate_share", "fewest_labels"),
    "stratawatch.study": (
        "PastLabel",
        "Study",
        "StudyEstimate",
        "StudyEstimates",
        "StudyHistory",
        "StudyPlan",
        "change_of_studies",
        "pool_studies",
    ),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Only what is meant to be used; __version__ and the like are there all the same."""
    return sorted(__all__)
