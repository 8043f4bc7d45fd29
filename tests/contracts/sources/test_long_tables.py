"""A table with a row for each item and classifier gives what a table with a row for each item gives."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.postgres_table import PostgresSource
from stratawatch.adapters.sources.sql_source import SqlSource
from stratawatch.core.population import NO_BIN, Atom
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, Columns, PanelSpec, Window
from stratawatch.errors import InputRefused
from tests.support.predictions import golden_draw as golden
from tests.support.predictions.long_golden import LONG_GOLDEN, turned
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import Table, write, write_postgres

NAIVE = START.replace(tzinfo=None)
TWO = panel(
    (ClassifierSpec("lr", "score", call="call"), ClassifierSpec("svm", "score", cut_off=0.5, called="svm-3")),
    columns=Columns("id", "ts", ("body",), ("lang",), classifier="model"),
)
Row = tuple[Any, ...]


def rows(*given: Row) -> Table:
    """Rows of id, model, score, call, and hours after the window began."""
    return {
        "id": ("VARCHAR", [row[0] for row in given]),
        "ts": ("TIMESTAMP", [None if row[4] is None else NAIVE + timedelta(hours=row[4]) for row in given]),
        "model": ("VARCHAR", [row[1] for row in given]),
        "score": ("DOUBLE", [row[2] for row in given]),
        "call": ("BOOLEAN", [row[3] for row in given]),
        "lang": ("VARCHAR", ["de"] * len(given)),
        "body": ("VARCHAR", [f"text of {row[0]}" for row in given]),
    }


@pytest.fixture(params=["files", pytest.param("postgres", marks=pytest.mark.postgres)])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Table], SqlSource]:
    """A function from a table to a source that reads it."""

    def make(table: Table) -> SqlSource:
        if request.param == "files":
            return FilesSource(write(tmp_path / "rows.parquet", table))
        url = request.getfixturevalue("postgres_server")
        return PostgresSource(url, table=write_postgres(url, "long_rows", table))

    return make


def cells(source: SqlSource, spec: PanelSpec = TWO, window: Window = WINDOW) -> dict[str, int]:
    """Items by pattern."""
    census = source.census(spec, window).census
    found: dict[str, int] = {}
    for pattern, n in zip(census.patterns, census.counts.tolist(), strict=True):
        found[pattern] = found.get(pattern, 0) + n
    return found


def drawn(source: SqlSource, *patterns: str) -> list[tuple[str, str, int, Any]]:
    atoms = [Atom(one, NO_BIN, 1023, 9, None, stratum=0) for one in patterns]
    return [(one.item, one.pattern, one.copies, one.payload) for one in source.candidates(TWO, WINDOW, atoms, [9])]


class TestGoldenWorld:
    @pytest.fixture
    def both(self, made: Callable[[Table], SqlSource], tmp_path: Path) -> tuple[Any, Any]:
        wide = FilesSource(write(tmp_path / "wide.parquet", golden.table()))
        return wide, made(turned(golden.table()))

    def test_counts_profile_and_draw_are_those_of_the_wide_table(self, both: tuple[Any, Any]) -> None:
        wide, long = both
        ours, theirs = wide.census(golden.PANEL, WINDOW), long.census(LONG_GOLDEN, WINDOW)
        assert ours.census.patterns == theirs.census.patterns
        assert ours.census.counts.tolist() == theirs.census.counts.tolist()
        assert replace(ours.profile, kinds={}) == replace(theirs.profile, kinds={})
        segments = [{key: list(n) for key, n in one.census.segments.items()} for one in (ours, theirs)]
        assert segments[0] == segments[1]
        cut, quotas = golden.atoms()
        drawn = wide.candidates(golden.PANEL, WINDOW, cut, quotas)
        assert drawn == long.candidates(LONG_GOLDEN, WINDOW, cut, quotas)
        with long.reading(LONG_GOLDEN, WINDOW) as reading:
            again = reading.items_by_id(cut, [one.item for one in drawn], with_payload=True)
        assert {one.item: one.payload for one in again} == {one.item: one.payload for one in drawn}


class TestItems:
    def test_a_classifier_without_a_row_is_silent(self, made: Any) -> None:
        source = made(rows(("a", "lr", 0.25, False, 1), ("a", "svm-3", 0.75, None, 1), ("b", "svm-3", 0.75, None, 1)))
        assert cells(source) == {"-1": 1, "01": 1}

    def test_rows_of_models_that_nobody_watches_are_passed_over(self, made: Any) -> None:
        source = made(rows(("a", "lr", 0.25, False, 1), ("a", "svm", 0.75, None, 1), ("b", "other", 0.1, True, 1)))
        assert cells(source) == {"0-": 1}

    def test_two_rows_of_one_classifier_are_copies_and_two_of_two_are_not(self, made: Any) -> None:
        source = made(
            rows(
                *(("a", one, 0.75, False, 1) for one in ("lr", "svm-3")),
                *(("b", one, 0.75, False, 1) for one in ("lr", "lr", "svm-3")),
            )
        )
        found = sorted(drawn(source, "01"))
        assert found == [("a", "01", 1, {"body": "text of a"}), ("b", "01", 2, {"body": "text of b"})]

    def test_ids_that_differ_in_case_or_blanks_stay_apart(self, made: Any) -> None:
        source = made(rows(*((item, "lr", 0.25, False, 1) for item in ("a", "A", "a "))))
        assert [(item, copies) for item, _, copies, _ in sorted(drawn(source, "0-"))] == [("A", 1), ("a", 1), ("a ", 1)]

    def test_an_item_is_cut_at_the_end_of_a_window(self, made: Any) -> None:
        """What another classifier says a week later belongs to the window of that week."""
        source = made(rows(("a", "lr", 0.25, False, 167), ("a", "svm-3", 0.75, None, 168)))
        assert cells(source) == {"0-": 1}
        assert cells(source, window=Window(WINDOW.end, WINDOW.end + timedelta(days=7))) == {"-1": 1}

    def test_classifiers_with_the_longest_names_stay_apart(self, made: Any) -> None:
        """PostgreSQL cuts names of columns after 63 bytes."""
        many = (ClassifierSpec("c" * 63, "score", call="call"), ClassifierSpec("c" * 64, "score", cut_off=0.5))
        source = made(rows(("a", "c" * 63, 0.25, False, 1), ("a", "c" * 64, 0.75, None, 1)))
        assert cells(source, replace(TWO, classifiers=many)) == {"01": 1}

    def test_an_auxiliary_score_has_rows_too(self, made: Any) -> None:
        spec = replace(TWO, auxiliary=(AuxiliarySpec("judge", "score", called="gpt"),))
        source = made(rows(("a", "lr", 0.25, False, 1), ("a", "gpt", 0.9, None, 1)))
        assert cells(source, spec) == {"0-1": 1}


class TestBadRows:
    def test_each_row_without_an_id_is_one_and_so_are_an_items_rows_without_time(self, made: Any) -> None:
        source = made(
            rows(
                (None, "lr", 0.25, False, 1),
                (None, "lr", 0.25, False, 1),
                ("a", "lr", 0.25, False, None),
                ("a", "svm-3", 0.25, None, None),
                ("b", "lr", 7.0, True, 1),
                ("c", "lr", 0.5, True, 1),
            )
        )
        answer = source.census(TWO, WINDOW)
        assert (answer.profile.rows, answer.profile.bad_rows, answer.profile.null_items) == (5, 4, 2)
        (bad,) = [one for one in answer.bad_rows if one.key == "b"]
        assert bad.reason == "the score of 'lr' in 'score' is not a probability in [0, 1]"
        assert float(bad.content["columns"]["lr: score"]) == 7.0

    def test_a_missing_column_of_names_is_told(self, made: Any) -> None:
        spec = replace(TWO, columns=replace(TWO.columns, classifier="modle"))
        with pytest.raises(InputRefused, match=r"column 'modle' \(who says it of panel 'posts'\) is missing"):
            made(rows(("a", "lr", 0.5, True, 1))).census(spec, WINDOW)
