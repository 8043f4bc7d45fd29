"""Rows to look at: a fair sample of all that cannot be used, with what could not be read."""

from collections import Counter

import pytest

from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.statements import BAD_ROWS_SHOWN
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import write

CLASSIFIERS = (ClassifierSpec("lr", "score", cut_off=0.5),)
MOMENT = START.replace(tzinfo=None).isoformat(sep=" ")
FAULTS: dict[str, tuple[str | None, str | None]] = {
    "the time": ("05/01/2026", ".5"),
    "the score": (MOMENT, "n/a"),
    "the item": (MOMENT, ".5"),
}


def poisoned(each):
    """As many rows of every fault, one kind after the other, and one that is sound."""
    kinds = [kind for kind in FAULTS for _ in range(each)]
    return {
        "id": ("VARCHAR", [None if kind == "the item" else f"i{k}" for k, kind in enumerate(kinds)] + ["sound"]),
        "ts": ("VARCHAR", [FAULTS[kind][0] for kind in kinds] + [MOMENT]),
        "score": ("VARCHAR", [FAULTS[kind][1] for kind in kinds] + [".5"]),
    }


def asked(tmp_path, table, **changes):
    return FilesSource(write(tmp_path / "rows.parquet", table)).census(panel(CLASSIFIERS, **changes), WINDOW)


def kind_of(reason):
    return next(kind for kind in FAULTS if reason.startswith(kind))


class TestExamples:
    def test_are_of_every_fault_that_has_an_id_to_be_drawn_by(self, tmp_path):
        answer = asked(tmp_path, poisoned(200))
        found = Counter(kind_of(row.reason) for row in answer.bad_rows)
        assert answer.profile.bad_rows == 600
        assert found.total() == BAD_ROWS_SHOWN
        assert min(found["the time"], found["the score"]) >= BAD_ROWS_SHOWN // 5

    def test_without_an_id_come_after_the_others(self, tmp_path):
        kinds = [kind_of(row.reason) for row in asked(tmp_path, poisoned(5)).bad_rows]
        assert kinds[10:] == ["the item"] * 5
        assert "the item" not in kinds[:10]

    def test_say_what_could_not_be_read(self, tmp_path):
        found = {kind_of(row.reason): row.unreadable for row in asked(tmp_path, poisoned(3)).bad_rows}
        assert found == {"the time": {"time": "05/01/2026"}, "the score": {"score of lr": "n/a"}, "the item": {}}

    @pytest.mark.parametrize(
        ("time", "arrived", "shown"),
        [("soon", MOMENT, "soon"), (MOMENT, "late", "late"), ("soon", None, None), (None, MOMENT, None)],
    )
    def test_by_arrival_the_one_of_both_that_is_wrong_is_shown(self, tmp_path, time, arrived, shown):
        table = {
            "id": ("VARCHAR", ["a"]),
            "ts": ("VARCHAR", [time]),
            "loaded": ("VARCHAR", [arrived]),
            "score": ("DOUBLE", [0.5]),
        }
        (row,) = asked(tmp_path, table, columns=Columns("id", "ts", ingested="loaded")).bad_rows
        assert row.unreadable == ({} if shown is None else {"time": shown})
