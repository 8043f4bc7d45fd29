"""What goes wrong with the world while the product runs, and what the product has to say about it."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.chaos.children import in_child
from benchmarks.chaos.databases import Databases, PostgresDatabases
from benchmarks.chaos.fuse import Orders
from benchmarks.chaos.tick import erase_again_by_hand
from benchmarks.chaos.world import BY_HAND, OUTAGES, PREDICTIONS, Tick
from stratawatch.engine.labels.queue_identity import adopt_queue
from stratawatch.wiring import build

FROZEN: Final = "cycle/freeze_cycle.freeze_cycle:"
JUMP_AHEAD: Final = timedelta(days=400)
JUMP_BACK: Final = timedelta(days=5)
OLDEST_BACKUP: Final = 6
"""How many moments back the backup may be that is put in the store's place."""
ALWAYS_CROSSED: Final = 20
"""Points that a process crosses however little there is to do: an idle advance has 30, the peaceful moment several."""
TRUSTED_IN: Final = 2
"""The period in which a person trusts the clock, just before the queue is adopted."""
QUESTION: Final = 'question = "Is this message spam?"'


@dataclass
class Scene:
    """Where and when a fault happens, and what the product does then when nothing is wrong."""

    run: str
    folder: Path
    config: Path
    tick: Tick
    crossed: tuple[str, ...]
    opens: bool
    """Whether a window is opened at this moment."""
    on_course: bool
    """Whether nothing has been done yet of what is due at this moment."""
    number: int
    rng: Random
    databases: Databases
    backups: list[str] = field(default_factory=list)
    off_course: bool = False
    """Whether a fault has changed in this installation what the product does afterwards."""

    @property
    def inbox(self) -> Path:
        """Where label files are put."""
        return self.folder / "queue" / "in"

    def crosses(self, beginning: str) -> bool:
        """Whether the product passes a point like this at this moment."""
        return any(point.startswith(beginning) for point in self.crossed)


@dataclass(frozen=True)
class Meeting:
    """How a process meets a fault: where it dies or does something, and what the machine's clock shows.

    `broken` says afterwards what the product must not have done.
    """

    orders: Orders = field(default_factory=Orders)
    machine_time: datetime | None = None
    broken: list[str] = field(default_factory=list)


Infliction = Callable[[Scene], AbstractContextManager[Meeting]]


@dataclass(frozen=True)
class Fault:
    """One kind of fault. `says` is a part of what people must be able to read; empty where there is nothing to say.

    `{n}` in it is the number of the fault. What is `lasting` changes what the product does afterwards, so that its
    final state is another.
    """

    kind: str
    inflict: Infliction
    says: str = ""
    possible: Callable[[Scene], bool] = lambda _scene: True
    lasting: bool = False


@contextmanager
def _queue_unmounted(scene: Scene) -> Iterator[Meeting]:
    with _away(scene.folder / "queue"):
        yield Meeting()


@contextmanager
def _queue_emptied(scene: Scene) -> Iterator[Meeting]:
    """A share that is not mounted leaves an empty folder behind, in which nothing may be created."""
    queue = scene.folder / "queue"
    with _away(queue):
        queue.mkdir()
        meeting = Meeting()
        yield meeting
        if found := sorted(file.name for file in queue.iterdir()):
            meeting.broken.append(f"wrote {', '.join(found)} into a folder that is not the queue")
        shutil.rmtree(queue)


@contextmanager
def _reports_lost(scene: Scene) -> Iterator[Meeting]:
    reports = scene.folder / "reports"
    with _away(reports):
        reports.write_text("a file where the folder should be")
        yield Meeting()
        reports.unlink()


@contextmanager
def _receiver_drips(scene: Scene) -> Iterator[Meeting]:
    drip, plain = scene.folder.with_name("drip"), scene.config.read_text()
    scene.config.write_text(plain.replace('name = "ops"\n', 'name = "ops"\ntimeout = "1s"\n'))
    drip.touch()
    yield Meeting()
    drip.unlink()
    scene.config.write_text(plain)


