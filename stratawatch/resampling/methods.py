"""Resampling methods by name, as they are where nobody says otherwise. A new one is a file and a line here."""

from typing import Final

from stratawatch.errors import StratawatchError
from stratawatch.resampling.bootstrap import Bootstrap632
from stratawatch.resampling.holdout import Holdout
from stratawatch.resampling.k_fold import KFold
from stratawatch.resampling.leave_one_out import LeaveOneOut
from stratawatch.resampling.random_subsampling import RandomSubsampling
from stratawatch.resampling.resampling_method import ResamplingMethod

METHODS: Final[dict[str, ResamplingMethod]] = {
    "holdout": Holdout(),
    "random_subsampling": RandomSubsampling(),
    "k_fold": KFold(),
    "leave_one_out": LeaveOneOut(),
    "bootstrap_632": Bootstrap632(),
}


def method_named(name: str) -> ResamplingMethod:
    """The method of that name."""
    if name not in METHODS:
        raise StratawatchError(f"there is no resampling method '{name}'", expected=f"one of {', '.join(METHODS)}")
    return METHODS[name]
