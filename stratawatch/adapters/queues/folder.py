"""A label queue made of files: batches go out as JSONL, labels come back as JSONL."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.queues import QueueSettings
from stratawatch.adapters.queues.inbox import Inbox, NewLines, ReadCaps, ReadPosition, places
from stratawatch.adapters.queues.label_line import read_line
from stratawatch.adapters.queues.published_tasks import batch_digest
from stratawatch.adapters.queues.queue_layout import (
    CANCELLED,
    DONE,
    IN,
    MARKER,
    OUT,
    REJECTED,
    digest_in,
    marked_identity,
    marker,
    rendered,
    without_payload,
    without_rejects,
)
from stratawatch.adapters.queues.queue_paths import batch_file_name, batch_key_of, sub_folder
from stratawatch.adapters.queues.rejects import keep_rejects
from stratawatch.adapters.queues.repeated_answers import RepeatedAnswers
from stratawatch.atomic_files import create_file, remove_drafts, replace_file, sync_folder
from stratawatch.engine.model.label_events import Batch, LabelEvent, PollResult, Receipt
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.errors import StratawatchError, Unreachable
from stratawatch.settings.shapes import FolderMode, Text


def machine_time() -> datetime:
    """The time that file systems stamp files with."""
    return datetime.now(UTC)


class FolderSettings(QueueSettings):
    """kind = "folder": JSONL files."""

    kind: Literal["folder"]
    root: Text = "queue"
    mode: FolderMode | None = None

    def local_paths(self) -> tuple[LocalPath, ...]:
        """The folder, which is open to labellers."""
        return (LocalPath("root", self.root),)

    def build(self, context: BuildContext) -> "FolderQueue":
        """The queue."""
        return FolderQueue(context.folder / self.root, mode=None if self.mode is None else int(self.mode, 8))


class FolderQueue:
    """Batches in `out/`, labels in `in/`, what could not be read in `rejected/`.

    Withdrawn batches lie in `cancelled/`, answered ones in `done/`.
    The root holds a marker, which `adopt` writes. Without it nothing is read, written or created there.
    `now` must be the clock that stamps the files, also when cycles run on simulated time: it measures how long an
    unfinished line has waited for its rest. `mode` is that of new folders, and of files without the right to execute;
    without one the umask decides.
    """

    def __init__(
        self,
        root: Path,
        name: str = "folder",
        *,
        now: Callable[[], datetime] = machine_time,
        caps: ReadCaps | None = None,
        mode: int | None = None,
    ) -> None:
        self.name = name
        self.where = str(Path(root).absolute())
        self._root = Path(root)
        self._now = now
        self._caps = caps or ReadCaps()
        self._mode = mode
        self._turns = RepeatedAnswers()

    def identity(self) -> str:
        """The id in the folder's marker; empty where there is no folder, no marker or none that can be read."""
        with self._reaching("be recognised"):
            try:
                return marked_identity((self._root / MARKER).read_bytes())
            except (FileNotFoundError, NotADirectoryError):
                return ""

    def adopt(self, identity: str) -> None:
        """Write the marker, into a folder that is created when missing."""
        with self._reaching("be prepared"):
            replace_file(self._root / MARKER, marker(identity), mode=self._mode)
            for name in (OUT, IN):
                self._folder(name)

    def batch_keys(self) -> frozenset[str]:
        """The keys of all batches in the folder, withdrawn and closed ones included."""
        return self._keys_in(OUT, CANCELLED, DONE)

    def withdrawn_keys(self) -> frozenset[str]:
        """The keys of the batches in `cancelled/`."""
        return self._keys_in(CANCELLED)

    def ask_again(self, keys: Sequence[str]) -> None:
        """Take batches out of `cancelled/`, which keeps them from being published."""
        with self._marked("take back a withdrawal"):
            cancelled = self._folder(CANCELLED)
            for key in keys:
                (cancelled / batch_file_name(key)).unlink(missing_ok=True)
            sync_folder(cancelled)

    def asked_keys(self) -> frozenset[str]:
        """The keys of the batches in `out/`."""
        return self._keys_in(OUT)

    def publish(self, batch: Batch) -> Receipt:
        """Write a batch to `out/`, once."""
        name = batch_file_name(batch.key)
        with self._marked("publish a batch"):
            for ended in (CANCELLED, DONE):
                if (self._folder(ended) / name).exists():
                    return Receipt(f"{ended}/{name}", duplicate=True)
            path = self._folder(OUT) / name
            new = create_file(path, rendered(batch), mode=self._mode)
            if not new and digest_in(path.read_bytes()) != batch_digest(batch):
                raise StratawatchError(
                    f"{OUT}/{name} holds another batch of the same key",
                    hint="two installations must not share a queue folder; give one of them its own [queue] root",
                )
        return Receipt(f"{OUT}/{name}", duplicate=not new)

    def poll(self, cursor: Mapping[str, object]) -> PollResult:
        """Read whole lines of `in/` that came since `cursor`."""
        begins = places(cursor)
        events: list[LabelEvent] = []
        rejected: list[QuarantinedRow] = []
        reached: dict[str, Any] = {}
        now = self._now()
        with self._marked("read labels"):
            inbox = Inbox(self._folder(IN), self.name, self._caps, read_line, self._turns.numbered)
            for name in inbox.names():
                position = ReadPosition.of(begins.get(name))
                left = self._caps.events - len(events) - len(rejected)
                news = inbox.read(name, position, left, now) if left > 0 else NewLines(position)
                if news is not None:
                    events += news.events
                    rejected += news.rejected
                    reached[name] = news.position.as_cursor()
            keep_rejects(self._folder(REJECTED), rejected, self._mode)
        return PollResult(tuple(events), tuple(rejected), {"files": reached})

    def cancel(self, keys: Sequence[str]) -> None:
        """Move batches from `out/` to `cancelled/`; one that is not out leaves a mark, so that it never goes out."""
        names = [batch_file_name(key) for key in keys]
        with self._marked("withdraw batches"):
            out, cancelled = self._folder(OUT), self._folder(CANCELLED)
            for name in names:
                try:
                    (out / name).replace(cancelled / name)
                except FileNotFoundError:
                    create_file(cancelled / name, b"", mode=self._mode)
            sync_folder(out)
            sync_folder(cancelled)

    def close(self, keys: Sequence[str]) -> None:
        """Move batches from `out/` to `done/`; one that is not out stays where it is."""
        names = [batch_file_name(key) for key in keys]
        with self._marked("put batches away"):
            out, done = self._folder(OUT), self._folder(DONE)
            for name in names:
                with suppress(FileNotFoundError):
                    (out / name).replace(done / name)
            sync_folder(out)
            sync_folder(done)

    def drop_payload(self, batches: Mapping[str, Collection[str]]) -> None:
        """Forget what was shown of items of batches; label files in `in/` belong to who wrote them."""
        with self._marked("forget payload"):
            for folder in (OUT, CANCELLED, DONE, REJECTED):
                remove_drafts(self._folder(folder))
            for folder in (OUT, CANCELLED, DONE):
                for key, items in batches.items():
                    drop = partial(without_payload, items=items, is_out=folder == OUT)
                    self._rewrite(self._root / folder / batch_file_name(key), drop)
            drop = partial(without_rejects, items={item for items in batches.values() for item in items})
            for path in (self._root / REJECTED).glob("*.jsonl"):
                self._rewrite(path, drop)

    def describe(self) -> Mapping[str, str]:
        """Count the files of every sub-folder, and test that a folder in use can be written. Nothing is created."""
        in_use = bool(self.identity())
        if not self._root.is_dir():
            _require_place(self._root)
        with self._reaching("be written"):
            folders = {name: self._root / name for name in (OUT, IN, REJECTED, CANCELLED, DONE)}
            for name in folders if in_use else ():
                _probe(self._folder(name))
            counts = {name: _count(folder.glob("*.jsonl")) for name, folder in folders.items()}
        found = {
            "folder": str(self._root),
            "batches out": str(counts[OUT]),
            "label files": str(counts[IN]),
            "files with rejected lines": str(counts[REJECTED]),
            "batches withdrawn": str(counts[CANCELLED]),
            "batches answered": str(counts[DONE]),
        }
        if not in_use:
            found["state"] = "not in use yet"
        if others := len(self.unread_files()):
            found["files in in/ that are not read (only *.jsonl is)"] = str(others)
        return found

    def unread_files(self) -> tuple[str, ...]:
        """The names in `in/` with another ending, hidden ones left out."""
        inbox = self._root / IN
        with self._reaching("be listed"):
            files = inbox.iterdir() if inbox.is_dir() else ()
            return tuple(sorted(p.name for p in files if p.suffix != ".jsonl" and not p.name.startswith(".")))

    def _rewrite(self, path: Path, change: Callable[[bytes], bytes]) -> None:
        """Change a file of ours; a planted link could lead to any other."""
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            if content != (new := change(content)):
                replace_file(path, new, mode=self._mode)

    def _folder(self, name: str) -> Path:
        return sub_folder(self._root, name, self._mode)

    def _keys_in(self, *names: str) -> frozenset[str]:
        with self._reaching("be listed"):
            folders = [self._root / name for name in names]
            files = (file for folder in folders if folder.is_dir() for file in folder.glob("*.jsonl"))
            return frozenset(batch_key_of(file.name) for file in files)

    @contextmanager
    def _marked(self, what: str) -> Iterator[None]:
        """Work in the folder, once its marker is there: an empty folder may be the place of an unmounted share."""
        with self._reaching(what):
            if not self.identity():
                raise Unreachable(
                    f"the label queue's folder {self._root} cannot {what}: its marker {MARKER} is not there",
                    hint="mount the share that holds it; after a deliberate move: `stratawatch labels adopt-queue`",
                )
            yield

    @contextmanager
    def _reaching(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as trouble:
            raise Unreachable(
                f"the label queue's folder {self._root} cannot {what}",
                got=trouble.strerror or type(trouble).__name__,
                hint="see that it exists, has room and may be written",
            ) from trouble


def _require_place(root: Path) -> None:
    """Refuse a root that could not be made where it is named."""
    parent = next(folder for folder in root.absolute().parents if folder.exists())
    if root.exists() or not parent.is_dir() or not os.access(parent, os.W_OK):
        raise Unreachable(
            f"the label queue's folder {root} cannot be created",
            got="a file is in its place" if root.exists() else f"{parent} cannot be written",
            hint="create it, or set [queue] root to a folder that can be written",
        )


def _probe(folder: Path) -> None:
    """Write and remove a file: a folder that can be listed may still be read-only or full."""
    probe = folder / f".probe-{os.getpid()}"
    probe.write_bytes(b"probe")
    probe.unlink()


def _count(paths: Iterable[Path]) -> int:
    return sum(1 for _ in paths)
