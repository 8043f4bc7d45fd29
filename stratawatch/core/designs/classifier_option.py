"""The classifier that an option names."""

from collections.abc import Sequence
from typing import Final

from stratawatch.errors import StratawatchError

ANOTHER: Final = "name another classifier, or choose another design"
"""What remains where the one that is named calls nothing that could be asked about."""


def place_of(name: str, classifiers: Sequence[str]) -> int:
    """Its place among the panel's classifiers; without a name the first.

    >>> place_of("b", ["a", "b"]), place_of("", ["a", "b"])
    (1, 0)
    """
    if name and name not in classifiers:
        raise StratawatchError(f"there is no classifier {name!r}", expected=f"one of {', '.join(classifiers)}")
    return list(classifiers).index(name) if name else 0
