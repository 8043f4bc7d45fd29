"""Which columns say yes or no: what classifiers call, and what was true, which nobody may be shown or judged by."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from stratawatch.adapters.sources.column_summary import ColumnSummary, Separation, TableSummary
from stratawatch.config.proposals.column_names import CALL, SCORER, SLICE, SURE_TRUTH, TIME_PART, TRUTH, has_word, stem
from stratawatch.config.proposals.proposal import Choices, TableFacts
from stratawatch.config.proposals.scores import ScoreColumn, numeric_truth
from stratawatch.errors import StratawatchError
from stratawatch.formatting import did_you_mean

MOST_CLASSES: Final = 50
_FEWEST_ROWS: Final = 20
"""Rows on either side of a cut-off that show that a column is what a score is cut at."""

Role = Literal["call", "truth", "unclear"]


@dataclass(frozen=True)
class AnswerColumns:
    """The columns of calls, of truth, and those of which it cannot be told."""

    calls: tuple[str, ...]
    truth: tuple[str, ...]
    unclear: tuple[str, ...]
    remarks: tuple[str, ...]


def answer_candidates(table: TableSummary, taken: set[str]) -> list[ColumnSummary]:
    """The columns of few values that may be answers."""
    return [column for column in table.columns if column.name not in taken and _may_be_an_answer(column)]


def answer_columns(
    facts: TableFacts, choices: Choices, scores: Sequence[ScoreColumn], taken: set[str]
) -> AnswerColumns:
    """What each column of few values is."""
    for name in choices.truth:
        if name in {*choices.calls, *choices.scores}:
            raise StratawatchError(
                f"'{name}' cannot be the answer itself and what a classifier says", hint="choose one"
            )
    for name in choices.calls:
        column = facts.table.column(name)
        if not column.values:
            raise StratawatchError(
                f"'{name}' cannot be a call: it has too many different values",
                expected="1 and 0, true and false, or a few words",
                hint="a score is named by --score COLUMN",
            )
    roles: dict[str, Role | None] = {
        column.name: _role(column, facts, scores) for column in answer_candidates(facts.table, taken)
    }
    for name in choices.calls:
        roles[name] = "call"
    for name in (*numeric_truth(facts.table, choices), *choices.truth):
        roles[name] = "truth"
    calls, truth, unclear = (
        tuple(name for name, role in roles.items() if role == one) for one in ("call", "truth", "unclear")
    )
    _require_yes(facts.table, choices, calls)
    return AnswerColumns(calls, truth, unclear, tuple(_remarks(roles, facts, choices, scores)))


def _require_yes(table: TableSummary, choices: Choices, calls: Sequence[str]) -> None:
    """Refuse a value for yes that no call ever has."""
    values = {name: table.column(name).values for name in calls}
    for said in choices.call_yes:
        column, _, value = said.partition("=")
        of_calls = dict.fromkeys(one for name in calls for one in values[name])
        named = column in values and said not in of_calls
        there, value = (dict.fromkeys(values[column]), value) if named else (of_calls, said)
        who = f"'{column}' never" if named else "no call ever"
        if value not in there:
            raise StratawatchError(
                f"--call-yes: {who} says {value!r}",
                expected=" or ".join(repr(one) for one in list(there)[:10]),
                hint=did_you_mean(value, there),
            )


def cut_off_score(facts: TableFacts, name: str, scores: Iterable[ScoreColumn]) -> ScoreColumn | None:
    """The score that a column of two values is cut from: every row of one value lies above every row of the other."""
    for score in scores:
        found = facts.separations.get((score.name, name), {})
        if len(found) == 2 and _is_cut(found):
            return score
    return None


def _is_cut(found: Mapping[str, Separation]) -> bool:
    low, high = sorted(found.values(), key=lambda one: one.mean)
    return low.largest <= high.smallest and low.smallest < high.largest and low.rows + high.rows >= _FEWEST_ROWS


def _may_be_an_answer(column: ColumnSummary) -> bool:
    if column.is_time or not 1 <= len(column.values) <= MOST_CLASSES:
        return False
    if has_word(column.name, CALL | TRUTH | SURE_TRUTH):
        return column.kind in ("flag", "number", "text")
    return column.says_yes_or_no or (len(column.values) == 2 and _names_no_slice(column))


def _names_no_slice(column: ColumnSummary) -> bool:
    return not has_word(column.name, SLICE | TIME_PART | SCORER)


def _role(column: ColumnSummary, facts: TableFacts, scores: Sequence[ScoreColumn]) -> Role | None:
    """What a column is, by its name first, then by how scores lie beside it; None where it is no answer at all."""
    name = column.name
    if has_word(name, SURE_TRUTH):
        return "truth"
    if has_word(name, CALL):
        return "call" if len(column.values) > 1 or column.says_yes_or_no else "unclear"
    if has_word(name, TRUTH):
        return "truth"
    if cut_off_score(facts, name, scores) is not None:
        return "call"
    of_a_score = stem(name) in {score.stem for score in scores} - {""}
    if of_a_score:
        return "truth"  # a score has its name, and does not decide it
    return "unclear" if column.says_yes_or_no else None


def _remarks(
    roles: Mapping[str, Role | None], facts: TableFacts, choices: Choices, scores: Sequence[ScoreColumn]
) -> Iterable[str]:
    for name, role in roles.items():
        if role == "truth":
            cut = cut_off_score(facts, name, scores)
            but = f" (it goes with a cut-off of '{cut.name}': if it is a call, say --call {name})" if cut else ""
            if not facts.table.column(name).values:
                but = f" (if a classifier says it, --score {name})"
            looks = "is the answer itself" if name in choices.truth else f"looks like the answer itself{but}"
            yield (
                f"'{name}' {looks}, so it stays out: it is no classifier, and people who see "
                "it do not judge for themselves. Once a cycle is open, `stratawatch labels import FILE` takes such "
                "answers, from a CSV with the columns item,value"
            )
        elif role == "unclear":
            yield (
                f"'{name}' says yes or no, and nothing tells whether a classifier says it or it is the answer itself: "
                f"it stays out; if a classifier says it, --call {name}"
            )
