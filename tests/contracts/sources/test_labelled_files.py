"""Labelled predictions are read as predictions are: the same columns mean the same calls."""

import os
from pathlib import Path

import pytest

from stratawatch.adapters.sources import labelled_files
from stratawatch.adapters.sources.labelled_files import LabelledFiles
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns
from stratawatch.errors import ConfigError, InputRefused, Unreachable
from tests.support.predictions.panels import panel
from tests.support.predictions.tables import write

TWO = (ClassifierSpec("lr", "p", cut_off=0.5), ClassifierSpec("svm", "m", "margin", call="flagged"))
PANEL = panel(TWO, columns=Columns("id", "ts", segments=("country", "language")))


def table(**changes):
    facts = {
        "id": ("VARCHAR", ["a", "b", "c", "d", "e"]),
        "label": ("VARCHAR", ["yes", "No", " TRUE", "0", None]),
        "p": ("DOUBLE", [0.5, 0.49, None, 1.0, 0.1]),
        "m": ("DOUBLE", [3.0, -2.0, 0.0, None, 1.0]),
        "flagged": ("INTEGER", [1, 0, 0, None, 1]),
        "country": ("VARCHAR", ["DE", None, "FR", "DE", "DE"]),
    }
    return facts | changes


def read(path: Path, **options):
    return LabelledFiles(str(path), **options).read(PANEL)


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv"])
class TestRead:
    def test_takes_labels_calls_and_segments(self, tmp_path, ending):
        items = read(write(tmp_path / f"labels.{ending}", table()))
        french, nowhere = (items.segments["country"].index(name) for name in ("FR", None))  # rows come in any order
        assert (items.truth[french], items.truth[nowhere]) == (True, False)
        assert items.truth.sum() == 2
        assert items.calls["lr"].sum() == 2
        assert (items.scored["lr"].sum(), items.scored["svm"].sum()) == (3, 3)
        assert not items.scored["lr"][french]
        assert set(items.segments) == {"country"}
        assert items.unlabelled == 1

    def test_names_what_it_read_by_its_content(self, tmp_path, ending):
        first = read(write(tmp_path / f"a.{ending}", table())).source
        assert first.startswith(f"labelled predictions a.{ending} (SHA-256 ")
        assert read(tmp_path / f"a.{ending}").source == first
        other = read(write(tmp_path / f"a.{ending}", table(label=("VARCHAR", ["no"] * 5)))).source
        assert other != first


@pytest.mark.parametrize("ending", ["parquet", "csv"])
class TestAFileThatChangesMeanwhile:
    @pytest.mark.parametrize("moment", ["_statement", "_source"])
    def test_is_not_named_by_what_it_became(self, tmp_path, monkeypatch, ending, moment):
        path = write(tmp_path / f"labels.{ending}", table())
        whole, original = path.read_bytes(), getattr(labelled_files, moment)

        def meanwhile(*given):
            path.write_bytes(whole + b"f,yes,0.5,3.0,1,DE\n" * (ending == "csv"))
            os.utime(path, (0, 0))
            return original(*given)

        monkeypatch.setattr(labelled_files, moment, meanwhile)
        with pytest.raises(Unreachable, match="was written to while it was read; measure again; the file must be"):
            read(path)

    def test_with_half_a_fault_is_not_refused_for_it(self, tmp_path, monkeypatch, ending):
        path = write(tmp_path / f"labels.{ending}", table(label=("VARCHAR", ["maybe"] * 5)))
        read_rows = LabelledFiles._check

        def meanwhile(*given):
            os.utime(path, (0, 0))
            return read_rows(*given)

        monkeypatch.setattr(LabelledFiles, "_check", meanwhile)
        with pytest.raises(Unreachable, match="was written to while it was read"):
            read(path)


class TestLabels:
    @pytest.mark.parametrize("kind", ["BOOLEAN", "INTEGER", "DOUBLE"])
    def test_may_be_flags_or_numbers(self, tmp_path, kind):
        path = write(tmp_path / "l.parquet", table(label=(kind, [1, 0, 1, 0, None])))
        assert (read(path).truth.sum(), read(path).truth.size) == (2, 4)

    def test_may_have_another_name(self, tmp_path):
        renamed = table(human=("VARCHAR", ["no"] * 5))
        assert read(write(tmp_path / "l.parquet", renamed), label="human").truth.sum() == 0

    def test_that_say_something_else_are_refused(self, tmp_path):
        path = write(tmp_path / "l.parquet", table(label=("VARCHAR", ["yes", "maybe", "no", "2", None])))
        with pytest.raises(InputRefused, match=r"the label 'label' cannot be read in 2 rows.*expected yes or no"):
            read(path)

    def test_of_nobody_are_refused(self, tmp_path):
        path = write(tmp_path / "l.csv", table(label=("VARCHAR", [None, "", "", None, None])))
        with pytest.raises(InputRefused, match="no row with a label"):
            read(path)


