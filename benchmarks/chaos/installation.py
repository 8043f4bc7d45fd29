"""One installation of the product in a folder of its own, and a story played on it from beginning to end."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from benchmarks.chaos.annotator import Annotator
from benchmarks.chaos.audit import Audit, audit, posts_of
from benchmarks.chaos.children import Ending, Runner, in_child
from benchmarks.chaos.databases import Databases
from benchmarks.chaos.fuse import Orders
from benchmarks.chaos.killer import Killer
from benchmarks.chaos.snapshot import Snapshot, take
from benchmarks.chaos.tick import Variant
from benchmarks.chaos.world import OUTAGES, PANEL, Story, Tick, ticks, write_world

AFTER_A_KILL: Final = timedelta(minutes=11)
"""A killed process holds the lease for ten minutes; the next one comes when it has ended."""


@dataclass(frozen=True)
class Told:
    """A story's end: every moment's last process, the final state, and what was lost or done twice."""

    endings: tuple[Ending, ...]
    snapshot: Snapshot
    audit: Audit


@dataclass(frozen=True)
class Installation:
    """A configuration, its files, its store and its receiver of alerts."""

    run: str
    folder: Path
    config: Path
    posts: Path

    @classmethod
    def build(cls, run: str, scratch: Path, seed: int, databases: Databases) -> "Installation":
        """Write the world and create the store."""
        folder = scratch / run
        folder.mkdir()
        config = write_world(folder, seed, databases.url(run))
        in_child(lambda: databases.create(run, folder), scratch)
        return cls(run, folder, config, scratch / "posts.jsonl")

    def play(
        self,
        story: Story,
        runner: Runner,
        *,
        killer: Killer | None = None,
        peaceful: Sequence[Ending] = (),
        variants: tuple[Variant, ...] = (),
    ) -> Told:
        """Play a story; `peaceful` says what every moment crosses when nobody is killed."""
        annotator = Annotator(self.folder / "queue")
        endings = []
        for number, tick in enumerate(ticks(story)):
            endings.append(self._moment(tick, runner, killer, peaceful[number] if peaceful else None))
            annotator.act(tick)
        runner.close()
        posts = posts_of(self.posts, self.run)

        def look() -> tuple[Snapshot, Audit]:
            from stratawatch.wiring import build

            ports = build(self.config).ports
            for variant in variants:
                ports = variant(ports, self.folder)
            return take(ports, self.folder), audit(ports, self.folder, annotator.said, posts)

        snapshot, counted = in_child(look, self.folder)
        return Told(tuple(endings), snapshot, counted)

    def _moment(self, tick: Tick, runner: Runner, killer: Killer | None, peaceful: Ending | None) -> Ending:
        """Run until a process survives. Every one comes a little later than the one that died."""
        with self._trouble(tick):
            for attempt in range(1000):
                orders = Orders()
                if killer is not None and peaceful is not None:
                    orders = killer.orders(peaceful.crossed, peaceful.seconds, attempt)
                ending = runner.run(self.config, replace(tick, at=tick.at + attempt * AFTER_A_KILL), orders)
                if not ending.killed_at or killer is None:
                    return ending
                killer.note(ending.killed_at)
        raise RuntimeError(f"no process survived {tick}")

    @contextmanager
    def _trouble(self, tick: Tick) -> Iterator[None]:
        """What is wrong with the world at some steps, while they last."""
        predictions, out = self.folder / "predictions", self.folder / "queue" / "out"
        outage = self.posts.with_name("outage")
        stray = out / f"{PANEL}-p{tick.period:05d}-r1-b99-00000000.jsonl"
        if tick.step in OUTAGES:
            outage.touch()
        if tick.step == "lose":
            for batch in sorted(out.glob("*.jsonl"))[:1]:
                batch.unlink()
            stray.write_text('{"batch": "of a plan that was lost", "count": 0}\n')
        if tick.step == "unreadable":
            predictions.rename(self.folder / "away")
        if tick.step == "blocked":
            out.parent.mkdir(exist_ok=True)
            out.write_text("a file where the folder should be")
        yield
        outage.unlink(missing_ok=True)
        if tick.step == "lose":
            stray.unlink(missing_ok=True)
        if tick.step == "unreadable":
            (self.folder / "away").rename(predictions)
        if tick.step == "blocked":
            out.unlink()

    def discard(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder)


def address(port: int, run: str) -> None:
    """Where this run's alerts go: the configuration refers to the environment."""
    os.environ["CHAOS_HOOK"] = f"http://127.0.0.1:{port}/{run}"
    os.environ["CHAOS_DEPUTY"] = f"http://127.0.0.1:{port}/{run}/deputy"
