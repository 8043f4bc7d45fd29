"""What every candidate row must fulfil."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from stratawatch.adapters.checks.input_rules import InputRule, Suite, between, frame_column, naive_utc, not_null
from stratawatch.engine.model.cycle_facts import CandidateItem
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.formatting import shortened

_LAST_BIN: Final = 1023
_SHOWN: Final = 60  # characters of an item id in a sentence
_LISTED: Final = 20


def candidate_suite(panel: PanelSpec, window: Window, items: Sequence[CandidateItem]) -> Suite:
    """The candidates as a frame, and its rules; duplicates come first because they are the likely trouble."""
    facts = (
        ("candidates", f"{len(items):,}"),
        ("atoms", f"{len({one.atom for one in items}):,}"),
        ("ids on more than one row", f"{len(repeated(items)):,}"),
    )
    rules = tuple(_rules(panel, window, items))
    return Suite("candidates", "The candidates, row by row", _frame(panel, items), rules, facts)


def repeated(items: Sequence[CandidateItem]) -> dict[str, int]:
    """Item ids that more than one row of the window carries, with the number of rows, most first."""
    copies = {one.item: one.copies for one in items if one.copies > 1}
    return dict(sorted(copies.items(), key=lambda one: (-one[1], one[0])))


def repeated_rows(items: Sequence[CandidateItem]) -> tuple[QuarantinedRow, ...]:
    """The first repeated ids as rows to look at."""
    return tuple(
        QuarantinedRow("prediction", item, f"{copies} rows of the window have this item id", {"copies": copies})
        for item, copies in list(repeated(items).items())[:_LISTED]
    )


def _frame(panel: PanelSpec, items: Sequence[CandidateItem]) -> dict[str, list[Any]]:
    frame: dict[str, list[Any]] = {
        "item": [one.item for one in items],
        "copies": [one.copies for one in items],
        "digest": [one.digest for one in items],
        "pattern": [one.pattern for one in items],
        "bin": [one.bin for one in items],
        "time": [naive_utc(one.time) for one in items],
    }
    for name in panel.columns.payload:
        # Only whether there is something: what labellers see has no place in the check's pages.
        frame[frame_column("payload", name)] = [None if one.payload.get(name) in (None, "") else True for one in items]
        frame[frame_column("length of", name)] = [len(str(one.payload.get(name) or "")) for one in items]
    for name in panel.columns.segments:
        frame[frame_column("segment", name)] = [one.segments.get(name) for one in items]
    for i, classifier in enumerate(panel.classifiers):
        frame[frame_column("call of", classifier.name)] = [one.pattern[i : i + 1] for one in items]
    return frame


def _rules(panel: PanelSpec, window: Window, items: Sequence[CandidateItem]) -> Iterator[InputRule]:
    yield InputRule("ExpectColumnValuesToBeInSet", {"column": "copies", "value_set": [1]}, _repeats(items))
    yield InputRule(
        "ExpectColumnValuesToBeUnique", {"column": "item"}, "the source returned an item twice as a candidate"
    )
    yield not_null("item", "a candidate has no item id")
    letters = len(panel.classifiers) + len(panel.auxiliary)
    for column, regex in (("digest", "^[0-9a-f]{32}$"), ("pattern", f"^[01-]{{{letters}}}$")):
        yield InputRule(
            "ExpectColumnValuesToMatchRegex",
            {"column": column, "regex": regex},
            f"a candidate has a {column} that does not match {regex}",
        )
    yield between("bin", f"a candidate has a bin outside -1 to {_LAST_BIN}", min_value=-1, max_value=_LAST_BIN)
    if panel.columns.ingested is None:
        start, end = naive_utc(window.start), naive_utc(window.end)
        outside = f"a candidate's time lies outside the window {window}"
        yield between("time", outside, min_value=start, max_value=end, strict_max=True)
    for name in panel.columns.payload:
        empty = sum(one.payload.get(name) in (None, "") for one in items)
        sentence = f"payload column '{name}' is empty for {empty:,} of {len(items):,} candidates"
        yield not_null(frame_column("payload", name), sentence, "warning")


def _repeats(items: Sequence[CandidateItem]) -> str:
    copies = repeated(items)
    if not copies:
        return "candidate items appear more than once"
    first, number = next(iter(copies.items()))
    shown = shortened(first, _SHOWN)
    distinct = len({one.item for one in items})
    verb = "appears" if len(copies) == 1 else "appear"
    return (
        f"{len(copies):,} of {distinct:,} candidate items {verb} more than once in the window "
        f"(first: {shown!r}, {number:,} times); duplicates are refused; "
        "remove the repeated rows from the export, name a column that is unique as the item id, "
        'or set duplicates = "latest"'
    )
