"""Which files a path means, and the expression that reads them all as one table."""

import glob
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path, PurePath
from stat import S_ISDIR, S_ISREG
from typing import Any, Final, Literal

from stratawatch.adapters.sources.dated_paths import DatedPath, has_wildcard, is_dated, undated
from stratawatch.adapters.sources.quoting import text
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.panel_spec import Window
from stratawatch.errors import ConfigError, InputRefused, Unreachable

FORMATS: Final[dict[str, Literal["parquet", "csv"]]] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".csv.gz": "csv",
    ".csv.zst": "csv",
    ".tsv": "csv",
    ".tsv.gz": "csv",
}
LISTED: Final = 100
"""Files named one by one in a source version; the fingerprint covers all of them."""


@dataclass(frozen=True)
class SourceFile:
    """One file as it was found."""

    path: Path
    bytes: int
    modified: datetime


@dataclass(frozen=True)
class FileSet:
    """The files of one source, all of one format, in the order of their paths."""

    path_pattern: str
    files: tuple[SourceFile, ...]
    format: Literal["parquet", "csv"]
    hive: bool
    delimiter: str

    @property
    def bytes(self) -> int:
        """Size of all files together."""
        return sum(file.bytes for file in self.files)

    def names(self) -> list[str]:
        """The paths as DuckDB reads them, with escaped wildcards."""
        return [glob.escape(str(file.path)) for file in self.files]

    def relation(self) -> str:
        """The table function of DuckDB that reads the files.

        CSV comes as text throughout: guessing types by a file's first rows would read the same column differently
        from week to week. Hive partitions stay text for the same reason ('01' is not 1).
        """
        names = ", ".join(text(name) for name in self.names())
        options = ["union_by_name = TRUE", f"hive_partitioning = {str(self.hive).upper()}"]
        if self.hive:
            options.append("hive_types_autocast = FALSE")
        if self.format == "csv":
            options += ["header = TRUE", "all_varchar = TRUE", f"delim = {text(self.delimiter)}"]
            options += [f"quote = {text(chr(34))}", f"escape = {text(chr(34))}"]
        return f"read_{self.format}([{names}], {', '.join(options)})"

    def version(self) -> Json:
        """The version of the data: a fingerprint of all files with size and time; the first hundred are named."""
        return version_of_files((str(file.path), file.bytes, file.modified) for file in self.files)

    @contextmanager
    def unchanged(self, *, may_grow: bool = True) -> Iterator[None]:
        """Raise Unreachable when a file that was read meanwhile is gone, shorter or another one; a CSV may grow."""
        try:
            yield
        except InputRefused:
            self._require_unchanged(may_grow=False)  # of half a file, or line, any error may be the half's
            raise
        self._require_unchanged(may_grow=may_grow and self.format == "csv")

    def _require_unchanged(self, *, may_grow: bool) -> None:
        for old, path in ((file, file.path) for file in self.files):
            try:
                status = path.stat()
            except OSError as error:
                raise Unreachable(f"'{path}' vanished while it was read", hint=_AGAIN) from error
            now = status.st_size, datetime.fromtimestamp(status.st_mtime, UTC)
            if now != (old.bytes, old.modified) and not (may_grow and status.st_size >= old.bytes):
                raise Unreachable(f"'{path}' was written to while it was read", hint=_AGAIN)


_AGAIN: Final = "it is read again at the next advance"


def version_of_files(files: Iterable[tuple[str, int, datetime]]) -> Json:
    """The version of data in files, of their names, sizes and times of change: all in a fingerprint, some by name."""
    listing: list[dict[str, Any]] = [
        {"name": name, "bytes": size, "modified": changed.isoformat()} for name, size, changed in files
    ]
    lines = [f"{one['name']} {one['bytes']} {one['modified']}" for one in listing]
    return {
        "files": len(listing),
        "bytes": sum(one["bytes"] for one in listing),
        "fingerprint": digest_of_lines(lines),
        "listing": listing[:LISTED],
    }


