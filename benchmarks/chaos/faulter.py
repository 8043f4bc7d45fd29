"""Draws faults, lets a process meet each, and checks at once that nothing was lost or doubled and that people hear."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from benchmarks.chaos.children import EngineRunner
from benchmarks.chaos.faults import FAULTS, Fault, Scene
from benchmarks.chaos.tally import Tally
from benchmarks.chaos.world import TROUBLES

MOST_A_MOMENT: Final = 3
STILL_TOLD: Final = ("alerts_lost", "alerts_left_open")
"""What is no loss before the end of a story: the outbox holds it."""


@dataclass
class Faulter:
    """Inflicts faults until there have been enough, and enough of each kind; the rarest so far come first."""

    rng: Random
    wanted: int
    lasting: bool = True
    kinds: Sequence[Fault] = FAULTS
    of_each: int = 0
    """So often each kind must come: of those that last, where any do."""
    off_course: bool = False
    """Whether a fault has changed in this installation what the product does afterwards."""
    inflicted: Counter[str] = field(default_factory=Counter)
    untold: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    met: list[str] = field(default_factory=list)
    """Where each fault came in the story that is played."""

    @property
    def done(self) -> bool:
        """Whether there were enough."""
        return self.inflicted.total() >= self.wanted and not self.too_rare()

    def too_rare(self) -> list[Fault]:
        """The kinds that have not come often enough."""
        due = [fault for fault in self.kinds if fault.lasting == self.lasting]
        return [fault for fault in due if self.inflicted[fault.kind] < self.of_each]

    def number(self, scene: Scene) -> int:
        """How many faults to try at one moment: one at least where a kind could come that is too rare."""
        least = any(fault.possible(scene) for fault in self.too_rare())
        return max(least, self.rng.randint(0, MOST_A_MOMENT))

    def draw(self, scene: Scene) -> Fault | None:
        """A kind that can happen here, or none."""
        if self.done or scene.tick.step in TROUBLES or not scene.crossed:
            return None
        kinds = self.kinds if self.inflicted.total() < self.wanted else self.too_rare()
        possible = [fault for fault in kinds if fault.possible(scene) and (self.lasting or not fault.lasting)]
        self.rng.shuffle(possible)
        return min(possible, key=lambda fault: self.inflicted[fault.kind], default=None)

    def inflict(self, fault: Fault, scene: Scene, runner: EngineRunner) -> None:
        """Let a process meet a fault, and note what it did not say."""
        self.inflicted[fault.kind] += 1
        self.off_course = self.off_course or fault.lasting
        where = f"{fault.kind} at {scene.tick.period} {scene.tick.step}"
        self.met.append(where)
        sentences: frozenset[str] = frozenset()
        with fault.inflict(scene) as meeting:
            try:
                sentences = runner.meet(scene.config, scene.tick, meeting.orders, meeting.machine_time).sentences
            except TimeoutError as trouble:
                meeting.broken.append(str(trouble))
        self.broken += [f"{where}: {line}" for line in meeting.broken]
        says = fault.says.format(n=scene.number)
        if says and not any(says in sentence for sentence in sentences):
            self.untold.append(f"{where}: {sorted(sentences)}")

    def check(self, faults: Sequence[str], scene: Scene, look: Callable[[], Tally]) -> None:
        """Note which of the promises does not hold right after these faults."""
        for name, value in look().counts().items():
            if value and name not in (
                "alerts_lost",
                "alerts_left_open",
            ):  # what still goes out is no loss before the end
                self.broken.append(f"{name} {value} at {scene.tick.period} {scene.tick.step} after {', '.join(faults)}")
