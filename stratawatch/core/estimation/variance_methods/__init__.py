"""Variance methods by name: how intervals are computed. A new one is one file here and one line in the table."""

from collections.abc import Mapping
from typing import Final

from stratawatch.core.estimation.variance_methods.brr import BalancedReplication
from stratawatch.core.estimation.variance_methods.labels_alone import LabelsAlone
from stratawatch.core.estimation.variance_methods.variance_method import VarianceMethod
from stratawatch.errors import StratawatchError

VARIANCES: Final[Mapping[str, VarianceMethod]] = {
    variance.name: variance for variance in (VarianceMethod(), LabelsAlone(), BalancedReplication())
}


def variance_named(name: str) -> VarianceMethod:
    """The variance method of this name."""
    if not isinstance(name, str) or name not in VARIANCES:
        raise StratawatchError(f"there is no variance {name!r:.60}", expected=f"one of {', '.join(VARIANCES)}")
    return VARIANCES[name]