@contextmanager
def _question_changed(scene: Scene) -> Iterator[Meeting]:
    plain = scene.config.read_text()
    scene.config.write_text(plain.replace(QUESTION, f'question = "Is this spam, seen {scene.number} times?"'))
    yield Meeting()
    scene.config.write_text(plain)


@contextmanager
def _clock_ahead(scene: Scene) -> Iterator[Meeting]:
    yield Meeting(machine_time=scene.tick.at + JUMP_AHEAD)


@contextmanager
def _clock_back(scene: Scene) -> Iterator[Meeting]:
    yield Meeting(machine_time=scene.tick.at - JUMP_BACK)


@contextmanager
def _labels_lost(scene: Scene) -> Iterator[Meeting]:
    """Everything that was read is gone, and comes back later."""
    with _away(scene.inbox):
        yield Meeting()
        for left in scene.inbox.iterdir() if scene.inbox.exists() else ():
            left.unlink()
        if scene.inbox.exists():
            scene.inbox.rmdir()


@contextmanager
def _labels_doubled(scene: Scene) -> Iterator[Meeting]:
    file = scene.rng.choice(sorted(scene.inbox.glob("ann-*.jsonl")))
    whole, newline, _ = file.read_bytes().rpartition(b"\n")
    (scene.inbox / f"copy-{scene.number}.jsonl").write_bytes(whole + newline)
    yield Meeting()


@contextmanager
def _labels_garbled(scene: Scene) -> Iterator[Meeting]:
    rubbish = scene.rng.randbytes(200).replace(b"\n", b"x") + b"\n" + b'{"key": "half a li\n\x00\n[[[[\n'
    (scene.inbox / f"garbled-{scene.number}.jsonl").write_bytes(rubbish)
    yield Meeting()


@contextmanager
def _labels_hang(scene: Scene) -> Iterator[Meeting]:
    """Whoever opens this to read waits until somebody writes, as on a network folder that hangs."""
    pipe = scene.inbox / f"pipe-{scene.number}.jsonl"
    os.mkfifo(pipe)
    yield Meeting()
    pipe.unlink()


@contextmanager
def _source_hangs(scene: Scene) -> Iterator[Meeting]:
    pipe = scene.folder / PREDICTIONS / "week-99.csv"
    os.mkfifo(pipe)
    yield Meeting()
    pipe.unlink()


@contextmanager
def _source_changed(scene: Scene) -> Iterator[Meeting]:
    """A process dies when it has frozen; then half of the rows vanish, and the others say something else."""
    file = scene.folder / PREDICTIONS / f"week-{scene.tick.period}.csv"
    good = file.read_bytes()

    def change() -> None:
        header, *rows = good.decode().splitlines(keepends=True)
        file.write_text(header + "".join(rows[::2]).replace("hello", "changed").replace(",DE,", ",FR,"))

    targets = frozenset(point for point in scene.crossed if point.startswith(FROZEN) and "after commit" in point)
    yield Meeting(Orders(targets=targets, deed=change))
    file.write_bytes(good)


@contextmanager
def _terminated(scene: Scene) -> Iterator[Meeting]:
    yield Meeting(Orders(at=scene.rng.randint(1, len(scene.crossed)), signal=signal.SIGTERM))


@contextmanager
def _postgres_stopped(scene: Scene) -> Iterator[Meeting]:
    with _stopping(scene) as server:
        server.stop_server()
        yield Meeting()


@contextmanager
def _postgres_stops(scene: Scene) -> Iterator[Meeting]:
    with _stopping(scene) as server:
        yield Meeting(Orders(at=scene.rng.randint(1, ALWAYS_CROSSED), deed=server.stop_server))


@contextmanager
def _restored(scene: Scene) -> Iterator[Meeting]:
    """The store is lost, and a backup of any state takes its place. A person then adopts the queue and erases again."""
    name = scene.rng.choice(scene.backups[-OLDEST_BACKUP:])
    in_child(lambda: scene.databases.put_back(scene.run, scene.folder, name), scene.folder)
    yield Meeting()

    def go_on() -> None:
        installation = build(scene.config, scene.tick.at)
        adopt_queue(installation.ports)
        erase_again_by_hand(installation)

    in_child(go_on, scene.folder)


