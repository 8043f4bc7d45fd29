"""What is proposed for a query's rows."""

from pathlib import Path

import duckdb

from stratawatch.adapters.sources.table_look import look_at
from stratawatch.config.proposals.proposal import Choices, Proposal
from stratawatch.config.proposals.propose import propose
from stratawatch.config.proposals.source_path import source_path
from stratawatch.config.proposals.table_facts import table_facts

ROWS = "'m-' || i AS message_id, TIMESTAMPTZ '2026-01-05 00:00:00+00' + INTERVAL (i * 30) MINUTE AS scored_at"
"""An item and a time in each row of `table_of`."""
SCORE = "((i * 7919) % 2003) / 2003.0"
"""Numbers from 0 to 1."""


def table_of(columns: str, rows: int = 600, more: str = "") -> str:
    """A query of rows with an item, a time and these columns, over i; `more` follows it."""
    return f"SELECT {ROWS}, {columns} FROM range({rows}) AS t(i) {more}"


def proposed(folder: Path, query: str, choices: Choices | None = None, ending: str = "parquet") -> Proposal:
    """The proposal for a file of the query's rows."""
    file = folder / f"predictions.{ending}"
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"COPY ({query}) TO '{file}'")
    found, said = source_path(str(file), folder), choices or Choices()
    with look_at(found.files) as look:
        return propose(table_facts(look, said), said, found.path)
