"""Files in a bucket, copied into a folder before they are read: an object once for each content that it has."""

import os
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from hashlib import sha256
from itertools import accumulate
from pathlib import Path, PurePosixPath
from time import time
from typing import Final
from uuid import uuid4

from stratawatch.adapters.object_storage import ObjectInfo, ObjectStorage, check_storage_url
from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.duckdb_session import DuckDBLimits
from stratawatch.adapters.sources.file_set import (
    FileSet,
    SourceFile,
    file_set,
    is_hidden,
    known_ending,
    stat_files,
    version_of_files,
)
from stratawatch.adapters.sources.missing_file_columns import MissingFileColumns
from stratawatch.adapters.sources.window_times import is_day_of
from stratawatch.atomic_files import PRIVATE, make_folder
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.errors import ConfigError, Unreachable

UNFINISHED: Final = ".part-"
ABANDONED: Final = timedelta(hours=1)
"""The age of an unfinished copy whose process has died."""


def split_address(path: str) -> tuple[str, str]:
    """The place before the first wildcard, and the pattern below it.

    >>> split_address("s3://bucket/a/day=*/b-*.parquet")
    ('s3://bucket/a', 'day=*/b-*.parquet')
    >>> split_address("gs://bucket/a/b.csv"), split_address("az://bucket/a")
    (('gs://bucket/a', 'b.csv'), ('az://bucket/a', '**/*'))
    """
    scheme, _, rest = path.partition("://")
    parts = rest.rstrip("/").split("/")
    is_name = known_ending(PurePosixPath(parts[-1])) is not None
    fixed = next((i for i, part in enumerate(parts) if set(part) & set("*?[")), len(parts) - is_name)
    return check_storage_url(f"{scheme}://{'/'.join(parts[:fixed])}"), "/".join(parts[fixed:]) or "**/*"