@contextmanager
def _away(folder: Path) -> Iterator[None]:
    """A folder is not there; afterwards it is again, as it was."""
    hidden = folder.with_name(f"{folder.name}-away")
    there = folder.exists()
    if there:
        folder.rename(hidden)
    yield
    if there:
        hidden.rename(folder)


@contextmanager
def _stopping(scene: Scene) -> Iterator[PostgresDatabases]:
    if not isinstance(scene.databases, PostgresDatabases):
        raise TypeError("only a PostgreSQL server can be stopped")
    yield scene.databases
    scene.databases.start_server()


def _in_use(scene: Scene) -> bool:
    """Whether there is a queue that the store must miss, also one that was restored from before its first send."""
    queue = scene.folder / "queue"
    return (queue / "out").is_dir() or any(queue.glob("*.sqlite3"))


def _sends(scene: Scene) -> bool:
    sends = scene.crosses("alarms/send_notifications._hand_over")
    return scene.on_course and sends and scene.tick.step not in (*OUTAGES, *BY_HAND)


def _freezes(scene: Scene) -> bool:
    return scene.on_course and scene.crosses(FROZEN) and scene.tick.step not in BY_HAND


def _postgres(scene: Scene) -> bool:
    return isinstance(scene.databases, PostgresDatabases)


def _labelled(scene: Scene) -> bool:
    return any(scene.inbox.glob("ann-*.jsonl"))


def _later(scene: Scene) -> bool:
    """Whether the store has a newest commit that a clock can stand before."""
    return scene.tick.period > 0 or _labelled(scene) or scene.tick.step in ("half", "rest", "second")


def _doubted(scene: Scene) -> bool:
    """Whether a clock before the newest commit is doubted: not where a person trusted commits of a clock far ahead.

    Nor right after the person trusted a clock five days back: who was killed and says so again trusts every commit.
    """
    may_have_trusted = scene.tick.step == "adopt" or (scene.off_course and scene.tick.period > TRUSTED_IN)
    return _later(scene) and not may_have_trusted


QUEUE_AWAY: Final = "nothing is sent to it and nothing is read from it"
QUESTION_CHANGED: Final = "changed, so its next cycle asks another question"
STORE_AWAY: Final = "did not answer"

FAULTS: Final = (
    Fault("queue unmounted", _queue_unmounted, QUEUE_AWAY, _in_use),
    Fault("queue emptied", _queue_emptied, QUEUE_AWAY, _in_use),
    Fault("report folder lost", _reports_lost, "reports"),
    Fault("receiver drips", _receiver_drips, "did not answer within 1 second", _sends),
    Fault("question changed and back", _question_changed, QUESTION_CHANGED, lambda scene: not scene.opens),
    Fault(
        "question changed",
        _question_changed,
        QUESTION_CHANGED,
        lambda scene: scene.opens and _later(scene),
        lasting=True,
    ),
    Fault("clock back", _clock_back, "stands before the store's newest commit", _doubted),
    Fault("clock ahead", _clock_ahead, "is more than a window beyond the newest row", _later, lasting=True),
    Fault("label files lost", _labels_lost, possible=_labelled),
    Fault("label file doubled", _labels_doubled, possible=_labelled),
    Fault("label file garbled", _labels_garbled, "garbled-{n}.jsonl", _labelled),
    Fault("label folder hangs", _labels_hang, "pipe-{n}.jsonl", _labelled),
    Fault("source hangs", _source_hangs, "week-99.csv", _freezes),
    Fault("source changed after the freeze", _source_changed, possible=_freezes),
    Fault("SIGTERM", _terminated),
    Fault("PostgreSQL stopped", _postgres_stopped, STORE_AWAY, _postgres),
    Fault("PostgreSQL stops in the middle", _postgres_stops, STORE_AWAY, _postgres),
    Fault("backup restored", _restored, possible=lambda scene: bool(scene.backups), lasting=True),
)
"""Every kind of fault."""
