"""Who dies when: first at every commit point that has not been tried, then anywhere."""

import ast
import signal
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.chaos.fuse import Orders

COMMIT_POINTS: Final = 52
"""Commit points that the engine has had. Fewer were found: some are where nobody looks, or were taken away (say so)."""
SIDES: Final = ("before", "after")
TIMER_SHARE: Final = 0.3
"""Share of the random kills that come from a clock instead of at a point."""


def commit_sites(engine: Path) -> frozenset[str]:
    """Every `commit()` in the engine's source, whatever its folder, named as a fuse names it."""
    found = set()
    for file in engine.rglob("*.py"):
        module = file.relative_to(engine).with_suffix("").as_posix()
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                found |= {
                    f"{module}.{function.name}:{call.lineno}"
                    for call in ast.walk(function)
                    if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "commit"
                }
    return frozenset(found)


def site_of(point: str) -> str:
    """A point without its side and what is done there."""
    return point.split(" ", 1)[0]


@dataclass
class Killer:
    """Orders kills until `wanted` have happened; `targets` are points still to be died at."""

    rng: Random
    wanted: int
    most_a_tick: int
    targets: set[str] = field(default_factory=set)
    terminations: float = 0.0
    """Share of the processes that are asked to end, by SIGTERM, instead of being killed."""
    terminated: int = 0
    kills: Counter[str] = field(default_factory=Counter)

    @classmethod
    def at(
        cls, points: Iterable[str], rng: Random, wanted: int, *, both_sides: bool, most_a_tick: int = 12
    ) -> "Killer":
        """Aim at these points on both sides, or on a random side of each."""
        points = sorted(points)
        if not both_sides:
            by_site: dict[str, list[str]] = {}
            for point in points:
                by_site.setdefault(site_of(point), []).append(point)
            points = [rng.choice(sides) for sides in by_site.values()]
        return cls(rng, wanted, most_a_tick, set(points))

    @property
    def done(self) -> bool:
        """Whether enough have died."""
        return self.kills.total() >= self.wanted

    def orders(self, crossed: Sequence[str], seconds: float, attempt: int) -> Orders:
        """Orders for the next process, at a moment that crosses these points and takes this long when undisturbed."""
        if self.done or attempt >= self.most_a_tick or not crossed:
            return Orders()
        if self.targets.intersection(crossed):
            return Orders(targets=frozenset(self.targets), signal=self._signal())
        if self.wanted - self.kills.total() <= len(self.targets):
            return Orders()  # the rest is needed where nobody has died yet
        if attempt >= self.rng.randint(1, 4):
            return Orders()
        if self.rng.random() < TIMER_SHARE:
            return Orders(after=self.rng.uniform(0, seconds))
        return Orders(at=self.rng.randint(1, len(crossed)), signal=self._signal())

    def _signal(self) -> int:
        return signal.SIGTERM if self.rng.random() < self.terminations else signal.SIGKILL

    def note(self, point: str, by: int = signal.SIGKILL) -> None:
        """Somebody died here."""
        self.terminated += by == signal.SIGTERM
        self.kills[point] += 1
        self.targets.discard(point)


def untried(sites: Iterable[str], kills: Mapping[str, int]) -> list[str]:
    """Commit points at which nobody died."""
    tried = {site_of(point) for point in kills if point.endswith("commit")}
    return sorted(set(sites) - tried)
