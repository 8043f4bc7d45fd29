"""One round: every pass on one population, each in a fresh process."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.apart import Measured, apart
from benchmarks.scan.passes import Look, OneLook, engine_of, first_cut
from benchmarks.scan.population import Size, panel_of
from benchmarks.shape import Row
from stratawatch.core.population import Atom, Census
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class Timed:
    """What one round took. Values are numbers of rows, of items counted, of candidates; `quota` of the last.

    `together` is what an engine took that does both in one look, without `cut`, the cutting of strata in between.
    """

    size: Size
    read: Measured
    census: Measured
    candidates: Measured
    quota: int
    together: Measured | None = None
    cut: Measured | None = None
    latest: Measured | None = None
    """The census where the newest row of every id counts: all ids of the window must be counted first."""

    @property
    def ratio(self) -> float:
        """Census and candidates over the read limit of the same round."""
        return self.both.seconds / self.read.seconds

    @property
    def both(self) -> Measured:
        """Census and candidates as the product asks for them."""
        if self.together is not None:
            return self.together
        one, other = self.census, self.candidates
        peak = max(one.peak_mb, other.peak_mb)
        return Measured(other.value, one.seconds + other.seconds, one.cpu_s + other.cpu_s, peak)

    def rows(self) -> list[Row]:
        """One row a pass, and one for both, to the millisecond and the megabyte."""
        passes = {"read": self.read, "census": self.census, "candidates": self.candidates}
        passes |= {} if self.cut is None else {"cut": self.cut}
        passes |= {"both": self.both}
        passes |= {} if self.latest is None else {"census, latest": self.latest}
        return [
            {
                "population": str(self.size),
                "pass": name,
                "seconds": round(one.seconds, 3),
                "cpu_s": round(one.cpu_s, 3),
                "x read": round(one.seconds / self.read.seconds, 3),
                "x cpu": round(one.cpu_s / self.read.cpu_s, 3),
                "peak_mb": round(one.peak_mb),
            }
            for name, one in passes.items()
        ]


def one_round(name: str, size: Size, folder: Path, *, latest: bool = False) -> Timed:
    """Read; count, cut as a first cycle would, draw; the two apart, and in one look where that can be.

    With `latest` the census of the other policy on duplicates is timed too; there are none, so that it counts the same.
    """
    panel, engine = panel_of(size), engine_of(name)
    read = apart(_read, name, size, folder, before=engine.prepare)
    look = apart(_together, name, size, folder, before=engine.prepare) if isinstance(engine, OneLook) else None
    counted = apart(_census, name, size, folder, before=engine.prepare)
    atoms, quotas = first_cut(counted.value, panel)
    drawn = apart(_candidates, name, size, folder, atoms, quotas, before=engine.prepare)
    alone = Timed(size, read, replace(counted, value=counted.value.size), drawn, sum(quotas))
    if latest:
        newest = apart(_latest, name, size, folder, before=engine.prepare)
        if newest.value != alone.census.value:
            raise StratawatchError("the newest rows of ids are not as many as the ids", got=f"{newest.value:,}")
        alone = replace(alone, latest=newest)
    if look is None:
        return alone
    told: Look = look.value
    if told[:3] != (alone.census.value, alone.quota, drawn.value):
        raise StratawatchError("one look did not tell what two do", got=str(told))
    cutting = Measured(len(atoms), told.cut_s, told.cut_cpu_s, look.peak_mb)
    without = replace(look, seconds=look.seconds - told.cut_s, cpu_s=look.cpu_s - told.cut_cpu_s)
    return replace(alone, together=without, cut=cutting)


def _together(name: str, size: Size, folder: Path) -> Look:
    engine = engine_of(name)
    assert isinstance(engine, OneLook)  # noqa: S101 - one_round() has looked
    return engine.together(folder, panel_of(size))


def _read(engine: str, size: Size, folder: Path) -> int:
    return engine_of(engine).read(folder, panel_of(size))


def _census(engine: str, size: Size, folder: Path) -> Census:
    return engine_of(engine).census(folder, panel_of(size))


def _latest(engine: str, size: Size, folder: Path) -> int:
    return engine_of(engine).census(folder, replace(panel_of(size), duplicates="latest")).size


def _candidates(engine: str, size: Size, folder: Path, atoms: Sequence[Atom], quotas: Sequence[int]) -> int:
    return len(engine_of(engine).candidates(folder, panel_of(size), atoms, quotas))
