"""Estimates as files for other programs: CSV, JSON lines or Parquet, whole or not at all."""

import json
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from stratawatch.atomic_files import replace_file
from stratawatch.errors import StratawatchError

ENDINGS: Final = (".csv", ".jsonl", ".parquet")
_TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("panel", "classifier", "metric", "segment", "undefined", "method", "state", "reason"), "VARCHAR"),
    **dict.fromkeys(("uncorrected_reason", "why_fewer"), "VARCHAR"),
    **dict.fromkeys(("window_start", "window_end", "estimated_at", "since", "until"), "TIMESTAMPTZ"),
    **dict.fromkeys(
        ("cycle", "period", "revision", "labels_used", "windows", "windows_in_span", "windows_before"), "BIGINT"
    ),
    **dict.fromkeys(("replaced", "shadow"), "BOOLEAN"),
}
"""The types of a Parquet file's columns, the same in every file also where a column is empty; others are numbers."""


def check_ending(path: Path) -> None:
    """Raise StratawatchError where the ending is none that says a format."""
    if path.suffix.lower() not in ENDINGS:
        raise StratawatchError(
            "the ending of --to says the format", expected=f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}", got=path.name
        )


def write_estimates(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows of estimates in the format that the ending says."""
    check_ending(path)
    contents = {".csv": _csv, ".jsonl": _json_lines, ".parquet": _parquet}
    try:
        replace_file(path, contents[path.suffix.lower()](rows))
    except OSError as trouble:
        raise StratawatchError(f"{path} cannot be written", got=trouble.strerror or type(trouble).__name__) from None


def _csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    from stratawatch.cli.csv_cells import write_csv

    text = StringIO(newline="")
    write_csv(text, rows)
    return text.getvalue().encode()


def _json_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(row, default=lambda moment: moment.isoformat()) + "\n" for row in rows).encode()


def _parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows as DuckDB reads them from JSON lines, each column of its type."""
    import duckdb

    if not rows:
        raise StratawatchError(
            "a Parquet file needs columns, and nothing is estimated yet",
            hint="`stratawatch status` says what is waited for",
        )
    columns = {name: _TYPES.get(name, "DOUBLE") for name in rows[0]}
    with TemporaryDirectory() as folder, duckdb.connect() as database:
        lines, made = Path(folder, "estimates.jsonl"), Path(folder, "estimates.parquet")
        lines.write_bytes(_json_lines(rows))
        read = database.read_json(str(lines), columns=columns, format="newline_delimited")
        read.write_parquet(str(made))
        return made.read_bytes()
