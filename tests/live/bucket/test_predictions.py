"""Predictions on moto's server of S3, read as the settings say."""

from datetime import timedelta

import obstore
import pytest

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.object_storage import ObjectStorage
from stratawatch.adapters.sources.duckdb_files import FilesSettings
from stratawatch.core.population import NO_BIN, Atom
from stratawatch.engine.model.panel_spec import Window
from tests.support.buckets import SECRET, server
from tests.support.predictions.backends import items
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import write


@pytest.fixture
def source_of(place, tmp_path, monkeypatch):
    """Makes the source of a pattern below the place."""
    monkeypatch.setenv("S3_KEY", SECRET)

    def made(pattern, **more):
        settings = FilesSettings.model_validate(
            {
                "kind": "files",
                "path": f"s3://labels/{place}/{pattern}",
                "endpoint": server(),
                "region": "us-east-1",
                "credentials": {"access_key_id": "${env:S3_KEY}", "secret_access_key": "${env:S3_KEY}"},
                **more,
            }
        )
        return settings.build(BuildContext(tmp_path))

    return made


def test_objects_are_read_by_partitions_and_again_only_when_they_are_others(backend, source_of, tmp_path):
    for number in range(3):
        content = write(tmp_path / "rows.parquet", items(*(f"i{number}{one}" for one in range(10)))).read_bytes()
        obstore.put(backend.store, f"week={number}/part.parquet", content)
    source = source_of("week=*/*.parquet")

    def drawn():
        return source.candidates(panel(), WINDOW, [Atom("0", NO_BIN, 1023, 40, None)], [40])

    assert len(drawn()) == 30
    copied = {path: path.stat().st_ino for path in (tmp_path / "cache").rglob("*.parquet")}
    obstore.put(backend.store, "week=2/part.parquet", content.replace(b"i29", b"j29"))
    assert len(drawn()) == 30
    again = {path: path.stat().st_ino for path in (tmp_path / "cache").rglob("*.parquet")}
    assert len(copied) == len(again) == 3
    assert len(copied.items() & again.items()) == 2


def test_of_many_days_only_the_days_of_the_window_are_listed_and_copied(backend, source_of, tmp_path, monkeypatch):
    """Folders are those of Spark, whose numbers have no zero: day=1 is the beginning of day=12."""
    for number in range(-40, 80):
        at = START + timedelta(days=number)
        content = write(tmp_path / "rows.csv", items(f"i{number}", at=at.replace(tzinfo=None))).read_bytes()
        obstore.put(backend.store, f"year={at.year}/month={at.month}/day={at.day}/part-0.csv", content)
    listed, listed_below = [], ObjectStorage.listed_below

    def noting(storage, folder=""):
        listed.extend(found := listed_below(storage, folder))
        return found

    monkeypatch.setattr(ObjectStorage, "listed_below", noting)
    pattern = "year={year}/month={month}/day={day}/*.csv"
    for source, days in ((source_of(pattern), 7), (source_of(pattern, path_margin="1d"), 9)):
        listed.clear()
        found = source.census(panel(), WINDOW)
        assert (found.census.size, found.source_version["files"], len(listed)) == (7, days, 2 * days)
    assert len(list((tmp_path / "cache").rglob("*.csv"))) == 9
    first_days = Window(START - timedelta(days=4), START - timedelta(days=3))
    assert source_of(pattern).census(panel(), first_days).census.size == 1
    with source_of(pattern).reading(panel(), Window(WINDOW.end, WINDOW.end + timedelta(days=7))) as reading:
        assert (reading.census().census.size, reading.rows(WINDOW)) == (7, 7)
