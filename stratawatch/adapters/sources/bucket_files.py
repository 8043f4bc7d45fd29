"""Files in a bucket, copied into a folder before they are read: an object once for each content that it has."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from pathlib import Path, PurePosixPath
from time import time
from typing import Final
from uuid import uuid4

from stratawatch.adapters.object_storage import ObjectInfo, ObjectStorage, check_storage_url
from stratawatch.adapters.sources.dated_paths import DatedPath, has_wildcard
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

NO_TIME: Final = "neither `path` nor `partition` says when their rows are of"
EVERYWHERE: Final = ("",)
LAKE_FOLDERS: Final = ("_delta_log", "metadata")
UNFINISHED: Final = ".part-"
ABANDONED: Final = timedelta(hours=1)
"""The age of an unfinished copy whose process has died."""
UNLISTED: Final = timedelta(days=30)
"""The age of a copy that goes where its folder was not listed: whether its object is still there, nobody knows."""


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
    fixed = next((i for i, part in enumerate(parts) if has_wildcard(part)), len(parts) - is_name)
    return check_storage_url(f"{scheme}://{'/'.join(parts[:fixed])}"), "/".join(parts[fixed:]) or "**/*"


@dataclass(frozen=True)
class Listing:
    """The objects of some folders, by their names below a place."""

    folders: Sequence[str]
    objects: Sequence[ObjectInfo]

    def covers(self, folder: str) -> bool:
        """Whether all objects of a folder are in the listing."""
        return any(not listed or f"{folder}/".startswith(f"{listed}/") for listed in self.folders)


@dataclass(frozen=True)
class Copies(FileSet):
    """Copies of objects, whose names and stamps are the version."""

    objects: tuple[ObjectInfo, ...]
    matching: int
    """How many of the objects that were listed fit the pattern."""
    is_dated: bool
    """Whether their names say when their rows are of."""

    def version(self) -> Json:
        """The version of the data: a fingerprint of all objects with size, time and stamp; some by name."""
        return version_of_files((f"{one.name} {one.stamp}", one.size, one.changed) for one in self.objects)


@dataclass(frozen=True)
class BucketFiles:
    """Objects that fit a pattern. `folder` holds no more than `most_bytes` of them.

    Where names say when rows are of, by the pattern's fields or as Hive partitions by day, only the objects of a window
    are copied, or, without one, the newest.
    """

    storage: ObjectStorage
    pattern: DatedPath
    folder: Path
    most_bytes: int
    delimiter: str | None = None

    @contextmanager
    def copied(self, partition: str | None = None, window: Window | None = None) -> Iterator[Copies]:
        """The copies. Raises Unreachable when what they are copies of is another afterwards.

        `partition` is the column that holds the day of a row.
        """
        listing, matching = self._listed(window)
        found, is_dated = self._of_window(matching, partition, window)
        self._require_room(found)
        home = self.folder / sha256(self.storage.where.encode()).hexdigest()[:16]
        try:
            files = self._copy(found, listing, home)
        except OSError as trouble:
            raise Unreachable(
                f"the objects of {self.storage.where} cannot be copied into {self.folder}",
                got=trouble.strerror or type(trouble).__name__,
                hint="see that the folder may be written and its disk has room, or set the source's cache",
            ) from trouble
        one_table = file_set(f"{self.storage.where}/{self.pattern.pattern}", files, home, self.delimiter)
        copies = Copies(**vars(one_table), objects=tuple(found), matching=len(matching), is_dated=is_dated)
        with copies.unchanged(may_grow=False):
            yield copies
        now = {one.name: one.stamp for one in self._list(listing.folders).objects}
        for one in found:
            if now.get(one.name) != one.stamp:
                what = "was written to" if one.name in now else "vanished"
                raise Unreachable(
                    f"'{self.storage.where}/{one.name}' {what} while it was read",
                    hint="it is read again at the next advance",
                )

    def _list(self, folders: Sequence[str]) -> Listing:
        return Listing(folders, [one for folder in folders for one in self.storage.listed_below(folder)])

    def _listed(self, window: Window | None) -> tuple[Listing, Sequence[ObjectInfo]]:
        """The folders in which objects of the window are, or all of them, and the objects that match."""
        folders = EVERYWHERE if window is None else tuple(self.pattern.folders(window))
        if folders != EVERYWHERE:
            folders += LAKE_FOLDERS
        listing = self._list(folders)
        if any("_delta_log" in one.name.split("/") or one.name.endswith(".metadata.json") for one in listing.objects):
            raise ConfigError(
                f"{self.storage.where} is a Delta or Iceberg table: not all of its files count, only those in its log",
                hint='read it with kind = "delta" or "iceberg"',
            )
        matching = [one for one in listing.objects if self.pattern.matches(one.name) and _is_data(one)]
        if not matching and folders != EVERYWHERE:  # some other object says which columns there are
            return self._listed(None)
        if not matching:
            raise Unreachable(
                f"no Parquet or CSV object of {self.storage.where} matches {self.pattern.pattern}",
                hint="check the source's path, and that the export has run",
            )
        return listing, matching

    def _of_window(
        self, matching: Sequence[ObjectInfo], partition: str | None, window: Window | None
    ) -> tuple[Sequence[ObjectInfo], bool]:
        """The objects that have to be read, and whether names said which."""
        if self.pattern.is_dated and window is not None:
            return self.pattern.of_window(matching, window, lambda one: one.name), True
        days = self.pattern.starts(one.name for one in matching) or _days(matching, partition)
        if not days:
            return matching, False
        newest = [one for one, day in zip(matching, days, strict=True) if day == max(days)]
        if window is None:
            return newest, True
        inside = [one for one, day in zip(matching, days, strict=True) if is_day_of(day, window)]
        return inside or newest[:1], True

    def _require_room(self, found: Sequence[ObjectInfo]) -> None:
        if (size := sum(one.size for one in found)) > self.most_bytes:
            raise ConfigError(
                f"the objects of {self.storage.where} that match {self.pattern.pattern} do not fit into the cache",
                expected=f"at most {self.most_bytes:,} bytes",
                got=f"{size:,}",
                hint="set cache_limit, or let path say when rows are of, as in {year}/{month}/{day}/*.parquet",
            )

    def _copy(self, found: Sequence[ObjectInfo], listing: Listing, home: Path) -> tuple[SourceFile, ...]:
        make_folder(home, PRIVATE)
        copies = {home / _copy_name(one): one for one in found}
        self._make_room(home, copies, listing)
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

    def _make_room(self, home: Path, copies: Mapping[Path, ObjectInfo], listing: Listing) -> None:
        """Delete copies of what is gone, and of other windows, the oldest first, what would be too much."""
        contents, now = {home / _copy_name(one) for one in listing.objects if _is_data(one)}, time()
        others = []
        for old in [path for path in home.rglob("*") if path.is_file() and path not in copies]:
            status = old.stat()
            if old.name.startswith(UNFINISHED):
                is_gone = status.st_mtime < now - ABANDONED.total_seconds()
            elif listing.covers(old.parent.relative_to(home).as_posix()):
                is_gone = old not in contents
            else:
                is_gone = status.st_ctime < now - UNLISTED.total_seconds()
            if is_gone:
                old.unlink(missing_ok=True)
            elif not old.name.startswith(UNFINISHED):
                others.append((status.st_mtime, status.st_size, old))
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
    """Reads copies. Which objects they are of is the version that the cycle keeps, of a window if names tell it."""

    def __init__(self, path: str, files: BucketFiles, *, limits: DuckDBLimits | None = None) -> None:
        super().__init__(path, limits=limits)
        self._in_bucket = files

    @contextmanager
    def _files(self, panel: PanelSpec, window: Window | None) -> Iterator[FileSet]:
        with self._in_bucket.copied(panel.columns.partition, window) as files:
            yield files

    def _is_of_window(self, panel: PanelSpec) -> bool:
        return super()._is_of_window(panel) or panel.columns.partition is not None

    def _facts(self, files: FileSet, columns_of_files: MissingFileColumns) -> Mapping[str, str]:
        facts = super()._facts(files, columns_of_files)
        if not isinstance(files, Copies) or files.matching == 1:
            return facts
        if files.is_dated:
            return {**facts, "objects": f"{files.matching:,} match; looked at those of the newest time"}
        return {**facts, "objects": f"{files.matching:,} match, and all are copied for each window: {NO_TIME}"}
