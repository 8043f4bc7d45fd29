"""Which of several files lack a column: merged by name, their rows would say nothing where others say something."""

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from stratawatch.adapters.sources.column_types import listed, roles
from stratawatch.adapters.sources.duckdb_engine import column_types
from stratawatch.adapters.sources.file_set import FileSet, SourceFile
from stratawatch.adapters.sources.quoting import identifier, text
from stratawatch.adapters.sources.statements import Statements
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.errors import InputRefused


@dataclass(frozen=True)
class Lacking:
    """A column that the panel reads, what it is for, and the files that do not have it."""

    name: str
    role: str
    files: tuple[SourceFile, ...]


@dataclass(frozen=True)
class FileColumns:
    """The files of one source, with the columns that each of them has."""

    connection: Any
    files: FileSet
    panel: PanelSpec
    held: Mapping[Path, Sequence[str]]

    @cached_property
    def lacking(self) -> tuple[Lacking, ...]:
        """What is not in every file. Capital letters make no other name, as they do not where files are merged."""
        held = {path: {name.lower() for name in names} for path, names in self.held.items()}
        found = []
        for name, role in {name: role for name, role, _ in roles(self.panel)}.items():
            files = [one for one in self.files.files if name.lower() not in held.get(one.path, (name.lower(),))]
            found += [Lacking(name, role, tuple(files))] if files else []
        return tuple(found)

    def require_placed(self) -> None:
        """Refuse files that have rows, but no id or no time to tell their window by."""
        columns = self.panel.columns
        for one in self.lacking:
            if one.name in (columns.item, columns.time, columns.ingested):
                self._refuse(one, None)

    def require(self, window: Window) -> None:
        """Refuse files that have rows of this window and lack a column; those of other windows are no matter."""
        for one in self.lacking:
            self._refuse(one, window)

    def facts(self) -> Mapping[str, str]:
        """What is not in every file, in words."""
        told = [
            f"{one.name!r} in {len(one.files):,} of {len(self.files.files):,} files, {one.files[-1].path.name} the last"
            for one in self.lacking
        ]
        return {"missing": f"{'; '.join(told)}: windows with rows of them are refused"} if told else {}

    def _refuse(self, lacking: Lacking, window: Window | None) -> None:
        if not self._rows(lacking, lacking.files, window):
            return
        file = next(one for one in reversed(lacking.files) if self._rows(lacking, [one], window))
        has = "rows" if window is None else f"rows of the window {window}"
        read = {name.lower() for name, _, _ in roles(self.panel)}
        others = [name for name in self.held[file.path] if name.lower() not in read]
        near = difflib.get_close_matches(lacking.name, others, n=1)
        raise InputRefused(
            f"column {lacking.name!r} ({lacking.role} of panel {self.panel.name!r}) is missing in '{file.path}', "
            f"which has {has}; other files have it",
            got="the columns " + listed(self.held[file.path]),
            hint=f"is it {near[0]!r} there? Write that file again with the name that the others use"
            if near
            else "write that file again with the column, empty where there is nothing to say",
        )

    def _rows(self, lacking: Lacking, files: Iterable[SourceFile], window: Window | None) -> bool:
        """Whether these files have rows that should say something in the column."""
        relation = replace(self.files, files=tuple(files)).relation()
        if not self.connection.execute(f"SELECT 1 FROM {relation} LIMIT 1").fetchall():
            return False
        if window is None:
            return True
        types = column_types(self.connection, relation)
        rows = Statements(self.panel, self._speaking(lacking.name, relation, types), types).rows(window)
        return bool(self.connection.execute(rows).fetchall()[0][0])

    def _speaking(self, name: str, relation: str, types: Mapping[str, str]) -> str:
        """Of a long table, only the rows of those who say something in this column; other rows have no use for it."""
        columns = self.panel.columns
        whole = (columns.item, columns.time, columns.ingested, columns.classifier, columns.cluster)
        if columns.classifier not in types or name in (*whole, *columns.segments, *columns.payload):
            return relation
        said = [(one, (one.score, one.call)) for one in self.panel.classifiers]
        speakers = [text(one.called or one.name) for one, names in said if name in names]
        speakers += [text(one.called or one.name) for one in self.panel.auxiliary if one.score == name]
        who = f"CAST({identifier(columns.classifier)} AS VARCHAR) IN ({', '.join(speakers)})"
        return f"(SELECT * FROM {relation} WHERE {who})"


def file_columns(connection: Any, files: FileSet, panel: PanelSpec) -> FileColumns:
    """Look at the footers or the headers, at no row. A single file is what it is, and is not looked at."""
    look = _of_parquet if files.format == "parquet" else _of_csv
    held = {} if len(files.files) == 1 else look(connection, files)
    return FileColumns(connection, files, panel, {path: (*held[path], *_partitions(files, path)) for path in held})


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
    """The columns of a tree that is told depth first; its root is no column, nor is what lies inside of one.

    >>> _outermost(["root", "id", "who", "name", "score"], [3, 0, 1, 0, 0])
    ['id', 'who', 'score']
    """
    found, inside = [], 0
    for name, number in zip(names[1:], children[1:], strict=True):
        if inside == 0:
            found.append(name)
        inside += number - (inside > 0)
    return found


def _of_csv(connection: Any, files: FileSet) -> dict[Path, Sequence[str]]:
    """Equal first lines that name all columns are looked at once; not each has them, and some are compressed."""
    seen: dict[bytes, list[str]] = {}
    found: dict[Path, Sequence[str]] = {}
    for file in files.files:
        line = _first_line(file.path)
        names = seen.get(line) or list(column_types(connection, replace(files, files=(file,), hive=False).relation()))
        if all(name.encode() in line for name in names):
            seen[line] = names
        found[file.path] = names
    return found


def _first_line(path: Path) -> bytes:
    """Nothing of a file that cannot be opened: DuckDB says why."""
    try:
        with path.open("rb") as file:
            return file.readline(_LINE)
    except OSError:
        return b""


_LINE: Final = 2_000_000
"""Bytes of a line that DuckDB reads at most."""


def _partitions(files: FileSet, path: Path) -> Collection[str]:
    """The columns that the names of folders hold."""
    return [part.partition("=")[0] for part in path.parts[:-1] if "=" in part] if files.hive else []
