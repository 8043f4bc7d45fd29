"""Which of several files lack a column: merged by name, their rows would have NULL where others have a value."""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from stratawatch.adapters.sources.column_types import list_names
from stratawatch.adapters.sources.duckdb_session import column_types
from stratawatch.adapters.sources.file_set import FileSet, SourceFile
from stratawatch.adapters.sources.quoting import identifier, text
from stratawatch.adapters.sources.statements import Statements
from stratawatch.engine.model.panel_spec import PanelSpec, RequiredColumn, Window
from stratawatch.engine.ports import ColumnProblem
from stratawatch.errors import InputRefused


@dataclass(frozen=True)
class MissingFileColumns:
    """The files of one source, with the columns that each of them has."""

    connection: Any
    files: FileSet
    panel: PanelSpec
    columns_by_file: Mapping[Path, Sequence[str]]

    @cached_property
    def missing(self) -> Mapping[str, Sequence[SourceFile]]:
        """The columns that some file lacks, each with these files.

        Case does not matter, as it does not where files are merged.
        """
        names_in = {path: {name.lower() for name in names} for path, names in self.columns_by_file.items()}
        lacking = {
            name: [one for one in self.files.files if name.lower() not in names_in.get(one.path, (name.lower(),))]
            for name in dict.fromkeys(role.column for role in self.panel.column_roles())
        }
        return {name: files for name, files in lacking.items() if files}

    def item_and_time_problems(self) -> Iterator[ColumnProblem]:
        """Files that have rows, but no id, or no time that says which window they belong to."""
        for role in self.panel.column_roles():
            if role.role in ("item", "time", "ingested") and (error := self._refusal(role, None)):
                yield ColumnProblem(role, error)

    def require_columns(self, window: Window) -> None:
        """Refuse files that have rows of this window and lack a column; files of other windows may."""
        for role in {role.column: role for role in self.panel.column_roles()}.values():
            if error := self._refusal(role, window):
                raise error

    def facts(self) -> Mapping[str, str]:
        """A description of the columns that some file lacks, for `check`."""
        columns = [
            f"{name!r} in {len(files):,} of {len(self.files.files):,} files, {files[-1].path.name} the last"
            for name, files in self.missing.items()
            if len(files) < len(self.files.files)
        ]
        return {"missing": f"{'; '.join(columns)}: windows with rows of them are refused"} if columns else {}

    def _refusal(self, role: RequiredColumn, window: Window | None) -> InputRefused | None:
        name, files = role.column, self.missing.get(role.column, ())
        if not files or not self._has_rows(name, files, window):
            return None
        file = next(one for one in reversed(files) if self._has_rows(name, [one], window))
        has = "rows" if window is None else f"rows of the window {window}"
        read = {one.column.lower() for one in self.panel.column_roles()}
        others = [one for one in self.columns_by_file[file.path] if one.lower() not in read]
        near = difflib.get_close_matches(name, others, n=1)
        return InputRefused(
            f"column {name!r} ({role.purpose} of panel {self.panel.name!r}) is missing in '{file.path}', "
            f"which has {has}; other files have it",
            got="the columns " + list_names(self.columns_by_file[file.path]),
            hint=f"is it {near[0]!r} there? Write that file again with the name that the others use"
            if near
            else "write that file again with the column, empty where there is nothing to say",
        )

    def _has_rows(self, name: str, files: Iterable[SourceFile], window: Window | None) -> bool:
        """Whether these files have rows that should have a value in the column."""
        relation = replace(self.files, files=tuple(files)).relation()
        if not self.connection.execute(f"SELECT 1 FROM {relation} LIMIT 1").fetchall():
            return False
        if window is None:
            return True
        types = column_types(self.connection, relation)
        rows = Statements(self.panel, self._rows_with_values(name, relation, types), types).row_count(window)
        return bool(self.connection.execute(rows).fetchall()[0][0])

    def _rows_with_values(self, name: str, relation: str, types: Mapping[str, str]) -> str:
        """Of a long table, only the rows of the scorers that this column is for; other rows have no value in it."""
        columns = self.panel.columns
        of_every_row = (
            columns.item,
            columns.time,
            columns.ingested,
            columns.partition,
            columns.classifier,
            columns.cluster,
        )
        if columns.classifier not in types or name in (*of_every_row, *columns.segments, *columns.payload):
            return relation
        named = [(one, (one.score, one.call)) for one in self.panel.classifiers]
        scorers = [text(one.called or one.name) for one, names in named if name in names]
        scorers += [text(one.called or one.name) for one in self.panel.auxiliary if one.score == name]
        is_theirs = f"CAST({identifier(columns.classifier)} AS VARCHAR) IN ({', '.join(scorers)})"
        return f"(SELECT * FROM {relation} WHERE {is_theirs})"


def missing_file_columns(connection: Any, files: FileSet, panel: PanelSpec) -> MissingFileColumns:
    """The columns of each file, from footers or headers alone. A single file is not read: it defines the columns."""
    read = _of_parquet if files.format == "parquet" else _of_csv
    names = {} if len(files.files) == 1 else read(connection, files)
    return MissingFileColumns(
        connection, files, panel, {path: (*names[path], *_partitions(files, path)) for path in names}
    )


def _of_parquet(connection: Any, files: FileSet) -> dict[Path, Sequence[str]]:
    footers = connection.execute(
        """
        SELECT file_name, LIST(name ORDER BY column_id), LIST(COALESCE(num_children, 0) ORDER BY column_id)
        FROM parquet_schema(?)
        GROUP BY file_name
        """,
        [files.names()],
    )
    return {Path(name): _outermost(names, children) for name, names, children in footers.fetchall()}


def _outermost(names: Sequence[str], children: Sequence[int]) -> list[str]:
    """The columns of a schema listed depth first: its root is no column, and fields inside of a column are none.

    >>> _outermost(["root", "id", "who", "name", "score"], [3, 0, 1, 0, 0])
    ['id', 'who', 'score']
    """
    columns, inside = [], 0
    for name, number in zip(names[1:], children[1:], strict=True):
        if inside == 0:
            columns.append(name)
        inside += number - (inside > 0)
    return columns


def _of_csv(connection: Any, files: FileSet) -> dict[Path, Sequence[str]]:
    """Read by DuckDB, but once for all files whose first line is the same and spells every column's name."""
    names_of_line: dict[bytes, list[str]] = {}
    columns: dict[Path, Sequence[str]] = {}
    for file in files.files:
        line = first_line(file.path)
        names = names_of_line.get(line) or list(
            column_types(connection, replace(files, files=(file,), hive=False).relation())
        )
        if all(name.encode() in line for name in names):
            names_of_line[line] = names
        columns[file.path] = names
    return columns


def first_line(path: Path) -> bytes:
    """The first line of a file; empty if it cannot be opened, which DuckDB reports."""
    try:
        with path.open("rb") as file:
            return file.readline(_MAX_LINE_BYTES)
    except OSError:
        return b""


# DuckDB reads no line that is longer.
_MAX_LINE_BYTES: Final = 2_000_000


def _partitions(files: FileSet, path: Path) -> Collection[str]:
    """The columns that Hive partitions have in the names of folders."""
    return [part.partition("=")[0] for part in path.parts[:-1] if "=" in part] if files.hive else []
