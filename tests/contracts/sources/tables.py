"""Small tables written as the files that a source reads."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

Table = Mapping[str, tuple[str, Sequence[Any]]]
"""Column name -> (SQL type, values)."""


def write(path: Path, table: Table) -> Path:
    """Write a table as Parquet or CSV, by the path's ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    tab = ", DELIMITER '\t'" if ".tsv" in path.name else ""
    kind = "FORMAT parquet" if path.suffix == ".parquet" else f"FORMAT csv, HEADER{tab}"
    with duckdb.connect(":memory:", config={"autoinstall_known_extensions": False}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        load(connection, "t", table)
        place = str(path).replace("'", "''")
        connection.execute(f"COPY t TO '{place}' ({kind})")
    return path


def load(connection: Any, name: str, table: Table) -> None:
    """Create a table of a DuckDB connection."""
    columns = ", ".join(f'"{column.replace(chr(34), chr(34) * 2)}" {kind}' for column, (kind, _) in table.items())
    connection.execute(f"CREATE TABLE {name} ({columns})")
    values = [list(values) for _, values in table.values()]
    if values and values[0]:
        kinds = ", ".join(f"UNNEST(?::{kind}[])" for kind, _ in table.values())
        connection.execute(f"INSERT INTO {name} SELECT {kinds}", values)
