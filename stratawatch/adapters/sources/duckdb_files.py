"""Predictions in Parquet or CSV files, read by an embedded DuckDB: a file, a glob, a folder, Hive partitions."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any, Final

from stratawatch.adapters.sources.bad_rows import bad_row
from stratawatch.adapters.sources.ceilings import WantedRow, stratum_sizes, wanted_rows
from stratawatch.adapters.sources.census_answer import CensusCounts
from stratawatch.adapters.sources.column_types import require_columns
from stratawatch.adapters.sources.file_set import FileSet, find_files
from stratawatch.adapters.sources.plain_values import plain
from stratawatch.adapters.sources.quoting import identifier
from stratawatch.adapters.sources.session import Bounds, reading, session
from stratawatch.adapters.sources.statements import Statements
from stratawatch.core.population import Atom
from stratawatch.engine.records import BadRow, CandidateItem, CensusAnswer, PanelSpec, Window

_FETCHED: Final = 10_000
_FACTORS: Final = (1.0, 8.0, None)
"""How often a stratum is asked, and how many more hashes than expected each time; None asks for all of them."""
_FIXED: Final = 7
"""Columns of the candidates query before segments, payload and cluster."""


@dataclass(frozen=True)
class _Opened:
    """A connection, the files it reads and the statements for one panel."""

    connection: Any
    files: FileSet
    statements: Statements


class DuckDBSource:
    """Census and candidates of a window by two scans; nothing but counts and a few thousand rows leaves DuckDB.

    `path` is absolute. `delimiter` is for CSV (',' and, for .tsv, a tab). `confined_to` refuses files that links lead
    to outside of a folder. `memory_limit` ('4GB'), `threads` and `temp_folder` bound DuckDB.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        delimiter: str | None = None,
        confined_to: Path | None = None,
        memory_limit: str | None = None,
        threads: int | None = None,
        temp_folder: str | Path | None = None,
    ) -> None:
        self._path, self._delimiter, self._confined_to = str(path), delimiter, confined_to
        self._bounds = Bounds(memory_limit, threads, None if temp_folder is None else Path(temp_folder))

    def census(self, panel: PanelSpec, window: Window) -> CensusAnswer:
        """Count the window, profile its input. Raises InputRefused or Unreachable."""
        with self._open(panel) as opened:
            counts = CensusCounts(panel)
            cursor = opened.connection.execute(opened.statements.census(window))
            while groups := cursor.fetchmany(_FETCHED):
                counts.add(groups)
            profile = counts.profile()
            bad = self._bad_rows(opened, panel, window) if profile.bad_rows else ()
            return CensusAnswer(counts.census(), profile, bad, opened.files.version())

    def candidates(
        self, panel: PanelSpec, window: Window, atoms: Sequence[Atom], wanted: Sequence[int]
    ) -> tuple[CandidateItem, ...]:
        """Fetch, of every stratum, the `wanted` items (all, if it has fewer) with the smallest digests."""
        sizes = stratum_sizes(atoms)
        found: dict[int, list[CandidateItem]] = {}
        missing = [stratum for stratum, number in enumerate(wanted) if number > 0]
        with self._open(panel) as opened:
            for factor in _FACTORS:
                if not missing:
                    break
                found.update({stratum: [] for stratum in missing})
                _put_wanted(opened.connection, wanted_rows(atoms, wanted, missing, factor))
                cursor = opened.connection.execute(opened.statements.candidates(window))
                while rows := cursor.fetchmany(_FETCHED):
                    for row in rows:
                        found[atoms[row[1]].stratum].append(_candidate(panel, row))
                missing = [one for one in missing if len(found[one]) < min(wanted[one], sizes[one])]
        return tuple(item for stratum in sorted(found) for item in found[stratum])

    def describe(self, panel: PanelSpec) -> Mapping[str, str]:
        """Say what was found for `check`: files, rows, columns with types. Raises as `census` does."""
        with self._open(panel) as opened:
            time = identifier(panel.columns.time)
            rows, first, last = opened.connection.execute(
                f"SELECT COUNT(*), CAST(MIN({time}) AS VARCHAR), CAST(MAX({time}) AS VARCHAR) "
                f"FROM {opened.statements.relation}"
            ).fetchone()
            return {
                "path": self._path,
                "files": f"{len(opened.files.files)} {opened.files.format}, {opened.files.bytes:,} bytes",
                "rows": f"{rows:,}",
                "times": f"{first} to {last}" if rows else "none",
                "columns": ", ".join(f"{name} {kind}" for name, kind in opened.statements.types.items()),
            }

    @contextmanager
    def _open(self, panel: PanelSpec) -> Iterator[_Opened]:
        files = find_files(self._path, self._delimiter, self._confined_to)
        with session(self._bounds) as connection, reading(self._path):
            relation = files.relation()
            described = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
            types = {row[0]: row[1] for row in described}
            require_columns(panel, types)
            yield _Opened(connection, files, Statements(panel, relation, types))

    @staticmethod
    def _bad_rows(opened: _Opened, panel: PanelSpec, window: Window) -> tuple[BadRow, ...]:
        rows = opened.connection.execute(opened.statements.bad_rows(window)).fetchall()
        return tuple(bad_row(panel, opened.statements.given_names(), row) for row in rows)


def _put_wanted(connection: Any, rows: Sequence[WantedRow]) -> None:
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE wanted "
        "(pattern VARCHAR, bin INTEGER, atom INTEGER, stratum INTEGER, number INTEGER, ceiling VARCHAR)"
    )
    columns = [list(column) for column in zip(*rows, strict=True)]
    connection.execute(f"INSERT INTO wanted SELECT {', '.join(['UNNEST(?)'] * len(columns))}", columns)


def _candidate(panel: PanelSpec, row: Sequence[Any]) -> CandidateItem:
    item, atom, digest, pattern, bin_, time, copies = row[:_FIXED]
    names, payload = panel.columns.segments, panel.columns.payload
    split = _FIXED + len(names)
    return CandidateItem(
        item=item,
        atom=atom,
        digest=digest,
        pattern=pattern,
        bin=bin_,
        time=time.replace(tzinfo=UTC),
        copies=copies,
        payload={name: plain(value) for name, value in zip(payload, row[split : split + len(payload)], strict=True)},
        segments=dict(zip(names, row[_FIXED:split], strict=True)),
        cluster=row[-1] if panel.columns.cluster is not None else None,
    )
