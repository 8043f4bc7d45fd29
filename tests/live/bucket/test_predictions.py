"""Predictions on moto's server of S3, read as the settings say."""

import obstore

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.sources.duckdb_files import FilesSettings
from stratawatch.core.population import NO_BIN, Atom
from tests.support.buckets import SECRET, server
from tests.support.predictions.backends import items
from tests.support.predictions.panels import WINDOW, panel
from tests.support.predictions.tables import write


def test_objects_are_read_by_partitions_and_again_only_when_they_are_others(backend, place, tmp_path, monkeypatch):
    monkeypatch.setenv("S3_KEY", SECRET)
    for number in range(3):
        content = write(tmp_path / "rows.parquet", items(*(f"i{number}{one}" for one in range(10)))).read_bytes()
        obstore.put(backend.store, f"week={number}/part.parquet", content)
    settings = FilesSettings.model_validate(
        {
            "kind": "files",
            "path": f"s3://labels/{place}/week=*/*.parquet",
            "endpoint": server(),
            "region": "us-east-1",
            "credentials": {"access_key_id": "${env:S3_KEY}", "secret_access_key": "${env:S3_KEY}"},
        }
    )
    source = settings.build(BuildContext(tmp_path))

    def drawn():
        return source.candidates(panel(), WINDOW, [Atom("0", NO_BIN, 1023, 40, None)], [40])

    assert len(drawn()) == 30
    copied = {path: path.stat().st_ino for path in (tmp_path / "cache").rglob("*.parquet")}
    obstore.put(backend.store, "week=2/part.parquet", content.replace(b"i29", b"j29"))
    assert len(drawn()) == 30
    again = {path: path.stat().st_ino for path in (tmp_path / "cache").rglob("*.parquet")}
    assert len(copied) == len(again) == 3
    assert len(copied.items() & again.items()) == 2
