"""One installation of the product in a folder of its own, and a story played on it from beginning to end."""

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from benchmarks.chaos.annotators import annotator as annotator_of
from benchmarks.chaos.brokers import wait_after_a_kill
from benchmarks.chaos.children import Ending, EngineRunner, Runner, in_child
from benchmarks.chaos.databases import Databases
from benchmarks.chaos.faulter import Faulter
from benchmarks.chaos.faults import Scene
from benchmarks.chaos.fuse import Orders
from benchmarks.chaos.killer import Killer
from benchmarks.chaos.places import Place
from benchmarks.chaos.snapshot import Snapshot, take
from benchmarks.chaos.tally import Tally, posts_of, tally
from benchmarks.chaos.tick import Variant
from benchmarks.chaos.votes import COLLEAGUES, RULE, with_votes
from benchmarks.chaos.web_annotators import WebAnnotator
from benchmarks.chaos.world import (
    OUTAGES,
    PREDICTIONS,
    RECEIVE_KEY,
    SEND_KEY,
    TROUBLES,
    Story,
    Tick,
    outages,
    ticks,
    write_world,
)

AFTER_A_KILL: Final = timedelta(minutes=11)
"""A killed process holds the lease for ten minutes; the next one comes when it has ended."""


@dataclass(frozen=True)
class PlayedStory:
    """A story's end: every moment's last process, the final state, and what was lost or done twice."""

    endings: tuple[Ending, ...]
    snapshot: Snapshot
    tally: Tally
    web_crossed: AbstractSet[str] = frozenset()
    """The sides of what web processes wrote."""
    web_deaths: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Installation:
    """A configuration, its files, its store and its receiver of alerts."""

    run: str
    folder: Path
    config: Path
    posts: Path
    databases: Databases
    queue: str
    votes: bool

    @classmethod
    def build(
        cls, run: str, scratch: Path, seed: int, databases: Databases, queue: str, *, votes: bool
    ) -> "Installation":
        """Write the world and create the store."""
        folder = scratch / run
        folder.mkdir()
        config = write_world(folder, seed, databases.url(run), queue, RULE if votes else "")
        in_child(lambda: databases.create(run, folder), scratch)
        return cls(run, folder, config, scratch / "posts.jsonl", databases, queue, votes)

    def play(
        self,
        story: Story,
        runner: Runner,
        *,
        killer: Killer | None = None,
        faulter: Faulter | None = None,
        peaceful: Sequence[Ending] = (),
        variants: tuple[Variant, ...] = (),
    ) -> PlayedStory:
        """Play a story; `peaceful` says what every moment crosses when nobody is killed."""
        story = with_votes(story) if self.votes else story
        annotator = annotator_of(self.queue, self.folder, self.run)
        annotator.colleagues = COLLEAGUES if self.votes else ()
        endings: list[Ending] = []
        backups: list[str] = []
        period = -1
        if faulter is not None:
            faulter.off_course = False

        def look() -> tuple[Snapshot, Tally]:
            from stratawatch.wiring import build

            ports = build(self.config).ports
            for variant in variants:
                ports = variant(ports, self.folder)
            said = annotator.said - annotator.half_said
            forgot, posts = faulter is not None and faulter.lasting, posts_of(self.posts, self.run)
            counted = tally(ports, annotator.place, said, posts, forgot=forgot, outages=outages(story))
            return take(ports, self.folder, annotator.place), counted

        for number, tick in enumerate(ticks(story)):
            undisturbed = peaceful[number] if peaceful else None
            met: list[str] = []
            with self._trouble(tick, annotator.place):
                if faulter is not None and undisturbed is not None and isinstance(runner, EngineRunner):
                    opens, period = tick.period != period, tick.period
                    scene = self._scene(tick, undisturbed, faulter, backups, opens=opens)
                    met = self._faults(scene, faulter, runner)
                endings.append(self._moment(tick, runner, killer, undisturbed, len(met)))
            if met and faulter is not None:
                faulter.check(met, scene, lambda: in_child(lambda: look()[1], self.folder))
            annotator.act(tick)
        runner.close()
        in_child(lambda: self.databases.drop_backups(self.run, backups), self.folder)
        snapshot, counted = in_child(look, self.folder)
        web = (annotator.crossed, annotator.deaths) if isinstance(annotator, WebAnnotator) else (set(), Counter())
        return PlayedStory(tuple(endings), snapshot, counted, *web)

    def _scene(self, tick: Tick, peaceful: Ending, faulter: Faulter, backups: list[str], *, opens: bool) -> Scene:
        number, rng = faulter.inflicted.total(), faulter.rng
        on_course, crossed = not faulter.off_course, peaceful.crossed
        return Scene(
            self.run,
            self.folder,
            self.config,
            tick,
            crossed,
            opens,
            on_course,
            number,
            rng,
            self.databases,
            backups,
            faulter.off_course,
        )

    def _faults(self, scene: Scene, faulter: Faulter, runner: EngineRunner) -> list[str]:
        """Inflict some faults one after the other, each a little later; returns their kinds."""
        met: list[str] = []
        for _ in range(faulter.number(scene)):
            fault = faulter.draw(scene)
            if fault is None:
                break
            faulter.inflict(fault, scene, runner)
            met.append(fault.kind)
            if fault.lasting:  # what the store knew is another now, and so is what it can say
                break
            tick = replace(scene.tick, at=scene.tick.at + AFTER_A_KILL)
            scene = replace(scene, tick=tick, number=scene.number + 1, on_course=False)
        if faulter.lasting and scene.tick.step not in TROUBLES:
            name = str(len(scene.backups))
            in_child(lambda: self.databases.back_up(self.run, self.folder, name), self.folder)
            scene.backups.append(name)
        return met

    def _moment(
        self, tick: Tick, runner: Runner, killer: Killer | None, peaceful: Ending | None, first: int = 0
    ) -> Ending:
        """Run until a process survives. Every one comes a little later than the one that died."""
        for attempt in range(first, 1000):
            orders = Orders()
            if killer is not None and peaceful is not None:
                orders = killer.orders(peaceful.crossed, peaceful.seconds, attempt - first)
            ending = runner.run(self.config, replace(tick, at=tick.at + attempt * AFTER_A_KILL), orders)
            if not ending.killed_at or killer is None:
                return ending
            killer.note(ending.killed_at, orders.signal)
            wait_after_a_kill()
        raise RuntimeError(f"no process survived {tick}")

    @contextmanager
    def _trouble(self, tick: Tick, place: Place) -> Iterator[None]:
        """What is wrong with the world at some steps, while they last."""
        predictions, queue = self.folder / PREDICTIONS, self.folder / "queue"
        outage = self.posts.with_name("outage")
        if tick.step in OUTAGES:
            outage.touch()
        if tick.step == "lose":
            place.lose_a_batch(tick)
        if tick.step == "unreadable":
            predictions.rename(self.folder / "away")
            queue.rename(self.folder / "queue-away")
        if tick.step == "blocked":
            place.block()
        yield
        outage.unlink(missing_ok=True)
        if tick.step == "lose":
            place.find_the_stray(tick)
        if tick.step == "unreadable":
            (self.folder / "away").rename(predictions)
            (self.folder / "queue-away").rename(queue)
        if tick.step == "blocked":
            place.unblock()

    def discard(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder)


def address(port: int, run: str) -> None:
    """Where this run's alerts and batches go: the configuration refers to the environment."""
    os.environ["CHAOS_HOOK"] = f"http://127.0.0.1:{port}/{run}"
    os.environ["CHAOS_LABELS"] = f"http://127.0.0.1:{port}/labels/{run}"
    os.environ["CHAOS_SEND_KEY"] = SEND_KEY.get_secret_value()
    os.environ["CHAOS_RECEIVE_KEY"] = RECEIVE_KEY.get_secret_value()
    os.environ["CHAOS_DEPUTY"] = f"http://127.0.0.1:{port}/{run}/deputy"
