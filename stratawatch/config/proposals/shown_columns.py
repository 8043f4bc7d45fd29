"""What people are shown to decide, and what numbers are reported by."""

from dataclasses import dataclass
from typing import Final

from stratawatch.adapters.sources.column_summary import NEARLY_ALL, ColumnSummary, TableSummary
from stratawatch.config.proposals.column_names import (
    CALL,
    ITEM,
    SCORE,
    SCORER,
    SLICE,
    SPOKEN,
    SURE_TRUTH,
    TIME_PART,
    TRUTH,
    has_word,
    word_set,
    words_of,
)
from stratawatch.config.proposals.proposal import Choices, Unsure
from stratawatch.errors import StratawatchError

_TELLING: Final = word_set(
    "reason rationale explanation justification model output response raw weight reviewer moderator analyst agent "
    "note notes resolution action status disposition rule policy violation address phone"
)
"""Words of columns that may say what a model or a person thinks, or who somebody is."""
_NAMED_THINGS: Final = word_set("product item file page")
"""Things whose names may be shown; other names are those of people, or of rules."""
_LONG: Final = 20
MOST_SHOWN: Final = 6
MOST_SEGMENTS: Final = 2
_MOST_SLICES: Final = 12
_SMALLEST_SLICE: Final = 0.02


@dataclass(frozen=True)
class ShownColumns:
    """What labellers see, and what is to be said and asked of it."""

    names: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    unsure: Unsure | None = None


def payload_columns(
    table: TableSummary, choices: Choices, item: str, secret: set[str], taken: set[str]
) -> ShownColumns:
    """What labellers see. Where no column has words, the item's id, by which they look it up elsewhere."""
    for name in choices.payload:
        if name in secret:
            raise StratawatchError(
                f"'{name}' cannot be shown to people: it says what a classifier or somebody else answered",
                hint="name columns by which a person can decide: --payload COLUMN",
            )
    if choices.payload:
        return ShownColumns(tuple(dict.fromkeys(choices.payload)))
    free = [column for column in table.columns if column.name not in secret | taken and not _may_tell(column)]
    shown = [column.name for column in free if _can_be_read(column)]
    if shown:
        left = ", ".join(f"'{name}'" for name in shown[MOST_SHOWN:])
        remark = f"people see only the first {MOST_SHOWN} columns that can be read, without {left}: --payload COLUMN"
        return ShownColumns(tuple(shown[:MOST_SHOWN]), (remark,) if left else ())
    asked = "No column has text, so people would see the id alone. Which columns shall they see to decide?"
    return ShownColumns((item,), unsure=Unsure("payload", asked, item))


def segment_columns(table: TableSummary, choices: Choices, taken: set[str]) -> tuple[str, ...]:
    """Columns of a few values, none of them rare, by which numbers are reported too."""
    if choices.segments:
        return tuple(dict.fromkeys(choices.segments))
    fit = [column for column in table.columns if column.name not in taken and _is_slice(column, table)]
    return tuple(column.name for column in sorted(fit, key=lambda one: not has_word(one.name, SLICE))[:MOST_SEGMENTS])


def _can_be_read(column: ColumnSummary) -> bool:
    if column.links >= NEARLY_ALL * column.filled > 0:
        return True
    if not column.is_text or len(column.values) == 1:
        return False
    is_prose = column.mean_length >= _LONG and column.with_blanks > column.filled / 2
    words = set(words_of(column.name))
    names_a_thing = "name" in words and not words.isdisjoint(_NAMED_THINGS)
    return is_prose or names_a_thing or (not words.isdisjoint(SPOKEN) and words.isdisjoint(ITEM | SLICE))


def _may_tell(column: ColumnSummary) -> bool:
    return has_word(column.name, SCORE | CALL | SURE_TRUTH | TRUTH | _TELLING)


def _is_slice(column: ColumnSummary, table: TableSummary) -> bool:
    """Whether it has few values that are all frequent, and is neither an id, a time, nor a model's."""
    if not 2 <= len(column.values) <= _MOST_SLICES or column.filled < NEARLY_ALL * table.looked_at:
        return False
    if has_word(column.name, ITEM | TIME_PART | SCORER | SCORE | CALL | TRUTH | SURE_TRUTH | _TELLING | {"version"}):
        return False
    if not (column.is_text or has_word(column.name, SLICE)):
        return False
    return min(column.values.values()) >= _SMALLEST_SLICE * sum(column.values.values())
