"""About how many rows of Parquet files lie in a window: what their footers say, without reading a row."""

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from stratawatch.adapters.sources.column_types import kind_of
from stratawatch.adapters.sources.file_set import FileSet
from stratawatch.engine.records import Columns, Window


def rows_of(connection: Any, files: FileSet, columns: Columns, types: Mapping[str, str], window: Window) -> int | None:
    """The rows of all row groups that may have rows of the window; None where no footer can tell."""
    name = columns.time if columns.ingested is None else columns.ingested
    if files.format != "parquet" or kind_of(types[name]) == "text":
        return None
    start, end = (at.astimezone(UTC).replace(tzinfo=None) for at in (window.start, window.end))
    ((rows,),) = connection.execute(
        """
        SELECT SUM(row_group_num_rows)
        FROM parquet_metadata(?)
        WHERE path_in_schema = ?
        AND COALESCE(TRY_CAST(stats_max_value AS TIMESTAMP) >= ?, TRUE)
        AND COALESCE(TRY_CAST(stats_min_value AS TIMESTAMP) < ?, TRUE)
        """,
        [files.names(), name, start, end],
    ).fetchall()
    return None if rows is None else int(rows)
