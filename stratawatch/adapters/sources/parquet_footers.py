"""About how many rows of Parquet files lie in a window: from their footers, without reading a row."""

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from stratawatch.adapters.sources.column_types import kind_of
from stratawatch.adapters.sources.file_set import FileSet
from stratawatch.engine.model.panel_spec import Columns, Window


def approximate_window_rows(
    connection: Any, files: FileSet, columns: Columns, types: Mapping[str, str], window: Window
) -> int | None:
    """The rows of row groups that may overlap the window, and those without a time; None where no footer says."""
    name = columns.time if columns.ingested is None else columns.ingested
    if files.format != "parquet" or kind_of(types[name]) == "text":
        return None
    start, end = (at.astimezone(UTC).replace(tzinfo=None) for at in (window.start, window.end))
    ((rows,),) = connection.execute(
        """
        SELECT
            SUM(
                CASE
                    WHEN TRY_CAST(stats_max_value AS TIMESTAMP) < ? OR TRY_CAST(stats_min_value AS TIMESTAMP) >= ?
                    THEN COALESCE(stats_null_count, 0)
                    ELSE row_group_num_rows
                END
            )
        FROM parquet_metadata(?)
        WHERE path_in_schema = ?
        """,
        [start, end, files.names(), name],
    ).fetchall()
    return None if rows is None else int(rows)
