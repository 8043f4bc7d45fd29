"""Which value of a column of calls means yes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from stratawatch.adapters.sources.column_summary import ColumnSummary, Separation
from stratawatch.config.proposals.column_names import says_yes
from stratawatch.config.proposals.proposal import Choices, Unsure


@dataclass(frozen=True)
class YesValue:
    """The value; None where values say yes and no by themselves."""

    value: str | None
    unsure: Unsure | None = None
    remark: str = ""


def yes_value(column: ColumnSummary, choices: Choices, by_score: Mapping[str, Separation]) -> YesValue:
    """The value that means yes: the one that was chosen, that a score speaks for, or that has a telling word."""
    values = list(column.values)
    said = choices.yes_of(column.name, values)
    if said is not None:
        return YesValue(said, remark=_spellings(column, said))
    if column.says_yes_or_no:
        return YesValue(None)
    chosen, is_sure = _likeliest(column, by_score)
    listed = ", ".join(f"'{value}' ({rows:,})" for value, rows in list(column.values.items())[:8])
    asked = f"Which value of '{column.name}' means yes: {listed}?"
    return YesValue(
        chosen, None if is_sure else Unsure("call-yes", asked, chosen, column.name), _spellings(column, chosen)
    )


def _likeliest(column: ColumnSummary, by_score: Mapping[str, Separation]) -> tuple[str, bool]:
    """The likeliest value, and whether that is more than a guess."""
    values = [value for value in column.values if not (column.is_numeric and not _is_finite(value))]
    scored = {value: by_score[value].mean for value in values if value in by_score}
    if len(values) == 2 and len(scored) == 2:
        low, high = sorted(scored, key=lambda value: scored[value])
        if scored[high] > scored[low]:
            return high, True
    if column.is_numeric and values:
        return max(values, key=float), len(values) == 2
    sure = sure_word(values)
    if sure is not None:
        return sure, True
    positive = [value for value in values if says_yes(value)]
    other = [value for value in values if says_yes(value) is not False]
    return (positive or other or list(column.values))[-1], False


def sure_word(values: Sequence[str]) -> str | None:
    """The one value that says yes, or the only one beside those that say no; None where neither is there.

    >>> sure_word(["ham", "spam"]), sure_word(["ham", "junk mail"]), sure_word(["a", "b"]), sure_word(["a"])
    ('spam', 'junk mail', None, None)
    """
    positive = [value for value in values if says_yes(value)]
    other = [value for value in values if says_yes(value) is not False]
    if len(positive) == 1:
        return positive[0]
    return other[0] if len(other) == 1 < len(values) else None


def _is_finite(value: str) -> bool:
    try:
        return isfinite(float(value))
    except ValueError:  # a few texts among numbers
        return False


def _spellings(column: ColumnSummary, chosen: str) -> str:
    alike = [value for value in column.values if value != chosen and value.strip().lower() == chosen.strip().lower()]
    if not alike:
        return ""
    listed = ", ".join(repr(value) for value in alike)
    return f"'{column.name}' also says {listed}, which counts as no: exactly {chosen!r} means yes"
