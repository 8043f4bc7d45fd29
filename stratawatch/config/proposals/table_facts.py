"""Ask a table for what a proposal rests on, and for no more."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, Protocol

from stratawatch.adapters.sources.column_summary import Separation, TableSummary, TimeRange
from stratawatch.config.proposals.answers import answer_candidates
from stratawatch.config.proposals.class_scores import groups_that_may_add_up
from stratawatch.config.proposals.column_names import SURE_TRUTH, has_word, stem
from stratawatch.config.proposals.items import item_candidates, item_columns, scorer_candidates
from stratawatch.config.proposals.proposal import Choices, TableFacts
from stratawatch.config.proposals.scores import ScoreColumn, score_columns
from stratawatch.config.proposals.windows import schedule_of, time_column
from stratawatch.errors import StratawatchError
from stratawatch.formatting import did_you_mean

MOST_PAIRS: Final = 400
"""Scores beside columns of calls that are compared."""


class Look(Protocol):
    """An open look at a table."""

    @property
    def summary(self) -> TableSummary:
        """What every column holds."""

    def time_range(self, name: str) -> TimeRange | None:
        """The first and the last time of a column."""

    def copies(self, key: Sequence[str], time: str, start: datetime, every: timedelta, newest: datetime) -> int:
        """The rows beyond the first that share these columns' values in one window."""

    def values(self, name: str) -> dict[str, int]:
        """Every value of a column in all rows; none where there are too many."""

    def separations(self, score: str, by: str, *, in_all_rows: bool = False) -> dict[str, Separation]:
        """How a score lies for each value of another column, in all rows or in those that were looked at."""

    def share_that_adds_up_to_one(self, names: Sequence[str]) -> float:
        """In which share of rows these numbers add up to 1."""


def table_facts(look: Look, choices: Choices) -> TableFacts:
    """Everything that `propose` needs to know. Raises where a column that was named is not there."""
    table = look.summary
    for option, name in choices.columns():
        if name not in table.names:
            raise StratawatchError(
                f"--{option}: there is no column '{name}'",
                expected=", ".join(table.names[:40]),
                hint=did_you_mean(name, table.names),
            )
    time, _ = time_column(table, choices)
    times = look.time_range(time)
    if times is None:
        raise StratawatchError(
            f"no time in '{time}' lies in the years 1971 to 2199", hint="name another column: --time COLUMN"
        )
    copies = _copies(look, choices, time, times)
    facts = TableFacts(table, {time: times}, copies)
    columns = item_columns(facts, choices)
    taken = {name for name in (columns.item, time, columns.classifier) if name is not None}
    scores, _ = score_columns(table, choices, taken)
    told = _telling(table, choices, taken | {score.name for score in scores}, columns.classifier)
    whole = _with_all_values(look, table, told)
    separations = {
        (score, by): look.separations(score, by)
        for score, by in _pairs(table, choices, scores, taken, columns.classifier)
    }
    for score in scores if columns.classifier is not None else ():
        pair = (score.name, str(columns.classifier))
        if separations[pair].keys() != set(whole.column(pair[1]).values):  # the rows looked at lack some
            separations[pair] = look.separations(*pair, in_all_rows=True) | separations[pair]
    groups = groups_that_may_add_up(scores) if columns.classifier is None else []
    sums = {group: look.share_that_adds_up_to_one(group) for group in groups}
    return TableFacts(whole, {time: times}, copies, separations, sums)


def _telling(table: TableSummary, choices: Choices, taken: set[str], scorer: str | None) -> list[str]:
    """Columns of which each value counts: whose row it is, and calls."""
    calls = [one.name for one in answer_candidates(table, taken) if not has_word(one.name, SURE_TRUTH)]
    return list(dict.fromkeys([*([] if scorer is None else [scorer]), *choices.calls, *calls]))


def _with_all_values(look: Look, table: TableSummary, names: Sequence[str]) -> TableSummary:
    """The table with the values that these columns have in all rows, and not only in those that were looked at."""
    if table.looked_at == table.rows:
        return table
    columns = tuple(replace(one, values=look.values(one.name)) if one.name in names else one for one in table.columns)
    return replace(table, columns=columns)


def _copies(look: Look, choices: Choices, time: str, times: TimeRange) -> dict[tuple[str, ...], int]:
    """How often ids repeat: of each candidate until one never does, else together with whose row it is."""
    schedule, table = schedule_of(times, choices.every), look.summary
    window = (time, schedule.start, schedule.every, schedule.newest)
    found = dict[tuple[str, ...], int]()
    candidates = item_candidates(table, choices)
    scorers = scorer_candidates(table)
    for key in [*((one,) for one in candidates), *((one, by) for by in scorers for one in candidates)]:
        found[key] = look.copies(key, *window)
        if not found[key]:
            break
    return found


def _pairs(
    table: TableSummary, choices: Choices, scores: Sequence[ScoreColumn], taken: set[str], scorer: str | None
) -> list[tuple[str, str]]:
    """Scores beside columns of few values: those of the same name, or all where none has it."""
    pairs = [] if scorer is None else [(score.name, scorer) for score in scores]
    answers = answer_candidates(table, taken | {score.name for score in scores})
    names = dict.fromkeys([*choices.calls, *(one.name for one in answers)])
    for name in names:
        same = [score.name for score in scores if score.stem and score.stem == stem(name)]
        pairs += [(score, name) for score in same or [score.name for score in scores]]
    return pairs[:MOST_PAIRS]
