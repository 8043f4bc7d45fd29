"""Reads files of labels or truth that others are still writing: whole lines only, from where the last reading ended."""

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, Generic, TypeVar
from zlib import crc32

from stratawatch.adapters.queues.label_line import Origin, bad_line
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.errors import StratawatchError

BLOCK: Final = 1 << 16
ENDING: Final = ".jsonl"
Said = TypeVar("Said")
"""What a good line says: a label event, or a statement of truth."""
_KEY: Final = re.compile(rb'"key"\s*:\s*"([^"\\]*)"')


@dataclass(frozen=True)
class ReadCaps:
    """Limits of one reading, and how long to wait for the rest of an unfinished line."""

    file_bytes: int = 64 << 20
    line_bytes: int = 1 << 20
    events: int = 5000
    patience: timedelta = timedelta(hours=1)


@dataclass(frozen=True)
class ReadPosition:
    """How far a file was read. `crc` of all bytes before `offset` tells a grown file from a replaced one.

    `stamp` spares that check while the file is untouched, and opening it when all of it was read. `reported` is
    the last problem of the file that was reported: each is reported once.
    """

    offset: int = 0
    line: int = 0
    crc: int = 0
    stamp: str = ""
    reported: str = ""

    @classmethod
    def of(cls, cursor: Mapping[str, Any] | Sequence[Any] | None) -> "ReadPosition":
        """The position that a cursor holds, as a list or, in older ones, by name; the beginning without one."""
        if not cursor:
            return cls()
        if isinstance(cursor, Mapping):  # versions before wrote names, and `told` for `reported`
            return cls(**{"reported" if name == "told" else name: value for name, value in cursor.items()})
        return cls(*cursor)

    def as_cursor(self) -> list[Any]:
        """The position as a cursor holds it: a list without names, for there is one for every file of the folder."""
        return [self.offset, self.line, self.crc, self.stamp, self.reported]


def places(cursor: Mapping[str, object]) -> Mapping[str, Any]:
    """How far each file was read, by its name."""
    files = cursor.get("files", {})
    if not isinstance(files, Mapping):
        raise StratawatchError(
            "the label queue's cursor cannot be read", expected="files by name", got=repr(files)[:80]
        )
    return files


@dataclass(frozen=True)
class NewLines(Generic[Said]):
    """The lines of a file after a position, and the position after them."""

    position: ReadPosition
    events: tuple[Said, ...] = ()
    rejected: tuple[QuarantinedRow, ...] = ()


@dataclass(frozen=True)
class OpenedFile:
    """A file to be read. `stamp` is another after any change, `changed` the time of the last one."""

    handle: BinaryIO
    size: int
    stamp: str
    changed: datetime


