"""Rows that were left out, each with its reason in words."""

from collections.abc import Iterator, Sequence
from typing import Any

from stratawatch.adapters.sources.packed_codes import ROW_MARKS, UNREADABLE
from stratawatch.engine.input.bad_row_reasons import call_key, reason_sentences, score_key
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.quarantined_row import QuarantinedRow


def bad_row(panel: PanelSpec, names: Sequence[str], row: Sequence[Any]) -> QuarantinedRow:
    """From a row of the bad-rows query: pattern, marks, item, time, its text if unreadable, what `names` hold."""
    pattern, marks, item, time, unread, *given = row
    said = {"time": unread, **dict(zip(_keys(panel), given, strict=False))}
    found, words = tuple(_faults(panel, pattern, marks)), reason_sentences(panel)
    content = {
        "time": None if time is None else f"{time.isoformat()}+00:00",
        "columns": dict(zip(names, given, strict=True)),
        "unreadable": {key: said[key] for key in found if said.get(key) is not None},
    }
    return QuarantinedRow("prediction", item or "", "; ".join(words[key] for key in found), content)


def _keys(panel: PanelSpec) -> Iterator[str]:
    """Whose calls and scores the query shows, in its order; auxiliary scores, which have no faults, come last."""
    yield from (call_key(one) for one in panel.classifiers if one.call is not None)
    yield from (score_key(one) for one in panel.classifiers if one.score is not None)


def _faults(panel: PanelSpec, pattern: str, marks: str) -> Iterator[str]:
    if marks[0] == UNREADABLE:
        yield "item"
    if marks[1] == UNREADABLE:
        yield "time"
    for i, one in enumerate(panel.classifiers):
        if marks[ROW_MARKS + i] == UNREADABLE:
            yield score_key(one)
        if pattern[i] == UNREADABLE and one.call is not None:
            yield call_key(one)
