"""A rule of the input check: an expectation of Great Expectations, and the sentence for a person when it fails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

Frame = Mapping[str, Sequence[Any]]
"""Columns of equal length."""


def titled(what: str, name: str) -> str:
    """A frame's column for a name of the configuration; the library's pages show it as it is, so it is escaped."""
    return f"{what} {escape(name)}"


@dataclass(frozen=True)
class Rule:
    """`expectation` is the name of a class in great_expectations.expectations.

    A failed critical rule refuses the window; a failed warning is reported and the work goes on. `place` is where the
    user wrote it; the program's own rules have none.
    """

    expectation: str
    arguments: Mapping[str, Any]
    sentence: str
    severity: Literal["critical", "warning"] = "critical"
    place: str = ""


@dataclass(frozen=True)
class Suite:
    """A frame and the rules it is held against; `facts` are the numbers a reader of its page wants beside them."""

    name: str
    title: str
    frame: Frame
    rules: tuple[Rule, ...]
    facts: tuple[tuple[str, str], ...]
