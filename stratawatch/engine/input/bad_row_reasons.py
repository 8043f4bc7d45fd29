"""Why rows of a window cannot be used: every fault in words, and how many rows have it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import ClassifierSpec, PanelSpec
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.formatting import percent

SHOWN: Final = 40
"""Characters of an example that people are shown."""


@dataclass(frozen=True)
class BadRowReason:
    """One thing that makes rows unfit. `key` finds the value that could not be read in a bad row's content.

    `what` is it in short, of the classifier `of` where it is one's.
    """

    key: str
    reason: str
    what: str
    of: str = ""
    rows: int = 0

    @property
    def short(self) -> str:
        """The fault behind a number of rows."""
        return _short(self.what, [self.of])


def _short(what: str, names: Sequence[str]) -> str:
    listed = ", ".join(f"'{name}'" for name in names if name)
    return f"{what} of {listed}" if listed else what


def reason_sentences(panel: PanelSpec) -> dict[str, str]:
    """The sentence of everything that can be wrong with a row, by its key."""
    columns = panel.columns
    times = f"'{columns.time}'" if columns.ingested is None else f"'{columns.time}' or '{columns.ingested}'"
    found = {
        "item": f"the item id in '{columns.item}' is missing",
        "time": f"the time in {times} is missing or unreadable",
    }
    for one in panel.classifiers:
        expected = "a probability in [0, 1]" if one.score_kind == "probability" else "a finite number"
        found[score_key(one)] = f"the score of '{one.name}' in '{one.score}' is not {expected}"
        fault = "neither yes nor no, true nor false, 1 nor 0" if one.call_yes is None else "not a finite number"
        found[call_key(one)] = f"the call of '{one.name}' in '{one.call}' is {fault}"
    return found


def score_key(one: ClassifierSpec) -> str:
    """The key of an unreadable score."""
    return f"score of {one.name}"


def call_key(one: ClassifierSpec) -> str:
    """The key of an unreadable call."""
    return f"call of {one.name}"


def bad_row_reasons(panel: PanelSpec, profile: InputProfile) -> tuple[BadRowReason, ...]:
    """The reasons that rows of a window cannot be used, the most frequent first. A row may have several."""
    said = reason_sentences(panel)
    counted = _counted(panel, profile)
    found = [BadRowReason(key, said[key], what, of, rows) for key, what, of, rows in counted if rows > 0]
    return tuple(sorted(found, key=lambda fault: -fault.rows))


def _counted(panel: PanelSpec, profile: InputProfile) -> Iterator[tuple[str, str, str, int]]:
    others = profile.null_items
    yield "item", "without an item id", "", profile.null_items
    for one in panel.classifiers:
        column = profile.columns[one.name]
        yield score_key(one), "with an unreadable score", one.name, column["score_invalid"]
        others += column["score_invalid"]
        if one.call is not None:  # else the call is made from the score, and both are one fault
            yield call_key(one), "with an unreadable call", one.name, column["invalid"]
            others += column["invalid"]
    # An older program did not count them: the rest is the fewest that must lack a time.
    untimed = profile.bad_rows - others if profile.null_times is None else profile.null_times
    yield "time", "without a readable time", "", untimed


def summary(panel: PanelSpec, profile: InputProfile, bad_rows: Sequence[QuarantinedRow] = ()) -> str:
    """All faults of a window in one line, each with a value that could not be read where one is at hand.

    What as many rows of several classifiers have is said once, with their names.
    """
    names: dict[tuple[int, str, str | None], list[str]] = {}
    for fault in bad_row_reasons(panel, profile):
        names.setdefault((fault.rows, fault.what, example(fault, bad_rows)), []).append(fault.of)
    return ", ".join(
        f"{rows:,} {_short(what, several)}{example_clause(value)}" for (rows, what, value), several in names.items()
    )


def examples_text(panel: PanelSpec, profile: InputProfile, bad_rows: Sequence[QuarantinedRow]) -> str:
    """A value for each fault that could not be read, where one is at hand; empty without."""
    names: dict[tuple[str, str], list[str]] = {}
    for fault in bad_row_reasons(panel, profile):
        value = example(fault, bad_rows)
        if value is not None:
            names.setdefault((fault.what, value), []).append(fault.of)
    return ", ".join(f"{quoted(value)} in a row {_short(what, several)}" for (what, value), several in names.items())


def example(fault: BadRowReason, bad_rows: Sequence[QuarantinedRow]) -> str | None:
    """A value that could not be read, as the source has it."""
    return next(iter(unreadable_values(fault.key, bad_rows)), None)


def unreadable_values(key: str, bad_rows: Sequence[QuarantinedRow]) -> list[str]:
    """What the source has where this could not be read, each value once, in the order of the rows."""
    return list(dict.fromkeys(row.unreadable[key] for row in bad_rows if key in row.unreadable))


def example_clause(value: str | None) -> str:
    """A value for people, behind a sentence.

    >>> example_clause("05/01/2026"), example_clause(None)
    (" (such as '05/01/2026')", '')
    """
    return "" if value is None else f" (such as {quoted(value)})"


def quoted(value: str) -> str:
    """A value for people: escaped and cut short.

    >>> quoted("x" * 50)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'"
    """
    return repr(value if len(value) <= SHOWN else f"{value[: SHOWN - 1]}…")


def exceeds_max_share(panel: PanelSpec, profile: InputProfile) -> bool:
    """Whether a window is refused for its bad rows."""
    return profile.bad_rows > panel.max_bad_row_share * profile.rows


def refusal_sentence(panel: PanelSpec, profile: InputProfile) -> str:
    """The sentence that refuses a window for its bad rows, with what to do about it.

    It is sent to channels, and holds no value of a row.
    """
    share = profile.bad_rows / profile.rows if profile.rows else 0.0
    sentence = (
        f"{profile.bad_rows:,} of {profile.rows:,} rows ({percent(share)}) cannot be used, more than the "
        f"{percent(panel.max_bad_row_share)} that may be set aside: {summary(panel, profile)}"
    )
    return "; ".join(words for words in (sentence, advice(panel, profile)) if words)


def missing_scores_sentence(panel: PanelSpec, one: ClassifierSpec, profile: InputProfile) -> str:
    """The sentence that refuses a window because a classifier's scores are missing, with what to do about it."""
    missing = profile.columns[one.name]["score_nulls"]
    share = missing / profile.rows if profile.rows else 0.0
    return (
        f"{missing:,} of {profile.rows:,} rows ({percent(share)}) have no score of '{one.name}' in column "
        f"'{one.score}' (null or NaN), more than the {percent(panel.missing_score_cap)} that may lack one: restore "
        f"them in the export, or, where '{one.name}' need not score every row, raise max_missing_score_share of panel "
        f"'{panel.name}'"
    )


def advice(panel: PanelSpec, profile: InputProfile) -> str:
    """What to do about rows without a time, where the window would pass but for them; else nothing."""
    untimed = profile.null_times or 0
    if not untimed or profile.bad_rows - untimed > panel.max_bad_row_share * profile.rows:
        return ""
    return (
        "rows without a time belong to no window and count in each one, whatever their age: mend them, leave them out "
        f"of the source (by a view, say), or raise max_bad_row_share of panel '{panel.name}'"
    )