def matches(name: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the parts of a name fit those of a pattern, in which ** is any number of parts."""
    if not pattern or not name:
        return not pattern and not name
    if pattern[0] == "**":
        return matches(name, pattern[1:]) or matches(name[1:], pattern)
    return fnmatchcase(name[0], pattern[0]) and matches(name[1:], pattern[1:])


@dataclass(frozen=True)
class Copies(FileSet):
    """Copies of objects, whose names and stamps are the version."""

    objects: tuple[ObjectInfo, ...]
    matching: int
    """How many objects fit the pattern, of other days too."""

    def version(self) -> Json:
        """The version of the data: a fingerprint of all objects with size, time and stamp; some by name."""
        return version_of_files((f"{one.name} {one.stamp}", one.size, one.changed) for one in self.objects)


@dataclass(frozen=True)
class BucketFiles:
    """Objects that fit a pattern. `folder` holds no more than `most_bytes` of them.

    Where all of them lie in Hive partitions by day, only those of a window are copied, or, without one, the newest.
    """

    storage: ObjectStorage
    pattern: str
    folder: Path
    most_bytes: int
    delimiter: str | None = None

    @contextmanager
    def copied(self, partition: str | None = None, window: Window | None = None) -> Iterator[Copies]:
        """The copies. Raises Unreachable when what they are copies of is another afterwards.

        `partition` is the column that holds the day of a row.
        """
        listed = self.storage.listed_below()
        matching = self._matching(listed)
        found = self._fitting(matching, partition, window)
        home = self.folder / sha256(self.storage.where.encode()).hexdigest()[:16]
        try:
            files = self._copy(found, listed, home)
        except OSError as trouble:
            raise Unreachable(
                f"the objects of {self.storage.where} cannot be copied into {self.folder}",
                got=trouble.strerror or type(trouble).__name__,
                hint="see that the folder may be written and its disk has room, or set the source's cache",
            ) from trouble
        one_table = file_set(f"{self.storage.where}/{self.pattern}", files, home, self.delimiter)
        copies = Copies(**vars(one_table), objects=tuple(found), matching=len(matching))
        with copies.unchanged(may_grow=False):
            yield copies
        now = {one.name: one.stamp for one in self.storage.listed_below()}
        for one in found:
            if now.get(one.name) != one.stamp:
                what = "was written to" if one.name in now else "vanished"
                raise Unreachable(
                    f"'{self.storage.where}/{one.name}' {what} while it was read",
                    hint="it is read again at the next advance",
                )

    def _matching(self, listed: Sequence[ObjectInfo]) -> list[ObjectInfo]:
        everything = [(one, one.name.split("/")) for one in listed]
        if any("_delta_log" in parts or one.name.endswith(".metadata.json") for one, parts in everything):
            raise ConfigError(
                f"{self.storage.where} is a Delta or Iceberg table: not all of its files count, only those in its log",
                hint='read it with kind = "delta" or "iceberg"',
            )
        pattern = self.pattern.split("/")
        found = [one for one, parts in everything if matches(parts, pattern) and _is_data(one)]
        if not found:
            raise Unreachable(
                f"no Parquet or CSV object of {self.storage.where} matches {self.pattern}",
                hint="check the source's path, and that the export has run",
            )
        return found

    def _fitting(
        self, found: Sequence[ObjectInfo], partition: str | None, window: Window | None
    ) -> Sequence[ObjectInfo]:
        """The objects that have to be read; raises ConfigError where they are more than the folder may hold."""
        days = _days(found, partition)
        if days and window is not None:
            inside = [one for one, day in zip(found, days, strict=True) if is_day_of(day, window)]
            found = inside or found[-1:]  # one that says which columns there are
        elif days:
            newest = sorted(zip(days, found, strict=True), key=lambda pair: pair[0], reverse=True)
            total = accumulate(one.size for _, one in newest)
            fitting = {one.name for (_, one), size in zip(newest, total, strict=True) if size <= self.most_bytes}
            found = [one for one in found if one.name in fitting] or [newest[0][1]]
        if (size := sum(one.size for one in found)) > self.most_bytes:
            raise ConfigError(
                f"the objects of {self.storage.where} that match {self.pattern} do not fit into the cache",
                expected=f"at most {self.most_bytes:,} bytes",
                got=f"{size:,}",
                hint="let path name fewer of them, set cache_limit, or name the column of a partition by day",
            )
        return found

    def _copy(self, found: Sequence[ObjectInfo], listed: Sequence[ObjectInfo], home: Path) -> tuple[SourceFile, ...]:
        make_folder(home, PRIVATE)
        copies = {home / _copy_name(one): one for one in found}
        self._make_room(home, copies, {home / _copy_name(one) for one in listed if _is_data(one)})
        for path, one in copies.items():
            if not path.exists():
                make_folder(path.parent, PRIVATE)
                draft = path.with_name(f"{UNFINISHED}{uuid4().hex}")
                try:
                    self.storage.download(one, draft)
                    os.utime(draft, (one.changed.timestamp(), one.changed.timestamp()))
                    draft.replace(path)
                finally:
                    with suppress(FileNotFoundError):
                        draft.unlink()
        return tuple(stat_files(sorted(copies)))

    def _make_room(self, home: Path, copies: Mapping[Path, ObjectInfo], contents: AbstractSet[Path]) -> None:
        """Delete copies of what is gone, and of other windows, the oldest first, what would be too much."""
        others = []
        for old in [path for path in home.rglob("*") if path.is_file() and path not in copies]:
            status = old.stat()
            if old in contents:
                others.append((status.st_mtime, status.st_size, old))
            elif not old.name.startswith(UNFINISHED) or status.st_mtime < time() - ABANDONED.total_seconds():
                old.unlink(missing_ok=True)
        room = self.most_bytes - sum(one.size for one in copies.values())
        for _, size, old in sorted(others, reverse=True):
            room -= size
            if room < 0:
                old.unlink(missing_ok=True)


def _is_data(one: ObjectInfo) -> bool:
    parts = one.name.split("/")
    return all(parts) and not is_hidden(parts) and known_ending(PurePosixPath(one.name)) is not None


def _days(found: Sequence[ObjectInfo], partition: str | None) -> list[str]:
    """The day of each object by the folder `partition=DAY`; empty unless every object has one such folder."""
    folders = [[part.partition("=") for part in one.name.split("/")[:-1]] for one in found]
    days = [[day for name, is_partition, day in parts if is_partition and name == partition] for parts in folders]
    return [one[0] for one in days] if all(len(one) == 1 for one in days) else []


def _copy_name(one: ObjectInfo) -> str:
    """The object's name, told apart from copies of its other contents; its folders may be partitions."""
    folders, _, name = one.name.rpartition("/")
    ending = known_ending(PurePosixPath(name)) or ""
    mark = sha256(f"{one.name}\0{one.stamp}".encode()).hexdigest()[:16]
    return f"{folders}/{mark}{ending}".lstrip("/")


class BucketFilesSource(FilesSource):
    """Reads copies. Which objects they are of is the version that the cycle keeps, of a window if days tell it."""

    def __init__(self, path: str, files: BucketFiles, *, limits: DuckDBLimits | None = None) -> None:
        super().__init__(path, limits=limits)
        self._in_bucket = files

    @contextmanager
    def _files(self, panel: PanelSpec, window: Window | None) -> Iterator[FileSet]:
        with self._in_bucket.copied(panel.columns.partition, window) as files:
            yield files

    def _facts(self, files: FileSet, columns_of_files: MissingFileColumns) -> Mapping[str, str]:
        facts = super()._facts(files, columns_of_files)
        if not isinstance(files, Copies) or files.matching == len(files.files):
            return facts
        return {**facts, "copied": f"the newest days: all {files.matching:,} objects do not fit into the cache"}
