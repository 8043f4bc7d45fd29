"""What people said, as a study is given it."""

from typing import Any, Final

from stratawatch.answer_words import yes_or_no
from stratawatch.core.second_votes import checked_verdict, next_vote
from stratawatch.core.verdicts import SaidWord, Verdict
from stratawatch.errors import StratawatchError
from stratawatch.study.frames import Frame, is_frame, open_frame

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
    """Yes or no in any of the words for it, or None or skip for an item that could not be labelled.

    NaN is refused: it may be an item that nobody has answered yet.
    """
    if value is None or (isinstance(value, str) and value.strip().casefold() == "skip"):
        return "unresolved"
    said = yes_or_no(value)
    if said is not None:
        return "yes" if said else "no"
    raise StratawatchError(
        f"the label of item {item!r} cannot be read",
        expected="True or False, yes or no, 1 or 0, or None where it could not be labelled",
        got=f"{value!r:.40}",
        hint="leave out what nobody has answered yet",
    )


def not_asked(item: str, *, has_label: bool, is_in_frame: bool) -> StratawatchError:
    """The error of an answer about an item that nobody was asked about; `has_label`: history brought its label."""
    if has_label:
        return StratawatchError(
            f"item {item!r} was not asked about", hint="its label is known from the history already"
        )
    if not is_in_frame:
        return StratawatchError(f"item {item!r} is unknown", expected="an item of the last ask()")
    return StratawatchError(
        f"item {item!r} was not asked about",
        expected="an item of the last ask()",
        hint="labels of items that were not drawn would bias every estimate",
    )


def label_pairs(answers: Any, item_column: str) -> list[tuple[Any, Any]]:
    """Items and labels of a mapping, of a pandas Series, or of a frame with a column of each.

    Of a frame's columns the one that is called as the study's items are holds the items, else the first. Rows without
    a label are left out.
    """
    if is_frame(answers):
        return _frame_pairs(open_frame(answers), item_column)
    if not hasattr(answers, "items"):
        raise StratawatchError(
            "the labels cannot be read",
            expected="{item: True | False | None}, a Series of labels by item, or a frame of items and labels",
            got=type(answers).__name__,
        )
    return list(answers.items())


def _frame_pairs(frame: Frame, item_column: str) -> list[tuple[Any, Any]]:
    if len(frame.names) != 2:
        raise StratawatchError(
            "the labels cannot be read",
            expected="a frame of two columns, items and labels",
            got=f"{len(frame.names)} columns",
            hint=f"choose them: frame[[{item_column!r}, 'label']]",
        )
    first, second = frame.names
    names = (second, first) if second == item_column else (first, second)
    items, labels = (
        frame.column(name, role).part(0, frame.rows)
        for name, role in zip(names, ("the items", "the labels"), strict=True)
    )
    return [(item, label) for item, label in zip(items, labels, strict=True) if label is not None]


def refuse_changed_label(item: str, before: Verdict, after: Verdict, *, is_repeated: bool = False) -> None:
    """Raise where an item that has a label is given another one, or comes twice with different ones."""
    if before != after:
        raise StratawatchError(
            f"item {item!r} comes twice with different labels" if is_repeated else f"item {item!r} is labelled already",
            expected=_SHOWN[before],
            got=_SHOWN[after],
            hint="" if is_repeated else "say tell(..., correct=True) to correct it",
        )
