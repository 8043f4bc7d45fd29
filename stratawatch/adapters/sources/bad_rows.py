"""Rows that were left out, each with its reason in words."""

from collections.abc import Iterator, Sequence
from typing import Any

from stratawatch.adapters.sources.words import ROW_MARKS, UNREADABLE
from stratawatch.engine.records import BadRow, PanelSpec


def bad_row(panel: PanelSpec, names: Sequence[str], row: Sequence[Any]) -> BadRow:
    """From a row of the bad-rows query: pattern, marks, item, time, then what the source had in `names`."""
    pattern, marks, item, time, *given = row
    content = {
        "time": None if time is None else f"{time.isoformat()}+00:00",
        "columns": dict(zip(names, given, strict=True)),
    }
    return BadRow("prediction", item or "", "; ".join(_reasons(panel, pattern, marks)), content)


def _reasons(panel: PanelSpec, pattern: str, marks: str) -> Iterator[str]:
    if marks[0] == UNREADABLE:
        yield f"the item id in '{panel.columns.item}' is missing"
    if marks[1] == UNREADABLE:
        columns = panel.columns
        where = f"'{columns.time}'" if columns.ingested is None else f"'{columns.time}' or '{columns.ingested}'"
        yield f"the time in {where} is missing or unreadable"
    for i, one in enumerate(panel.classifiers):
        if marks[ROW_MARKS + i] == UNREADABLE:
            wanted = "a probability in [0, 1]" if one.score_kind == "probability" else "a finite number"
            yield f"the score of '{one.name}' in '{one.score}' is not {wanted}"
        if pattern[i] == UNREADABLE and one.positive is not None:
            yield f"the call of '{one.name}' in '{one.positive}' is neither 0, 1, true nor false"
