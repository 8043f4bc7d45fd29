"""Variances by name: how an interval comes about. A new one is one file here and one line in the table."""

from collections.abc import Mapping
from typing import Final

from stratawatch.core.estimation.variance_methods.brr import Brr
from stratawatch.core.estimation.variance_methods.default import Default
from stratawatch.core.estimation.variance_methods.variance import Variance
from stratawatch.errors import PlanImpossible, StratawatchError

VARIANCES: Final[Mapping[str, Variance]] = {variance.name: variance for variance in (Default(), Brr())}


def variance_named(name: str) -> Variance:
    """The variance of this name."""
    if not isinstance(name, str) or name not in VARIANCES:
        raise StratawatchError(f"there is no variance {name!r:.60}", expected=f"one of {', '.join(VARIANCES)}")
    return VARIANCES[name]


def check_variance_method(variance: str, design: str) -> None:
    """Raise for a variance that is none of the design's estimates."""
    served = variance_named(variance).designs
    if served and design not in served:
        raise PlanImpossible(
            f"variance = '{variance}' is not one of the estimates of design = '{design}'",
            expected=" or ".join(f"design = '{name}'" for name in served),
            hint="leave the variance out",
        )
