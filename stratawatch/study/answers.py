"""What people said, as a study is given it."""

from typing import Any, Final

import numpy as np

from stratawatch.core.second_votes import checked_verdict, next_vote
from stratawatch.core.verdicts import SaidWord, Verdict
from stratawatch.errors import StratawatchError

_SHOWN: Final[dict[Verdict, str]] = {"yes": "True", "no": "False", "unresolved": "None"}


def verdict_of(item: str, value: Any, is_checked: bool) -> Verdict:
    """The verdict of the answers of several people in their order, or of one, where the study asks for second votes."""
    words = votes_from(item, value)
    if not words or (is_checked and next_vote(words)):
        raise StratawatchError(
            f"item {item!r} needs another vote",
            expected="what each person said; of an item that a classifier calls negative and the first person yes, "
            "[True, True], [True, False, True] or [True, False, False]",
            got=f"{value!r:.40}",
            hint="study.needs_vote(item, answers) says when another person is to be asked",
        )
    if is_checked and words[0] == "yes":
        return checked_verdict(words)
    return "unresolved" if words[0] == "skip" else words[0]


def votes_from(item: str, value: Any) -> list[SaidWord]:
    """The answers of several people about an item, or that of one."""
    several = value if isinstance(value, list | tuple) else [value]
    verdicts = [verdict_from(item, one) for one in several]
    return ["skip" if verdict == "unresolved" else verdict for verdict in verdicts]


def verdict_from(item: str, value: Any) -> Verdict:
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


def label_pairs(answers: Any) -> list[tuple[Any, Any]]:
    """Items and labels of a mapping, or of anything with `items()`, such as a pandas Series."""
    if not hasattr(answers, "items"):
        raise StratawatchError(
            "the labels cannot be read", expected="{item: True | False | None}", got=type(answers).__name__
        )
    return list(answers.items())


def refuse_changed_label(item: str, before: Verdict, after: Verdict) -> None:
    """Raise where an item that has a label is given another one."""
    if before != after:
        raise StratawatchError(
            f"item {item!r} is labelled already",
            expected=_SHOWN[before],
            got=_SHOWN[after],
            hint="say tell(..., correct=True) to correct it",
        )
