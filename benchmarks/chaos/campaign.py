"""A run of the benchmark: stories that are played in fresh installations, each against the undisturbed one."""

import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.chaos.children import Runner
from benchmarks.chaos.databases import Databases
from benchmarks.chaos.faulter import Faulter
from benchmarks.chaos.installation import Installation, PlayedStory, address
from benchmarks.chaos.killer import Killer
from benchmarks.chaos.snapshot import conclusions, differences
from benchmarks.chaos.tally import Tally
from benchmarks.chaos.tick import Variant
from benchmarks.chaos.world import Story
from benchmarks.shape import Row


@dataclass
class Campaign:
    """Everything one run of the benchmark shares."""

    seed: int
    scratch: Path
    port: int
    databases: Databases
    queue: str
    votes: bool = False
    rows: list[Row] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    kills: Counter[str] = field(default_factory=Counter)
    played: list[PlayedStory] = field(default_factory=list)

    def tell(
        self,
        run: str,
        story: Story,
        runner: Runner,
        killer: Killer | None,
        peaceful: PlayedStory | None,
        *variants: Variant,
        faulter: Faulter | None = None,
    ) -> PlayedStory:
        """Play a story in a fresh installation and write a row about it."""
        began = time.monotonic()
        before = killer.kills.total() if killer else 0
        address(self.port, run)
        installation = Installation.build(run, self.scratch, self.seed, self.databases, self.queue, votes=self.votes)
        faults_before = faulter.inflicted.total() if faulter else 0
        if faulter is not None:
            faulter.met.clear()
        played = installation.play(
            story,
            runner,
            killer=killer,
            faulter=faulter,
            peaceful=peaceful.endings if peaceful else (),
            variants=variants,
        )
        different = self._different(peaceful, played, faulter)
        kills = (killer.kills.total() if killer else 0) - before
        faults = (faulter.inflicted.total() if faulter else 0) - faults_before
        row = {"run": run, "kills": kills, "faults": faults, "differences": len(different), **played.tally.counts()}
        self.rows.append({**row, "seconds": round(time.monotonic() - began, 1)})
        print(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in self.rows[-1].items()), flush=True)
        if not variants:
            self.tallies.append(played.tally)
            self.played.append(played)
            self.differences += different
            lines = [*different[:12], *played.tally.alerts[:12]]
            if faulter is not None and (different or any(played.tally.counts().values())):
                lines.append("; ".join(faulter.met))
            for line in lines:
                print(f"  {line[:4000]}", flush=True)
        installation.discard()
        return played

    @staticmethod
    def _different(peaceful: PlayedStory | None, played: PlayedStory, faulter: Faulter | None) -> list[str]:
        """How the final state differs; where faults were met, in its conclusions, and not where they last."""
        if peaceful is None or (faulter is not None and faulter.lasting):
            return []
        if faulter is not None:
            return differences(conclusions(peaceful.snapshot), conclusions(played.snapshot))
        return differences(peaceful.snapshot, played.snapshot)
