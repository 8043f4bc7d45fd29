"""One round: every pass on one population, each in a fresh process."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.apart import Measured, apart
from benchmarks.scan.passes import engine_of
from benchmarks.scan.population import Size, panel_of
from benchmarks.shape import Row
from stratawatch.core.design import cut, pool_sizes
from stratawatch.core.population import Atom, Census
from stratawatch.engine.commissions import commission_of


@dataclass(frozen=True)
class Timed:
    """What one round took. Values are numbers of rows, of items counted, of candidates; `wanted` of the last."""

    size: Size
    read: Measured
    census: Measured
    candidates: Measured
    wanted: int

    @property
    def ratio(self) -> float:
        """Census and candidates over the read limit of the same round."""
        return self.seconds / self.read.seconds

    @property
    def cpu_ratio(self) -> float:
        """The same in processor time, which others on the machine disturb less."""
        return (self.census.cpu_s + self.candidates.cpu_s) / self.read.cpu_s

    @property
    def seconds(self) -> float:
        """Both passes."""
        return self.census.seconds + self.candidates.seconds

    @property
    def peak_mb(self) -> float:
        """The greater peak of both passes."""
        return max(self.census.peak_mb, self.candidates.peak_mb)

    def rows(self) -> list[Row]:
        """One row a pass, and one for the pair."""
        passes = {"read": self.read, "census": self.census, "candidates": self.candidates}
        rows: list[Row] = [
            {
                "population": str(self.size),
                "pass": name,
                "seconds": one.seconds,
                "cpu_s": one.cpu_s,
                "x read": one.seconds / self.read.seconds,
                "x read, cpu": one.cpu_s / self.read.cpu_s,
                "peak_mb": one.peak_mb,
            }
            for name, one in passes.items()
        ]
        both = {"seconds": self.seconds, "cpu_s": self.census.cpu_s + self.candidates.cpu_s, "x read": self.ratio}
        return [*rows, {**rows[0], "pass": "both", **both, "x read, cpu": self.cpu_ratio, "peak_mb": self.peak_mb}]


def one_round(engine: str, size: Size, folder: Path) -> Timed:
    """Read, count, cut as a first cycle would, draw."""
    panel, prepare = panel_of(size), engine_of(engine).prepare
    read = apart(_read, engine, size, folder, before=prepare)
    counted = apart(_census, engine, size, folder, before=prepare)
    census, commission = counted.value, commission_of(panel)
    atoms = cut(census, commission)
    wanted = pool_sizes(atoms, census.classifiers, commission)
    drawn = apart(_candidates, engine, size, folder, atoms, wanted, before=prepare)
    return Timed(size, read, replace(counted, value=census.size), drawn, sum(wanted))


def _read(engine: str, size: Size, folder: Path) -> int:
    return engine_of(engine).read(folder, panel_of(size))


def _census(engine: str, size: Size, folder: Path) -> Census:
    return engine_of(engine).census(folder, panel_of(size))


def _candidates(engine: str, size: Size, folder: Path, atoms: Sequence[Atom], wanted: Sequence[int]) -> int:
    return len(engine_of(engine).candidates(folder, panel_of(size), atoms, wanted))
