"""The files that a frame of Spark reads, from the listing in its plan: no row is read for it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from stratawatch.adapters.sources.file_set import version_of_files
from stratawatch.engine.model.document import Json
from stratawatch.errors import InputRefused, Unreachable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Formats of logs: Spark reads as many bytes as it has listed, so that lines which come later do no harm.
_GROWING: Final = ("CSVFileFormat", "JsonFileFormat", "TextFileFormat")

FileListing = Mapping[str, tuple[int, int]]
"""Path -> bytes, and milliseconds of the last change."""


@dataclass(frozen=True)
class SparkFileListing:
    """The listing when the frame was made; empty for tables that Spark does not read from files."""

    frame: "DataFrame"
    listing: FileListing
    may_grow: bool

    def version(self) -> Json:
        """The version of the data: a fingerprint of all files with size and time; the first hundred are named."""
        if not self.listing:
            return {}
        return version_of_files(
            (name, size, datetime.fromtimestamp(changed / 1000, UTC))
            for name, (size, changed) in sorted(self.listing.items())
        )

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Raise Unreachable when a file that was read meanwhile is gone or another one; new files do no harm."""
        try:
            yield
        except InputRefused:
            self._require_unchanged()  # of half a file any error may be the half's
            raise
        self._require_unchanged()

    def _require_unchanged(self) -> None:
        for index in _indexes(self.frame):
            index.refresh()
        now = _listing(self.frame)
        for name, (size, changed) in self.listing.items():
            if name not in now:
                raise Unreachable(f"'{name}' vanished while it was read", hint=_AGAIN)
            if now[name] != (size, changed) and not (self.may_grow and now[name][0] >= size):
                raise Unreachable(f"'{name}' was written to while it was read", hint=_AGAIN)


_AGAIN: Final = "it is read again at the next advance"


def list_frame_files(frame: "DataFrame") -> SparkFileListing:
    """The files behind a frame, including those of views and of a catalog's partitions."""
    formats = {relation.fileFormat().getClass().getSimpleName() for relation in _relations(frame)}
    return SparkFileListing(frame, _listing(frame), may_grow=formats <= set(_GROWING))


def _listing(frame: "DataFrame") -> FileListing:
    jvm: Any = frame.sparkSession.sparkContext._jvm  # noqa: SLF001 - a listing is Spark's own affair
    everything = jvm.PythonUtils.toSeq([])
    return {
        file.getPath().toString(): (file.getLen(), file.getModificationTime())
        for index in _indexes(frame)
        for part in _each(index.listFiles(everything, everything))
        for file in _each(part.files())
    }


def _indexes(frame: "DataFrame") -> list[Any]:
    return [relation.location() for relation in _relations(frame)]


def _relations(frame: "DataFrame") -> Iterator[Any]:
    """The file relations in the plan; only Spark's JVM side has them, and has them without a scan."""
    for leaf in _each(frame._jdf.queryExecution().analyzed().collectLeaves()):  # noqa: SLF001 - nothing public tells
        if leaf.getClass().getSimpleName() == "LogicalRelation":
            relation = leaf.relation()
            if relation.getClass().getSimpleName() == "HadoopFsRelation":
                yield relation


def _each(sequence: Any) -> Iterator[Any]:
    """Iterate over a Scala sequence."""
    members = sequence.iterator()
    while members.hasNext():
        yield members.next()