def digest_of_lines(lines: Iterable[str]) -> str:
    """A fingerprint of lines in their order."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def find_files(
    path_pattern: str,
    delimiter: str | None = None,
    confined_to: Path | None = None,
    window: Window | None = None,
    margin: timedelta = timedelta(0),
) -> FileSet:
    """Find the files of a folder, a glob or a single path; raises Unreachable when there are none.

    With `confined_to`, a link that leads out of that folder raises ConfigError. Where the names say when rows are of,
    a `window` leaves out other times' files, but for one that has the columns; `margin` is of DatedPath.
    """
    try:
        paths = _of_window(path_pattern, _expand(path_pattern), window, margin)
        found = tuple(sorted(stat_files(paths), key=lambda file: str(file.path)))
        if confined_to is not None:
            confine([file.path for file in found], confined_to)
    except OSError as error:
        raise Unreachable(f"'{path_pattern}' cannot be looked at", got=error.strerror or str(error)) from error
    if not found:
        raise Unreachable(
            f"no Parquet or CSV file matches '{path_pattern}'",
            hint="check the source's path, and that the export has run",
        )
    return file_set(path_pattern, found, _base(path_pattern), delimiter)


def file_set(path_pattern: str, found: tuple[SourceFile, ...], base: Path, delimiter: str | None) -> FileSet:
    """The set of files that were found below a folder; there is at least one."""
    formats = {_format(file.path) for file in found}
    if len(formats) > 1:
        raise ConfigError(
            f"'{path_pattern}' holds Parquet and CSV files", expected="one format", hint="use a glob as *.parquet"
        )
    tabs = all(".tsv" in file.path.name.lower() for file in found)
    hive = all(_partitioned(base, file.path) for file in found)
    return FileSet(path_pattern, found, _format(found[0].path), hive, delimiter or ("\t" if tabs else ","))


def confine(files: Iterable[Path], folder: Path) -> None:
    """Refuse files behind links that lead out of the folder: whoever writes exports may not choose what is read."""
    home = folder.resolve()
    for file in files:
        if not file.resolve().is_relative_to(home):
            raise ConfigError(
                f"'{file}' is behind a link that leads out of the folder of the configuration",
                expected=f"a file below {home}/",
                hint="put the file itself there, or allow_outside = true lets a source do that",
            )


def _expand(path_pattern: str) -> Iterable[Path]:
    place = Path(path_pattern)
    if place.is_file():
        if known_ending(place) is None:
            raise ConfigError(f"'{path_pattern}' has no known ending", expected=", ".join(FORMATS))
        return [place]
    base = _base(path_pattern)
    _refuse_lake_tables(base)
    names = base.rglob("*") if base == place else base.glob(undated(place.relative_to(base).as_posix()))
    return [path for path in names if known_ending(path) and not _hidden(base, path)]


def _of_window(path_pattern: str, paths: Iterable[Path], window: Window | None, margin: timedelta) -> Iterable[Path]:
    """The files whose names fit the fields of the pattern, if it has any, and of those the ones of the window."""
    if not is_dated(path_pattern):
        return paths
    base = _base(path_pattern)
    dated = DatedPath(Path(path_pattern).relative_to(base).as_posix(), margin)
    return dated.of_window(paths, window, lambda path: path.relative_to(base).as_posix())


def _refuse_lake_tables(folder: Path) -> None:
    """Refuse a folder whose log says which of its files count: the others are of rows that were deleted or replaced."""
    for pattern, what, hint in (
        ("_delta_log", "a Delta table", 'read it with kind = "delta", or through Spark'),
        ("metadata/*.metadata.json", "an Iceberg table", "read it through Spark"),
    ):
        if any(folder.glob(pattern)):
            raise ConfigError(f"'{folder}' is {what}: not all of its files count, only those in its log", hint=hint)


def _base(path_pattern: str) -> Path:
    """The folder in front of the first wildcard; the files are below it."""
    place = Path(path_pattern)
    if place.is_dir():
        return place
    fixed = list(takewhile(lambda part: not has_wildcard(part), place.parts))
    return Path(*fixed) if len(fixed) < len(place.parts) else place.parent


def known_ending(path: PurePath) -> str | None:
    """The ending by which a file is read; None where it is not."""
    return next((ending for ending in FORMATS if path.name.lower().endswith(ending)), None)


def _format(path: Path) -> Literal["parquet", "csv"]:
    return FORMATS[known_ending(path) or ".parquet"]


def _partitioned(base: Path, path: Path) -> bool:
    return any("=" in part for part in path.relative_to(base).parts[:-1])


def _hidden(base: Path, path: Path) -> bool:
    """Whether a name begins with a dot or an underscore: writers name unfinished and bookkeeping files so."""
    return is_hidden(path.relative_to(base).parts)


def is_hidden(parts: Iterable[str]) -> bool:
    """Whether one of a path's parts begins with a dot or an underscore."""
    return any(part.startswith((".", "_")) for part in parts)


def stat_files(paths: Iterable[Path]) -> Iterable[SourceFile]:
    """The files as they are, without folders."""
    for path in paths:
        try:
            status = path.stat()
        except FileNotFoundError as error:
            raise Unreachable(f"'{path}' vanished while it was looked at", hint="it is looked for again") from error
        if not S_ISREG(status.st_mode) and not S_ISDIR(status.st_mode):
            raise Unreachable(
                f"'{path}' is a pipe or a device, and whoever opens it may wait for ever",
                hint="put a file in its place, or take it away",
            )
        if S_ISREG(status.st_mode):
            yield SourceFile(path, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))