class TestCalls:
    @pytest.mark.parametrize("ending", ["parquet", "csv"])
    def test_may_be_a_value_that_means_yes(self, tmp_path, ending):
        decisions = ["it's blöck", "allow", "It's blöck", None, "it's blöck"]
        path = write(tmp_path / f"labels.{ending}", table(flagged=("VARCHAR", decisions)))
        gate = panel((ClassifierSpec("gate", call="flagged", call_yes="it's blöck"),), columns=PANEL.columns)
        items = LabelledFiles(str(path)).read(gate)
        assert (items.calls["gate"].sum(), items.scored["gate"].sum()) == (1, 3)

    def test_of_booleans_with_such_a_value_are_refused(self, tmp_path):
        path = write(tmp_path / "labels.parquet", table(flagged=("BOOLEAN", [True] * 5)))
        gate = panel((ClassifierSpec("gate", call="flagged", call_yes="block"),), columns=PANEL.columns)
        with pytest.raises(
            InputRefused, match=r"the call of classifier 'gate' with call_yes = 'block'; expected a text;"
        ):
            LabelledFiles(str(path)).read(gate)


class TestRefusals:
    def test_of_a_column_that_is_missing_names_it(self, tmp_path):
        rows = table()
        del rows["flagged"]
        with pytest.raises(
            InputRefused, match=r"'flagged' \(the call of classifier 'svm'\) is missing in the labelled"
        ):
            read(write(tmp_path / "l.parquet", rows))

    def test_of_a_label_column_that_is_missing_says_what_is_there(self, tmp_path):
        with pytest.raises(InputRefused, match=r"column 'labels' \(the label\) is missing.*did you mean 'label'"):
            read(write(tmp_path / "l.parquet", table()), label="labels")

    def test_of_a_score_out_of_range(self, tmp_path):
        path = write(tmp_path / "l.parquet", table(p=("DOUBLE", [1.5, 0.4, float("inf"), 1.0, 7.0])))
        with pytest.raises(InputRefused, match="what classifier 'lr' said cannot be read in 2 rows"):
            read(path)

    def test_of_an_item_that_is_there_twice(self, tmp_path):
        path = write(tmp_path / "l.parquet", table(id=("VARCHAR", ["a", "a", "a", "b", "b"])))
        with pytest.raises(
            InputRefused, match="2 rows of the labelled predictions are of an item that has one already"
        ):
            read(path)

    def test_without_an_item_column_rows_are_items(self, tmp_path):
        rows = table()
        del rows["id"]
        assert read(write(tmp_path / "l.parquet", rows)).truth.size == 4

    def test_of_a_file_that_is_not_there_or_lies_outside(self, tmp_path):
        with pytest.raises(Unreachable, match="no Parquet or CSV file matches"):
            read(tmp_path / "none.csv")
        outside = write(tmp_path / "l.parquet", table())
        (tmp_path / "home").mkdir()
        (tmp_path / "home" / "l.parquet").symlink_to(outside)
        with pytest.raises(ConfigError, match="behind a link that leads out"):
            read(tmp_path / "home" / "l.parquet", confined_to=tmp_path / "home")

    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_of_an_empty_file_says_that_it_is_empty(self, tmp_path, ending):
        write(tmp_path / f"a.{ending}", table())
        (tmp_path / f"b.{ending}").touch()
        with pytest.raises(InputRefused, match=f"b.{ending}' is empty; expected columns with their names"):
            read(tmp_path / f"*.{ending}")

    def test_of_half_a_file_asks_to_measure_again(self, tmp_path):
        path = write(tmp_path / "l.parquet", table())
        path.write_bytes(path.read_bytes()[:-9])
        with pytest.raises(Unreachable, match=r"cannot be read; got .*; measure again; the file must be whole"):
            read(path)

    def test_hostile_names_are_only_names(self, tmp_path):
        name = 'label"; DROP TABLE x; --'
        assert read(write(tmp_path / "l.parquet", table(**{name: ("VARCHAR", ["yes"] * 5)})), label=name).truth.all()
