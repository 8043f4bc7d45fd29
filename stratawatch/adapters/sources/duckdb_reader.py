"""How DuckDB reads a large window: census and candidates by a single scan, where that is enough."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratawatch.adapters.sources.census_result import MOST_SEGMENT_VALUES, CensusCounts
from stratawatch.adapters.sources.duckdb_engine import DuckDBEngine
from stratawatch.adapters.sources.duckdb_progress import reporting_progress
from stratawatch.adapters.sources.kept_digests import DigestBound, digest_bound
from stratawatch.adapters.sources.sql_source import SqlSource, SqlWindowReader
from stratawatch.adapters.sources.statements import SINGLE_SCAN
from stratawatch.adapters.sources.stratum_quotas import StratumQuotas
from stratawatch.core.population import Atom
from stratawatch.engine.model.cycle_facts import CandidateItem
from stratawatch.engine.model.panel_spec import PanelSpec, Window


class EmbeddedSource(SqlSource):
    """A source that an embedded DuckDB reads."""

    def _reader(self, panel: PanelSpec, window: Window, engine: DuckDBEngine) -> "DuckDBWindowReader":
        return DuckDBWindowReader(panel, window, engine)


@dataclass
class DuckDBWindowReader(SqlWindowReader):
    """The census of a large window keeps the items that are likely to be drawn, in a table of our own.

    `other_rows` counts the rows of windows that were not opened, where a window is opened without the others.
    """

    engine: DuckDBEngine
    other_rows: Callable[[Window], int] | None = None
    _kept: DigestBound | None = field(default=None, init=False)

    def rows(self, window: Window) -> int:
        """Count the rows dated inside this window, or inside a part of it, from the time alone."""
        is_open = self.window.start <= window.start and window.end <= self.window.end
        return super().rows(window) if is_open or self.other_rows is None else self.other_rows(window)

    def _count(self, counts: CensusCounts) -> None:
        columns = self._single_scan()
        if columns is None:
            super()._count(counts)
            return
        counts.add_counts(columns)
        for rows in self.engine.batches(self.engine.statements.single_scan_ranges()):
            counts.add_ranges(rows)

    def _fetch(self, quotas: StratumQuotas, atoms: Sequence[Atom]) -> list[CandidateItem]:
        if self._kept is not None and self._kept.cover(quotas.max_digests):
            items = self._items(self.engine.statements.single_scan_candidates(self.window), atoms)
            if all(item.copies == 1 for item in items):
                return items  # which of several rows is drawn is decided where all of them are looked at
        return super()._fetch(quotas, atoms)

    def _single_scan(self) -> list[NDArray[Any]] | None:
        """Fill the table SINGLE_SCAN; the census by column, or None where two scans are as good, or must be made."""
        import duckdb

        connection, statements = self.engine.connection, self.engine.statements
        rows = self.engine.rows_to_scan(self.window) if statements.allows_single_scan else None
        self._kept = None if rows is None else digest_bound(rows)
        if self._kept is None:
            return None
        try:
            with reporting_progress(connection):
                query = statements.single_scan(self.window, self._kept)
                connection.execute(f"CREATE OR REPLACE TEMP TABLE {SINGLE_SCAN} AS {query}")
                columns = self._census_columns()
        except duckdb.OutOfMemoryException:  # two scans hold less at a time
            columns = None
        if columns is None:
            self._kept = None
            connection.execute(f"DROP TABLE IF EXISTS temp.{SINGLE_SCAN}")
        return columns

    def _census_columns(self) -> list[NDArray[Any]] | None:
        """The census by column; None where a segment column has so many values that the census will be refused."""
        ((values,),) = self.engine.connection.execute(self.engine.statements.single_scan_segment_values()).fetchall()
        if values > MOST_SEGMENT_VALUES:
            return None
        result = self.engine.connection.execute(self.engine.statements.single_scan_census()).fetchnumpy()
        return [_with_none(column) for column in result.values()]


def _with_none(column: NDArray[Any]) -> NDArray[Any]:
    """A column with None where the result has NULL."""
    if not isinstance(column, np.ma.MaskedArray):
        return column
    filled = column.data.astype(np.object_)
    filled[np.ma.getmaskarray(column)] = None
    return filled
