"""Records of rows that were left out, each with its reason in words."""

from collections.abc import Iterator, Sequence
from typing import Any

from stratawatch.adapters.sources.packed_codes import ROW_FLAGS, UNREADABLE
from stratawatch.engine.input.bad_row_reasons import call_key, reason_sentences, score_key
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.quarantined_row import QuarantinedRow


def to_quarantined_row(panel: PanelSpec, names: Sequence[str], row: Sequence[Any]) -> QuarantinedRow:
    """A row of the bad-rows query as a record.

    The query's columns are pattern, flags, item, time, the text of an unreadable time, and the columns of `names`.
    """
    pattern, flags, item, time, unreadable_time, *values = row
    value_of = {"time": unreadable_time, **dict(zip(_keys(panel), values, strict=False))}
    faults, sentences = tuple(_faults(panel, pattern, flags)), reason_sentences(panel)
    content = {
        "time": None if time is None else f"{time.isoformat()}+00:00",
        "columns": dict(zip(names, values, strict=True)),
        "unreadable": {key: value_of[key] for key in faults if value_of.get(key) is not None},
    }
    return QuarantinedRow("prediction", item or "", "; ".join(sentences[key] for key in faults), content)


def _keys(panel: PanelSpec) -> Iterator[str]:
    """Whose calls and scores the query shows, in its order; auxiliary scores, which have no faults, come last."""
    yield from (call_key(one) for one in panel.classifiers if one.call is not None)
    yield from (score_key(one) for one in panel.classifiers if one.score is not None)


def _faults(panel: PanelSpec, pattern: str, flags: str) -> Iterator[str]:
    if flags[0] == UNREADABLE:
        yield "item"
    if flags[1] == UNREADABLE:
        yield "time"
    for i, one in enumerate(panel.classifiers):
        if flags[ROW_FLAGS + i] == UNREADABLE:
            yield score_key(one)
        if pattern[i] == UNREADABLE and one.call is not None:
            yield call_key(one)
