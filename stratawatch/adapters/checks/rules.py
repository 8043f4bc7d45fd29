"""Rules of the input check: each an expectation of Great Expectations, and the sentence shown when it fails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

Frame = Mapping[str, Sequence[Any]]
"""Columns of equal length."""


def titled(what: str, name: str) -> str:
    """A frame's column for a name of the configuration, escaped, for the library's pages show it as HTML."""
    return f"{what} {escape(name)}"


@dataclass(frozen=True)
class InputRule:
    """`expectation` is the name of a class in great_expectations.expectations.

    A failed critical rule refuses the window; a failed warning is reported and the cycle goes on. `place` is where the
    user wrote it, empty for the program's own rules.
    """

    expectation: str
    arguments: Mapping[str, Any]
    sentence: str
    severity: Literal["critical", "warning"] = "critical"
    place: str = ""


@dataclass(frozen=True)
class Suite:
    """A frame and the rules that it is validated by; `facts` are numbers shown beside them on its page."""

    name: str
    title: str
    frame: Frame
    rules: tuple[InputRule, ...]
    facts: tuple[tuple[str, str], ...]
