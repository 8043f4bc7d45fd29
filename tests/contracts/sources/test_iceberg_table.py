"""An Iceberg table is read from one snapshot, whatever is written to it meanwhile; what cannot be read right is refused."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.table import DataScan

from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine
from stratawatch.adapters.sources.iceberg_table import IcebergSource
from stratawatch.errors import ConfigError, InputRefused, Unreachable
from tests.support.predictions.backends import items, whole
from tests.support.predictions.meanwhile import once_while_read
from tests.support.predictions.panels import WINDOW, panel
from tests.support.predictions.tables import write_iceberg

Catalog = Mapping[str, str]


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """A table of sixty rows, of which an earlier snapshot had others."""
    write_iceberg(tmp_path / "lake", items(*(f"old{n}" for n in range(9))))
    return write_iceberg(tmp_path / "lake", items(*(f"i{n}" for n in range(60))))


def lake(catalog: Catalog) -> Any:
    return load_catalog("default", **catalog).load_table("ml.rows")


def read(catalog: Catalog, **options: Any) -> Any:
    return IcebergSource("ml.rows", catalog=catalog, **options).census(panel(), WINDOW)


class TestSnapshot:
    def test_the_newest_is_read_and_kept_with_the_census(self, catalog: Catalog) -> None:
        answer, table = read(catalog), lake(catalog)
        assert answer.census.size == 60
        version = answer.source_version
        assert version["snapshot"] == str(table.current_snapshot().snapshot_id)
        assert (version["id"], version["files"]) == (str(table.metadata.table_uuid), 2)
        assert version["written"].endswith("+00:00")

    def test_census_and_candidates_read_one_snapshot_whatever_is_written_meanwhile(
        self, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        newer = partial(write_iceberg, tmp_path / "lake", items(*(f"new{n}" for n in range(200))))
        once_while_read(monkeypatch, DuckDBEngine, newer, after=True)
        with IcebergSource("ml.rows", catalog=catalog).reading(panel(), WINDOW) as reader:
            assert reader.census().census.size == 60
            drawn = reader.candidates(whole("0", 60), [60])
        assert {one.item for one in drawn} == {f"i{n}" for n in range(60)}
        assert read(catalog).census.size == 200

    def test_a_file_that_was_removed_for_good_meanwhile_fails_the_read(
        self, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def expire() -> None:
            for task in lake(catalog).scan().plan_files():
                Path(task.file.file_path.removeprefix("file://")).unlink()

        once_while_read(monkeypatch, DuckDBEngine, expire)
        with pytest.raises(Unreachable, match="cannot be read"):
            read(catalog)

    def test_a_table_without_rows_has_none(self, catalog: Catalog) -> None:
        schema = lake(catalog).schema()
        load_catalog("default", **catalog).create_table("ml.empty", schema=schema)
        answer = IcebergSource("ml.empty", catalog=catalog).census(panel(), WINDOW)
        assert (answer.census.size, answer.source_version["snapshot"]) == (0, None)

    def test_a_column_that_was_added_later_is_empty_in_older_files(self, catalog: Catalog) -> None:
        from pyiceberg.types import DoubleType

        with lake(catalog).update_schema() as change:
            change.add_column("margin", DoubleType())
        assert read(catalog).census.size == 60


class TestRefused:
    def test_a_column_that_was_renamed(self, catalog: Catalog) -> None:
        with lake(catalog).update_schema() as change:
            change.rename_column("flag", "verdict")
        with pytest.raises(
            InputRefused, match=r"columns that were renamed, or dropped and made again; read it through"
        ):
            read(catalog)

    def test_a_column_that_was_dropped_and_made_again(self, catalog: Catalog) -> None:
        from pyiceberg.types import DoubleType

        with lake(catalog).update_schema() as change:
            change.delete_column("score")
        with lake(catalog).update_schema() as change:
            change.add_column("score", DoubleType())
        with pytest.raises(InputRefused, match="columns that were renamed, or dropped and made again"):
            read(catalog)

    def test_files_that_were_written_without_the_ids_of_their_columns(self, catalog: Catalog, tmp_path: Path) -> None:
        table = lake(catalog)
        rows = table.scan().to_arrow()
        pyarrow.parquet.write_table(rows.replace_schema_metadata(), tmp_path / "added.parquet")
        table.add_files([f"file://{tmp_path}/added.parquet"])
        with pytest.raises(InputRefused, match="files without the ids of their columns"):
            read(catalog)

    @pytest.mark.parametrize(
        ("task", "feature"),
        [
            ({"delete_files": {"d"}}, "rows that were deleted without"),
            ({"file_format": "FileFormat.ORC"}, "files that are not Parquet"),
            ({"path": "s3://elsewhere/a.parquet"}, "files in several storages"),
        ],
    )
    def test_what_this_reader_does_not_write_itself(
        self, catalog: Catalog, monkeypatch: pytest.MonkeyPatch, task: dict[str, Any], feature: str
    ) -> None:
        """Nothing here writes such a table: the plan of a scan is given one such file."""
        (good, _) = lake(catalog).scan().plan_files()
        one = SimpleNamespace(
            delete_files=task.get("delete_files", set()),
            file=SimpleNamespace(
                file_format=task.get("file_format", good.file.file_format),
                file_path=task.get("path", good.file.file_path),
            ),
        )
        monkeypatch.setattr(DataScan, "plan_files", lambda _: [good, one])
        with pytest.raises(InputRefused, match=feature):
            read(catalog)

    def test_files_outside_of_the_folder(self, catalog: Catalog, tmp_path: Path) -> None:
        assert read(catalog, confined_to=tmp_path).census.size == 60
        with pytest.raises(ConfigError, match="leads out of the folder"):
            read(catalog, confined_to=tmp_path / "elsewhere")

    def test_a_table_that_is_not_there(self, catalog: Catalog) -> None:
        with pytest.raises(Unreachable, match=r"the catalog has no Iceberg table 'ml\.none'"):
            IcebergSource("ml.none", catalog=catalog).census(panel(), WINDOW)

    def test_a_catalog_that_does_not_answer_is_a_sentence_without_its_secrets(self) -> None:
        catalog = {"type": "rest", "uri": "http://127.0.0.1:9/", "token": "hunter2"}
        with pytest.raises(Unreachable, match="cannot be read") as caught:
            IcebergSource("ml.rows", catalog=catalog).census(panel(), WINDOW)
        assert "hunter2" not in str(caught.value)
