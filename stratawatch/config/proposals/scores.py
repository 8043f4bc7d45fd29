"""Which columns are scores, and on which scale."""

from dataclasses import dataclass
from typing import Final

from stratawatch.adapters.sources.column_summary import NEARLY_ALL, ColumnSummary, TableSummary
from stratawatch.config.proposals.column_names import (
    CALL,
    MARGIN,
    SCORE,
    SCORER,
    SLICE,
    SURE_TRUTH,
    TIME_PART,
    TRUTH,
    has_word,
    says_yes,
    stem,
    words_of,
)
from stratawatch.config.proposals.proposal import Choices
from stratawatch.engine.input.score_scale import looks_like_percentages
from stratawatch.engine.model.panel_spec import ScoreKind
from stratawatch.errors import StratawatchError

_SURE: Final = 0.998
"""The share of numbers from 0 to 1 that makes a score a probability: some windows have more of the others."""
_MANY: Final = 20
"""Different numbers from 0 to 1 that make a column without a telling name a score."""

_PROBABILITY_OF: Final = (("p",), ("prob",), ("proba",), ("probability",))


@dataclass(frozen=True)
class ScoreColumn:
    """A score with its scale, and what its name leaves beside the words for a score."""

    name: str
    kind: ScoreKind
    stem: str

    @property
    def cut_off(self) -> float:
        """Where it is undecided."""
        return 0.5 if self.kind == "probability" else 0.0


def score_columns(table: TableSummary, choices: Choices, taken: set[str]) -> tuple[list[ScoreColumn], list[str]]:
    """The scores in the table's order, and why others that look like one are none."""
    taken = taken | {*choices.truth, *numeric_truth(table, choices)}
    free = [column for column in table.columns if column.name not in taken and _is_varied_number(column)]
    chosen = [table.column(name) for name in choices.scores]
    named = chosen or [column for column in free if has_word(column.name, SCORE) or _is_decision(column)]
    if not named:
        calls = {stem(column.name) for column in table.columns if column.values and has_word(column.name, CALL)}
        free = [column for column in free if not calls or stem(column.name) in calls]  # others are features
        named = [
            column for column in free if column.is_probability and column.distinct > _MANY and not _is_whole(column)
        ]
    found, remarks = [], []
    for column in named:
        kind, why_not = _kind(column)
        word_of = None if chosen else _said_beside(column, table, choices)
        if kind is not None and word_of is not None:
            kind, why_not = (
                None,
                (
                    f"it is never below 0.5 beside the words of '{word_of}', so it is how sure they are: export the "
                    f"probability of yes instead, or say --call {word_of}, or "
                    f"--score {column.name} if it grows towards yes"
                ),
            )
        if kind is not None:
            found.append(ScoreColumn(column.name, kind, stem(column.name)))
            if column.not_finite:
                count = f"{column.not_finite:,} of {table.looked_at:,} rows that were looked at"
                remedy = "such rows cannot be used; export no value where there is no score"
                remarks.append(f"'{column.name}' is no finite number in {count}: {remedy}")
        elif column.name in choices.scores:
            raise StratawatchError(f"'{column.name}' cannot be a score: {why_not}")
        else:
            remarks.append(f"'{column.name}' stays out: {why_not}")
    return found, remarks


def numeric_truth(table: TableSummary, choices: Choices) -> list[str]:
    """Columns of numbers that are called the answer itself, such as human_score or a target from 0 to 1."""
    chosen = {*choices.scores, *choices.calls, *choices.truth}
    return [column.name for column in table.columns if column.name not in chosen and _is_numeric_truth(column)]


def _is_numeric_truth(column: ColumnSummary) -> bool:
    if not _is_varied_number(column):
        return False
    first, has_scale = words_of(column.name)[:1], has_word(column.name, SCORE) or column.is_probability
    if has_word(column.name, SURE_TRUTH):
        return has_scale and first not in _PROBABILITY_OF  # p_true and prob_human are what a model says
    is_soft = column.is_probability and column.distinct > _MANY and not _is_whole(column)
    return is_soft and has_word(column.name, TRUTH) and not has_word(column.name, SCORE | CALL)


def _said_beside(column: ColumnSummary, table: TableSummary, choices: Choices) -> str | None:
    """The column of words that a score is the confidence of, as it is never below .5."""
    if not column.is_probability or column.smallest is None or column.smallest < 0.5:
        return None
    words = [one for one in table.columns if one.is_text and len(one.values) >= 2 and one.name not in choices.truth]
    return next((one.name for one in words if _says_what(one)), None)


def _says_what(column: ColumnSummary) -> bool:
    """Whether its words are what a classifier says, by its name or by the words."""
    if has_word(column.name, SLICE | TIME_PART | SCORER | SURE_TRUTH):
        return False
    return has_word(column.name, CALL | TRUTH) or any(says_yes(value) is not None for value in column.values)


def _is_varied_number(column: ColumnSummary) -> bool:
    """Whether it holds numbers other than 0 and 1 alone."""
    return column.is_numeric and column.distinct > 1 and not column.says_yes_or_no


def _is_decision(column: ColumnSummary) -> bool:
    """Whether it holds what is called a decision, and many different numbers: the distance from a border."""
    return has_word(column.name, CALL) and column.distinct > _MANY and not _is_whole(column)


def _is_whole(column: ColumnSummary) -> bool:
    return "INT" in column.type_name.upper()


def _kind(column: ColumnSummary) -> tuple[ScoreKind | None, str]:
    """The scale by the values, or why none fits."""
    if not column.is_numeric or column.smallest is None or column.largest is None:
        return None, "it holds no numbers"
    if "confidence" in words_of(column.name) and column.smallest >= 0.5:
        return None, "it is never below 0.5, so it is how sure the call is, and no score that grows towards yes"
    if column.in_unit >= _SURE * column.numbers:
        return "probability", ""
    if column.smallest < 0 or has_word(column.name, MARGIN):
        return "margin", ""
    small, large = f"{column.smallest:g}", f"{column.largest:g}"
    share = column.in_unit / column.numbers
    few = f"; {share:.0%} of them are from 0 to 1" if share > 1 - 10 * (1 - NEARLY_ALL) else ""
    if looks_like_percentages(column.smallest, column.largest):
        return None, f"its numbers go from {small} to {large}{few}, which looks like percentages: divide by 100"
    return None, (
        f"its numbers go from {small} to {large}{few}, which is neither a probability (0 to 1) nor a margin around 0; "
        "export it as one of these"
    )
