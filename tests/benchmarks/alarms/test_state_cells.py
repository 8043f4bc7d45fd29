"""How often metrics are OK: rows of both worlds, and the lines that decide."""

import pytest

from benchmarks.alarms import state_cells
from benchmarks.alarms.frozen_weeks import METRICS
from benchmarks.alarms.state_cells import INSIDE, MOST_OK, STATE_CELLS, state_rows, state_verdicts


@pytest.mark.parametrize("cell", STATE_CELLS)
def test_the_further_inside_its_limit_a_metric_stands_the_more_often_it_is_ok(cell, monkeypatch):
    monkeypatch.setattr(state_cells, "ITEMS", 4_000)
    monkeypatch.setattr(state_cells, "LABELS", 300)
    monkeypatch.setattr(state_cells, "WEEKS", 3)
    monkeypatch.setattr(state_cells, "AFTER", 1)
    rows = list(state_rows(cell, 1, 1))
    assert {row["who stays"] for row in rows} == {STATE_CELLS[cell].name}
    for metric in METRICS:
        ok = [row["OK"] for row in rows if row.get("states") == metric]
        assert len(ok) == len(INSIDE)
        assert ok == sorted(ok, reverse=True)
        assert ok[0] > ok[-1]
    assert [row["fall of"] for row in rows if "fall of" in row] == list(METRICS)
    held = {verdict.name.split(":")[0] for verdict in state_verdicts(rows)}
    assert held == {f"states where {STATE_CELLS[cell].name}"}


def row(ok: float, inside: int) -> dict[str, object]:
    return {"states": "precision", "who stays": "none stay", "points inside": inside, "OK": ok, "changes a year": 0.0}


@pytest.mark.parametrize("inside", MOST_OK)
def test_a_metric_that_is_ok_too_often_where_it_is_not_inside_breaks_its_line(inside):
    most = MOST_OK[inside]
    [held, broken] = state_verdicts([row(most, inside), row(most + 0.001, inside)])
    assert held.kind == broken.kind == "must"
    assert held.holds
    assert not broken.holds
