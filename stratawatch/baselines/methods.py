"""Resampling methods by name, as they are where nobody says otherwise. A new one is a file and a line here."""

from typing import Final

from stratawatch.baselines.bootstrap import Bootstrap632
from stratawatch.baselines.holdout import Holdout
from stratawatch.baselines.k_fold import KFold
from stratawatch.baselines.leave_one_out import LeaveOneOut
from stratawatch.baselines.method import Method
from stratawatch.baselines.random_subsampling import RandomSubsampling
from stratawatch.errors import StratawatchError

METHODS: Final[dict[str, Method]] = {
    "holdout": Holdout(),
    "random_subsampling": RandomSubsampling(),
    "k_fold": KFold(),
    "leave_one_out": LeaveOneOut(),
    "bootstrap_632": Bootstrap632(),
}


def method_named(name: str) -> Method:
    """The method of that name."""
    if name not in METHODS:
        raise StratawatchError(f"there is no resampling method '{name}'", expected=f"one of {', '.join(METHODS)}")
    return METHODS[name]
