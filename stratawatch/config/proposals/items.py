"""Which column is the item, and whether a table has a row for each item or for each item and classifier."""

from dataclasses import dataclass
from typing import Final

from stratawatch.adapters.sources.column_summary import NEARLY_ALL, ColumnSummary, TableSummary
from stratawatch.config.proposals.column_names import CALL, ITEM, SCORE, SCORER, SPOKEN, has_word, words_of
from stratawatch.config.proposals.proposal import Choices, TableFacts, Unsure
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

MOST_TRIED: Final = 4
_MOST_SCORERS: Final = 40
_FEW: Final = 0.01
"""The share of rows that may repeat an item where no column tells them apart."""


@dataclass(frozen=True)
class ItemColumns:
    """The item, and in a long table the column that says whose row it is."""

    item: str
    classifier: str | None = None
    unsure: Unsure | None = None
    remark: str = ""
    """What is to be said where a few rows repeat an item, of which the newest counts."""


def item_candidates(table: TableSummary, choices: Choices) -> list[str]:
    """The columns that may name items, the likeliest first."""
    if choices.item is not None:
        return [choices.item]
    taken = {name for option, name in choices.columns() if option not in ("payload", "segment")}
    fit = [column for column in table.columns if column.name not in taken and _may_name_items(column, table)]
    return [column.name for column in sorted(fit, key=lambda column: _rank(column, table))[:MOST_TRIED]]


def scorer_candidates(table: TableSummary) -> list[str]:
    """The columns that may say whose row it is in a long table, the likeliest first."""
    fit = [
        column.name
        for column in table.columns
        if column.kind == "text"
        and 2 <= len(column.values) <= _MOST_SCORERS
        and column.filled == table.looked_at
        and has_word(column.name, SCORER)
        and not has_word(column.name, SCORE | CALL)
    ]
    return fit[:2]


def item_columns(facts: TableFacts, choices: Choices) -> ItemColumns:
    """Choose the item by how often its values repeat in a window; raises with what to do where all repeat."""
    candidates = item_candidates(facts.table, choices)
    if not candidates:
        raise StratawatchError(
            "no column names the items",
            expected="a column with another value in each row, such as message_id",
            hint="add one to the export, or say which it is: --item COLUMN",
        )
    unique = [name for name in candidates if facts.copies.get((name,)) == 0]
    if unique:
        return ItemColumns(unique[0], unsure=_unsure(unique, candidates, facts))
    for scorer in scorer_candidates(facts.table):
        for name in candidates:
            if facts.copies.get((name, scorer)) == 0:
                return ItemColumns(name, scorer)
    best, copies = candidates[0], facts.copies.get((candidates[0],), 0)
    if copies < _FEW * facts.table.rows:
        remark = f"ids in '{best}' repeat within a window in {count_text(copies, 'row')} of {facts.table.rows:,}"
        return ItemColumns(best, remark=f'{remark}: duplicates = "latest" takes the newest row of each item')
    raise _repeated(facts, candidates[0])


def _unsure(unique: list[str], candidates: list[str], facts: TableFacts) -> Unsure | None:
    best = facts.table.column(unique[0])
    if len(candidates) == 1 or has_word(best.name, ITEM):
        return None
    return Unsure("item", "Which column names the items?", best.name)


def _may_name_items(column: ColumnSummary, table: TableSummary) -> bool:
    """Whether values are of the right kind, always there, and many."""
    if column.kind not in ("text", "number") or column.is_time or column.filled < NEARLY_ALL * table.looked_at:
        return False
    if column.kind == "number" and column.type_name.upper().startswith(("DOUBLE", "FLOAT", "REAL", "DECIMAL")):
        return False
    if has_word(column.name, SCORE | CALL) or (column.is_probability and column.distinct > 2):
        return False
    if has_word(column.name, SPOKEN | {"name"}) and not has_word(column.name, ITEM):
        return column.with_blanks == 0 and _rank(column, table)[1] == 0
    return has_word(column.name, ITEM) or column.distinct > 0.5 * column.filled


def _rank(column: ColumnSummary, table: TableSummary) -> tuple[int, int, int]:
    """Likelier items first: named id or item id, then different in each row, then in the table's order."""
    words = words_of(column.name)
    plain = words in (("id",), ("item", "id"), ("item",), ("uuid",), ("guid",))
    by_name = 0 if plain else 1 if set(words) & ITEM else 2
    repeats = int(column.distinct < 0.8 * column.filled)  # the number of different values is an estimate
    return repeats, by_name, table.names.index(column.name)


def _repeated(facts: TableFacts, name: str) -> StratawatchError:
    copies = facts.copies.get((name,), 0)
    return StratawatchError(
        f"{copies:,} rows repeat the id of another row of their window in '{name}'",
        expected="one row an item, or in a long table one an item and classifier, with a column such as `model`",
        hint="export only the newest row of each item, or name the column that tells rows apart: --item COLUMN",
    )
