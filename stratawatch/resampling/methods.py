"""The resampling methods by name, with their default parameters. A new one is a class and a line here."""

from typing import Final

from stratawatch.errors import StratawatchError
from stratawatch.resampling.bootstrap import Bootstrap632
from stratawatch.resampling.cross_validation import KFold, LeaveOneOut
from stratawatch.resampling.random_splits import Holdout, RandomSubsampling
from stratawatch.resampling.resampling_method import ResamplingMethod

METHODS: Final[dict[str, ResamplingMethod]] = {
    "holdout": Holdout(),
    "random_subsampling": RandomSubsampling(),
    "k_fold": KFold(),
    "leave_one_out": LeaveOneOut(),
    "bootstrap_632": Bootstrap632(),
}


def method_named(name: str) -> ResamplingMethod:
    """The method of this name. Raises StratawatchError for another."""
    if name not in METHODS:
        raise StratawatchError(f"there is no resampling method '{name}'", expected=f"one of {', '.join(METHODS)}")
    return METHODS[name]
