"""The candidates that broke an expectation of the user's: named in its sentence, kept when it refuses the window."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from stratawatch.adapters.checks.rules import Rule, Suite
from stratawatch.adapters.checks.validation import Validated
from stratawatch.engine.records import BadRow

_NAMED: Final = 3
_LISTED: Final = 20
_SHOWN: Final = 60  # characters of an item id in a sentence


def named(suite: Suite, validated: Validated) -> Validated:
    """The same result; sentences on rows say how many broke them, and the first of those."""
    rules = tuple(_with_rows(suite, rule, validated.rows.get(i, ())) for i, rule in enumerate(validated.failed))
    return replace(validated, failed=rules)


def broken_rows(suite: Suite, validated: Validated) -> tuple[BadRow, ...]:
    """The first rows that broke each critical expectation of the user's."""
    return tuple(_broken(suite, validated))


def _broken(suite: Suite, validated: Validated) -> Iterator[BadRow]:
    for i, rule in enumerate(validated.failed):
        if rule.place and rule.severity == "critical" and "item" in suite.frame:
            for row in validated.rows.get(i, ())[:_LISTED]:
                yield BadRow("prediction", str(suite.frame["item"][row]), f"it breaks {rule.place}")


def _with_rows(suite: Suite, rule: Rule, rows: Sequence[int]) -> Rule:
    if not rule.place:
        return rule
    sentence = f"{rule.sentence} [{rule.place}]"
    if rows and "item" in suite.frame:
        items = [str(suite.frame["item"][row]) for row in rows[:_NAMED]]
        shown = ", ".join(repr(one if len(one) <= _SHOWN else f"{one[:_SHOWN]}...") for one in items)
        sentence += f": {len(rows):,} of {len(suite.frame['item']):,} candidates (first: {shown})"
    return replace(rule, sentence=sentence)