@dataclass(frozen=True)
class Inbox(Generic[Said]):
    """A folder of files whose lines `parse` reads. `now` is the clock that stamps the files: not a simulated one.

    `number` gives events without an id theirs, as RepeatedAnswers.numbered does; None where every line has its own.
    """

    folder: Path
    source: str
    caps: ReadCaps
    parse: Callable[[bytes, Origin], Said | QuarantinedRow]
    number: Callable[..., tuple[Said, ...]] | None = None

    def names(self) -> list[str]:
        """The names of what may be label files, sorted; hidden entries and folders are left out."""
        entries = (entry for entry in os.scandir(self.folder) if not entry.name.startswith("."))
        return sorted(entry.name for entry in entries if entry.name.endswith(ENDING) or entry.is_file())

    def read(self, name: str, position: ReadPosition, most: int, now: datetime) -> NewLines[Said] | None:
        """Read at most `most` lines on from a place; None when the file is gone."""
        if self._is_read(name, position):
            return NewLines(position)
        if not name.endswith(ENDING):
            return self._pass_over(name, position, now)
        try:
            with self._opened(name) as opened:
                return self._read(opened, name, position, most, now)
        except FileNotFoundError:
            return None
        except OSError as trouble:
            return self._refuse(name, position, _explain(trouble))

    def _is_read(self, name: str, position: ReadPosition) -> bool:
        """Whether a file is unchanged and wholly read. Most files are at every poll, and those are not opened."""
        if not position.stamp:
            return False
        try:
            info = os.lstat(os.path.join(self.folder, name))  # noqa: PTH118 - thousands of times at every poll
        except OSError:
            return False
        return position.offset == info.st_size and position.stamp == _stamp(info)

    def _changed(self, name: str) -> datetime | None:
        """The time of the last change; None where the file is gone."""
        try:
            return datetime.fromtimestamp((self.folder / name).stat().st_mtime, UTC)
        except OSError:
            return None

    @contextmanager
    def _opened(self, name: str) -> Iterator[OpenedFile]:
        with _open(self.folder / name) as handle:
            info = os.fstat(handle.fileno())
            yield OpenedFile(handle, info.st_size, _stamp(info), datetime.fromtimestamp(info.st_mtime, UTC))

    def _read(self, opened: OpenedFile, name: str, position: ReadPosition, most: int, now: datetime) -> NewLines[Said]:
        if opened.size > self.caps.file_bytes:
            return self._refuse(name, position, f"larger than {self.caps.file_bytes} bytes; begin a new file")
        handle, stamp, changed = opened.handle, opened.stamp, opened.changed
        if stamp != position.stamp and not _continues(handle, position):
            position = ReadPosition()
        start, unfinished = position, False
        handle.seek(position.offset)
        waited_enough = now - changed >= self.caps.patience
        events: list[Said] = []
        rejected: list[QuarantinedRow] = []
        reported = ""
        for line in _lines(handle, self.caps.line_bytes, position.crc):
            if len(events) + len(rejected) >= most:
                break
            origin = Origin(self.source, name, position.line + 1, changed)
            if not line.whole:
                reported = f"unfinished {line.crc}" if waited_enough else position.reported
            if line.text.strip() and (line.whole or reported != position.reported):
                match self._judge(line, origin):
                    case QuarantinedRow() as bad:
                        rejected.append(bad)
                    case event:
                        events.append(event)
                        unfinished = not line.whole
            if line.whole:
                position = replace(position, offset=position.offset + line.size, line=position.line + 1, crc=line.crc)
        numbered = tuple(events)
        if self.number is not None:
            before = partial(self._before, handle, name, start)
            begun, ended = ((name, place.offset, place.crc) for place in (start, position))
            numbered = self.number(events, begun, ended, before, unfinished=unfinished)
        return NewLines(replace(position, stamp=stamp, reported=reported), numbered, tuple(rejected))

    def _before(self, handle: BinaryIO, name: str, position: ReadPosition, keys: frozenset[str]) -> Iterator[Said]:
        """The events of these items that stand before a position. Most lines are passed over unparsed."""
        handle.seek(0)
        offset, anywhere = 0, Origin(self.source, name, 0, datetime.fromtimestamp(0, UTC))
        wanted = {key.encode() for key in keys}
        for line in _lines(handle, self.caps.line_bytes, 0):
            offset += line.size
            if offset > position.offset:
                return
            # An escaped character may hide a key; only a parser sees it then.
            if b"\\" in line.text or not wanted.isdisjoint(_KEY.findall(line.text)):
                event = self._judge(line, anywhere)
                if not isinstance(event, QuarantinedRow):
                    yield event

    def _judge(self, line: "_Line", origin: Origin) -> Said | QuarantinedRow:
        if line.size > self.caps.line_bytes:
            return bad_line(line.text, origin, f"longer than {self.caps.line_bytes} bytes")
        parsed = self.parse(line.text, origin)
        if line.whole or not isinstance(parsed, QuarantinedRow):
            return parsed
        return bad_line(line.text, origin, f"cut in half, and its rest did not come within {self.caps.patience}")

    def _pass_over(self, name: str, position: ReadPosition, now: datetime) -> NewLines[Said]:
        """Say of a file with another ending that it is not read. A new one may be a draft that will be renamed."""
        changed = self._changed(name)
        if changed is None or now - changed < self.caps.patience:
            return NewLines(position)
        return self._refuse(name, position, f"its name does not end in {ENDING}")

    def _refuse(self, name: str, position: ReadPosition, reason: str) -> NewLines[Said]:
        if position.reported == reason:
            return NewLines(position)
        key = name.encode(errors="backslashreplace").decode()
        row = QuarantinedRow("label", key, f"the file is not read: {reason}", {"file": key})
        return NewLines(replace(position, reported=reason), rejected=(row,))


def _stamp(info: os.stat_result) -> str:
    """A stamp that any write, replacement or rename changes: a file's mtime can be set back, its ctime cannot."""
    return f"{info.st_ino}:{info.st_size}:{info.st_ctime_ns}"


@dataclass(frozen=True)
class _Line:
    """`text` ends at the cap; `size` does not. `crc` is that of the file up to the line's end."""

    text: bytes
    size: int
    crc: int
    whole: bool


def _lines(handle: BinaryIO, cap: int, crc: int) -> Iterator[_Line]:
    while text := handle.readline(cap + 1):
        size, crc, end = len(text), crc32(text, crc), text
        if size > cap:
            while end and not end.endswith(b"\n"):
                end = handle.readline(BLOCK)
                size, crc = size + len(end), crc32(end, crc)
        whole = end.endswith(b"\n")
        yield _Line(text, size, crc, whole)
        if not whole:
            return


def _continues(handle: BinaryIO, position: ReadPosition) -> bool:
    """Whether the bytes that were read are still the same."""
    crc, left = 0, position.offset
    while left:
        block = handle.read(min(BLOCK, left))
        if not block:
            return False
        crc, left = crc32(block, crc), left - len(block)
    return crc == position.crc


def _open(path: Path) -> BinaryIO:
    # Not following links confines the reader; not blocking keeps a named pipe from holding it up.
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise OSError(errno.EINVAL, "not an ordinary file")


def _explain(trouble: OSError) -> str:
    if trouble.errno == errno.ELOOP:
        return "a symbolic link could lead out of the queue's folder; put the file itself there"
    return trouble.strerror or type(trouble).__name__
