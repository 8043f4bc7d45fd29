"""Rules of the input check: each an expectation of Great Expectations, and the sentence shown when it fails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any, Literal

from stratawatch.engine.model.cycle_facts import CheckReport
from stratawatch.engine.model.quarantined_row import QuarantinedRow

Frame = Mapping[str, Sequence[Any]]
"""Columns of equal length."""
Severity = Literal["critical", "warning"]


def frame_column(what: str, name: str) -> str:
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
    severity: Severity = "critical"
    place: str = ""


def between(column: str, sentence: str, severity: Severity = "critical", **bounds: Any) -> InputRule:
    """The rule that a column's values lie between `min_value` and `max_value`, as far as these are given."""
    return InputRule("ExpectColumnValuesToBeBetween", {"column": column, **bounds}, sentence, severity)


def not_null(column: str, sentence: str, severity: Severity = "critical") -> InputRule:
    """The rule that a column has a value in every row."""
    return InputRule("ExpectColumnValuesToNotBeNull", {"column": column}, sentence, severity)


def check_report(
    failed: Sequence[InputRule],
    bad_rows: tuple[QuarantinedRow, ...] = (),
    docs: str | None = None,
    remarks: tuple[str, ...] = (),
) -> CheckReport:
    """The report on the rules that failed; the first critical one refuses the window. `remarks` are warnings, too."""
    refusals = [rule.sentence for rule in failed if rule.severity == "critical"]
    return CheckReport((*(rule.sentence for rule in failed), *remarks), refusals[0] if refusals else "", bad_rows, docs)


def naive_utc(at: datetime) -> datetime:
    """A time as Great Expectations compares it: without its offset, which is that of UTC."""
    return at.astimezone(UTC).replace(tzinfo=None)


@dataclass(frozen=True)
class Suite:
    """A frame and the rules that it is validated by; `facts` are numbers shown beside them on its page."""

    name: str
    title: str
    frame: Frame
    rules: tuple[InputRule, ...]
    facts: tuple[tuple[str, str], ...]
