"""Small tables written as the files that a source reads."""

import atexit
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import psycopg
from deltalake import write_deltalake
from psycopg import sql

Table = Mapping[str, tuple[str, Sequence[Any]]]
"""Column name -> (SQL type, values)."""


def write(path: Path, table: Table) -> Path:
    """Write a table as Parquet or CSV, by the path's ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    tab = ", DELIMITER '\t'" if ".tsv" in path.name else ""
    kind = "FORMAT parquet" if path.suffix == ".parquet" else f"FORMAT csv, HEADER{tab}"
    place = str(path).replace("'", "''")
    load(_memory(), "t", table)
    _memory().execute(f"COPY t TO '{place}' ({kind})")
    return path


@cache
def _memory() -> Any:
    """One database for all that is written: opening one takes longer than writing a small table."""
    connection = duckdb.connect(":memory:", config={"autoinstall_known_extensions": False})
    connection.execute("SET TimeZone = 'UTC'")
    atexit.register(_memory.cache_clear)  # closed late, it is taken for a leak
    return connection


def write_database(path: Path, name: str, table: Table) -> Path:
    """Write a table into a DuckDB file of its own."""
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path), config={"autoinstall_known_extensions": False}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        load(connection, name, table)
    return path


def write_delta(path: Path, table: Table) -> Path:
    """Write a table as the newest version of a Delta table, with two files."""
    load(_memory(), "t", table)
    rows = _memory().sql("FROM t").to_arrow_table()
    half = (rows.num_rows + 1) // 2
    write_deltalake(path, rows.slice(0, half), mode="overwrite", schema_mode="overwrite")
    write_deltalake(path, rows.slice(half), mode="append")
    return path


def write_iceberg(path: Path, table: Table) -> dict[str, str]:
    """Write a table as the newest snapshot of ml.rows, with two files; returns the properties of its catalog."""
    from pyiceberg.catalog import load_catalog

    path.mkdir(exist_ok=True)
    properties = {"type": "sql", "uri": f"sqlite:///{path}/catalog.db", "warehouse": f"file://{path}/warehouse"}
    catalog = load_catalog("default", **properties)
    catalog.create_namespace_if_not_exists("ml")
    load(_memory(), "t", table)
    rows = _memory().sql("FROM t").to_arrow_table()
    half = (rows.num_rows + 1) // 2
    lake = catalog.create_table_if_not_exists("ml.rows", schema=rows.schema)
    try:
        (lake.overwrite if lake.current_snapshot() else lake.append)(rows.slice(0, half))
    except ValueError:  # other columns than those of before
        catalog.drop_table("ml.rows")
        lake = catalog.create_table("ml.rows", schema=rows.schema)
        lake.append(rows.slice(0, half))
    lake.append(rows.slice(half))
    return properties


POSTGRES = {"VARCHAR": "text", "DOUBLE": "double precision", "TIMESTAMPTZ": "timestamptz"}
"""Types that PostgreSQL spells otherwise."""


def write_postgres(url: str, name: str, table: Table, kinds: Mapping[str, str] | None = None) -> str:
    """Make a table of PostgreSQL anew; `kinds` replaces the types of some columns."""
    own = {column: (kinds or {}).get(column, POSTGRES.get(kind, kind)) for column, (kind, _) in table.items()}
    quoted = sql.Identifier(name)
    columns = sql.SQL(", ").join(sql.SQL("{} " + kind).format(sql.Identifier(column)) for column, kind in own.items())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(quoted))
        connection.execute(sql.SQL("CREATE TABLE {} ({})").format(quoted, columns))
        with connection.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(quoted)) as copy:
            for row in zip(*(values for _, values in table.values()), strict=True):
                copy.write_row(row)
    return name


def load(connection: Any, name: str, table: Table) -> None:
    """Create a table of a DuckDB connection."""
    columns = ", ".join(f'"{column.replace(chr(34), chr(34) * 2)}" {kind}' for column, (kind, _) in table.items())
    connection.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
    values = [list(values) for _, values in table.values()]
    if values and values[0]:
        kinds = ", ".join(f"UNNEST(?::{kind}[])" for kind, _ in table.values())
        connection.execute(f"INSERT INTO {name} SELECT {kinds}", values)
