"""A Delta table is read from one version, whatever is written to it meanwhile; what cannot be read right is refused."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable, write_deltalake

from stratawatch.adapters.sources.delta_table import DeltaSource
from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine
from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.errors import ConfigError, InputRefused, Unreachable
from tests.support.predictions.backends import items, whole
from tests.support.predictions.meanwhile import once_while_read
from tests.support.predictions.panels import WINDOW, panel
from tests.support.predictions.tables import write_delta

FEATURES = ["deletionVectors", "timestampNtz"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A table of sixty rows, of which an earlier version had others."""
    write_delta(tmp_path / "rows", items(*(f"old{n}" for n in range(9))))
    return write_delta(tmp_path / "rows", items(*(f"i{n}" for n in range(60))))


class TestVersion:
    def test_the_newest_is_read_and_kept_with_the_census(self, place: Path) -> None:
        answer = DeltaSource(place).census(panel(), WINDOW)
        assert answer.census.size == 60
        version = answer.source_version
        assert (version["version"], version["files"]) == (3, 2)
        assert version["id"] == str(DeltaTable(place).metadata().id)
        assert version["written"].endswith("+00:00")

    def test_census_and_candidates_read_one_version_whatever_is_written_meanwhile(
        self, place: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        newer = partial(write_delta, place, items(*(f"new{n}" for n in range(200))))
        once_while_read(monkeypatch, DuckDBEngine, newer, after=True)
        with DeltaSource(place).reading(panel(), WINDOW) as reader:
            assert reader.census().census.size == 60
            drawn = reader.candidates(whole("0", 60), [60])
        assert {one.item for one in drawn} == {f"i{n}" for n in range(60)}
        assert DeltaSource(place).census(panel(), WINDOW).census.size == 200

    def test_a_file_that_was_removed_for_good_meanwhile_fails_the_read(
        self, place: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def vacuum() -> None:
            for file in DeltaTable(place).file_uris():
                Path(file).unlink()

        once_while_read(monkeypatch, DuckDBEngine, vacuum)
        with pytest.raises(Unreachable, match="cannot be read"):
            DeltaSource(place).census(panel(), WINDOW)


class TestRefused:
    @pytest.mark.parametrize(
        ("action", "feature"),
        [
            (
                {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": FEATURES}},
                "deletionVectors",
            ),
            ({"metaData": {"configuration": {"delta.columnMapping.mode": "name"}}}, "columns that are mapped"),
        ],
    )
    def test_a_table_with_a_feature_that_would_be_overlooked(
        self, place: Path, action: dict[str, Any], feature: str
    ) -> None:
        """Written by hand into the log, since the library here writes no such tables."""
        first = [json.loads(line) for line in (place / "_delta_log" / f"{0:020}.json").read_text().splitlines()]
        (metadata,) = [line["metaData"] for line in first if "metaData" in line]
        if "metaData" in action:
            action = {"metaData": {**metadata, **action["metaData"]}}
        else:
            action = {"protocol": {**action["protocol"], "writerFeatures": action["protocol"]["readerFeatures"]}}
        (place / "_delta_log" / f"{4:020}.json").write_text(json.dumps(action) + "\n")
        with pytest.raises(InputRefused, match=f"has a feature that cannot be read here.*{feature}.*through Spark"):
            DeltaSource(place).census(panel(), WINDOW)

    def test_what_is_no_table_is_a_sentence(self, tmp_path: Path) -> None:
        with pytest.raises(Unreachable, match="is no Delta table"):
            DeltaSource(tmp_path / "nothing").census(panel(), WINDOW)

    def test_a_link_out_of_the_folder(self, place: Path, tmp_path: Path) -> None:
        (tmp_path / "inside").mkdir()
        (tmp_path / "inside" / "rows").symlink_to(place)
        with pytest.raises(ConfigError, match="behind a link that leads out of the folder"):
            DeltaSource(tmp_path / "inside" / "rows", confined_to=tmp_path / "inside").census(panel(), WINDOW)


class TestFilesOfSuchTables:
    """Read as plain files, rows that were deleted or replaced would count."""

    @pytest.mark.parametrize("pattern", ["rows", "rows/*.parquet"])
    def test_a_folder_of_delta_is_refused(self, place: Path, pattern: str) -> None:
        with pytest.raises(ConfigError, match=r'is a Delta table: not all of its files count.*kind = "delta"'):
            FilesSource(place.parent / pattern).census(panel(), WINDOW)

    def test_a_folder_of_iceberg_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "rows" / "metadata").mkdir(parents=True)
        (tmp_path / "rows" / "metadata" / "00001-abc.metadata.json").write_text("{}")
        with pytest.raises(ConfigError, match=r"is an Iceberg table.*through Spark"):
            FilesSource(tmp_path / "rows").census(panel(), WINDOW)


def test_partition_columns_are_read_from_the_log(tmp_path: Path) -> None:
    import pyarrow as pa

    at = [WINDOW.start.replace(tzinfo=None)] * 4
    rows = pa.table({"id": ["a", "b", "c", "d"], "ts": at, "score": [0.1] * 4, "flag": ["0"] * 4, "land": [*"xyxy"]})
    write_deltalake(tmp_path / "rows", rows, partition_by=["land"])
    spec = panel(columns=type(panel().columns)("id", "ts", segments=("land",)))
    drawn = DeltaSource(tmp_path / "rows").candidates(spec, WINDOW, whole("0", 4), [4])
    assert {one.item: one.segments["land"] for one in drawn} == {"a": "x", "b": "y", "c": "x", "d": "y"}
