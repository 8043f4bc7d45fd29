"""Every fit needs both classes, and so does every test: the smaller class must be large enough."""

from stratawatch.core.cells import Flags
from stratawatch.errors import StratawatchError


def require_both_classes(truth: Flags, least: int, method: str) -> None:
    """Refuse truths with fewer than `least` items of either class."""
    positive = int(truth.sum())
    negative = truth.size - positive
    if min(positive, negative) < least:
        raise StratawatchError(
            f"there are too few labelled items for {method}",
            expected=f"at least {least} of either class",
            got=f"{positive} positive and {negative} negative",
        )
