"""`estimates --to`: the rows of `--json` as CSV, JSON lines and Parquet."""

import csv
import json
from datetime import UTC, datetime

import duckdb
import pytest


def written(home, name, *arguments):
    path = home.folder / "out" / name
    said = home.run("estimates", *arguments, "--to", str(path)).stdout
    assert said.startswith("wrote ")
    assert [one.name for one in path.parent.iterdir()] == [name]
    return path


def parquet(path):
    """Its columns with their types, and its rows."""
    with duckdb.connect() as database:
        database.execute("SET timezone = 'UTC'")
        read = database.read_parquet(str(path))
        return dict(zip(read.columns, map(str, read.types), strict=True)), read.fetchall()


def test_json_lines_are_the_rows(judged):
    path = written(judged, "a.jsonl", "--segments")
    assert [json.loads(line) for line in path.read_text().splitlines()] == judged.json("estimates", "--segments")[
        "estimates"
    ]


def test_csv_is_the_rows(judged):
    rows = judged.json("estimates")["estimates"]
    with written(judged, "a.csv").open(newline="") as handle:
        found = list(csv.DictReader(handle))
    assert [set(one) for one in found] == [set(row) for row in rows]
    assert [float(one["value"]) for one in found] == [row["value"] for row in rows]
    assert [one["segment"] for one in found] == [""] * len(rows)


def test_parquet_is_the_rows_with_types(judged):
    rows = judged.json("estimates", "--segments")["estimates"]
    types, found = parquet(written(judged, "a.parquet", "--segments"))
    assert list(types) == list(rows[0])
    for row, values in zip(rows, found, strict=True):
        for (name, kind), value in zip(types.items(), values, strict=True):
            known = row[name]
            if kind == "TIMESTAMP WITH TIME ZONE":
                assert value.astimezone(UTC) == datetime.fromisoformat(known)
            else:
                assert value == known


def test_the_types_do_not_follow_what_is_known(judged):
    """A column that is empty in one file has the type that it has where it is not."""
    whole, _ = parquet(written(judged, "a.parquet", "--classifier", "lr", "--metric", "recall"))
    assert (whole["segment"], whole["state"], whole["undefined"]) == ("VARCHAR",) * 3
    assert {whole[name] for name in ("value", "corrected", "missing", "deff", "n_eff")} == {"DOUBLE"}
    assert (whole["period"], whole["replaced"], whole["window_end"]) == (
        "BIGINT",
        "BOOLEAN",
        "TIMESTAMP WITH TIME ZONE",
    )


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_windows_together_are_written_too(judged, name):
    rows = judged.json("estimates", "--together", "1")["together"]
    path = written(judged, name, "--together", "1")
    with duckdb.connect() as database:
        read = {".csv": database.read_csv, ".jsonl": database.read_json, ".parquet": database.read_parquet}[path.suffix]
        found = read(str(path)).project("classifier, metric, value").fetchall()
    assert found == [(row["classifier"], row["metric"], pytest.approx(row["value"])) for row in rows]


def test_nothing_estimated_is_said(fresh):
    fresh.run("open", "--now", "2026-01-12T06:00:00+00:00")
    path = fresh.folder / "a.parquet"
    assert "nothing is estimated yet" in fresh.run("estimates", "--to", str(path), code=2).stderr
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--to", "a.xlsx"), "expected .csv, .jsonl or .parquet"),
        (("--to", "a.csv", "--json"), "--json and --to do not go together"),
        (("--to", "/proc/none/a.csv"), "cannot be written"),
    ],
)
def test_what_cannot_be_written_is_said(judged, arguments, said):
    assert said in judged.run("estimates", *arguments, code=2).stderr.replace("\n", " ")
