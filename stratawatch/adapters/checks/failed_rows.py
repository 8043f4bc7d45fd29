"""The rows that fail the user's expectations: counted in the sentence, and kept when they refuse the window."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape
from typing import Any, Final

from stratawatch.adapters.checks.gx_runner import Validated
from stratawatch.adapters.checks.input_rules import InputRule, Suite
from stratawatch.adapters.checks.user_expectations import asked_columns
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.formatting import shortened

_NAMED: Final = 3
_LISTED: Final = 20
_SHOWN: Final = 60  # characters of an item id in a sentence


def with_failure_details(suite: Suite, validated: Validated) -> Validated:
    """The result with sentences that name the expectation's place, and how many rows failed or what was observed."""
    rules = (_placed(suite, rule, validated, i) if rule.place else rule for i, rule in enumerate(validated.failed))
    return replace(validated, failed=tuple(rules))


def failed_rows(suite: Suite, validated: Validated) -> Iterator[QuarantinedRow]:
    """The first rows that failed each critical expectation of the user's."""
    for i, rule in enumerate(validated.failed):
        if rule.place and rule.severity == "critical" and "item" in suite.frame:
            for row in validated.rows.get(i, ())[:_LISTED]:
                yield QuarantinedRow("prediction", str(suite.frame["item"][row]), f"it breaks {rule.place}")


def _placed(suite: Suite, rule: InputRule, validated: Validated, number: int) -> InputRule:
    rows, observed = validated.rows.get(number, ()), validated.observed.get(number)
    if suite.name == "profile":
        observed_text = ", ".join(f"{unescape(one)} = {_text(suite.frame[one][0])}" for one in asked_columns(rule))
    elif rows and "item" in suite.frame:
        observed_text = _counted(suite, rows)
    else:
        observed_text = "" if observed is None else f"observed {_text(observed)}"
    return replace(rule, sentence=f"{rule.sentence} [{rule.place}]" + (f": {observed_text}" if observed_text else ""))


def _counted(suite: Suite, rows: Sequence[int]) -> str:
    items = [str(suite.frame["item"][row]) for row in rows[:_NAMED]]
    shown = ", ".join(repr(shortened(one, _SHOWN)) for one in items)
    return f"{len(rows):,} of {len(suite.frame['item']):,} candidates (first: {shown})"


def _text(value: Any) -> str:
    """A value in a sentence.

    >>> _text(12345), _text(0.123456789), _text(None)
    ('12,345', '0.123457', 'nothing')
    """
    if value is None:
        return "nothing"
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
