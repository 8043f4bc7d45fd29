"""What people said, as a study is told it."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from stratawatch.core.verdicts import Verdict
from stratawatch.errors import StratawatchError

_WORDS: Final[Mapping[Verdict, str]] = {"yes": "True", "no": "False", "unresolved": "None"}


def verdict_of(item: str, value: Any) -> Verdict:
    """True, False, or None for an item that could not be labelled; nothing else is guessed at."""
    if value is None:
        return "unresolved"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    raise StratawatchError(
        f"the label of item {item!r} cannot be read",
        expected="True, False, or None where it could not be labelled",
        got=f"{value!r:.40}",
    )


def pairs(answers: Any) -> list[tuple[Any, Any]]:
    """Items and labels of a mapping, or of anything with `items()`, such as a pandas Series."""
    if not hasattr(answers, "items"):
        raise StratawatchError(
            "the labels cannot be read", expected="{item: True | False | None}", got=type(answers).__name__
        )
    return list(answers.items())


def refuse_change(item: str, before: Verdict, after: Verdict) -> None:
    """Raise where an item is told again, and otherwise."""
    if before != after:
        raise StratawatchError(
            f"item {item!r} is labelled already",
            expected=_WORDS[before],
            got=_WORDS[after],
            hint="say tell(..., correct=True) to correct it",
        )
