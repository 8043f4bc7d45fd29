"""What all sources that are asked in SQL do alike: two queries, and their rows as records."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any, Final, Protocol

from stratawatch.adapters.sources.bad_rows import bad_row
from stratawatch.adapters.sources.census_result import CensusCounts
from stratawatch.adapters.sources.json_values import plain
from stratawatch.adapters.sources.single_scan import Gathered
from stratawatch.adapters.sources.statements import Statements
from stratawatch.adapters.sources.stratum_quotas import Wanted, stratum_sizes, wanted_of
from stratawatch.core.population import Atom
from stratawatch.engine.model.cycle_facts import CandidateItem, CensusResult
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.progress import phase

FETCHED: Final = 10_000
"""Rows that come out of an engine at a time."""
_FACTORS: Final = (1.0, 8.0, None)
"""How often a stratum is asked, and how many more hashes than expected each time; None asks for all of them."""
_FIXED: Final = 6
"""Columns of the candidates query before segments, payload and cluster."""

Rows = Sequence[tuple[Any, ...]]


class Opened(Protocol):
    """An engine that has one panel's predictions at hand."""

    @property
    def statements(self) -> Statements:
        """The queries in the engine's dialect."""
        ...

    def require(self, window: Window) -> None:
        """Refuse a window some of whose rows lack a column that is read; tables have their columns in every row."""
        ...

    def batches(self, sql: str) -> Iterator[Rows]:
        """Ask, and hand the rows out some at a time."""
        ...

    def put_wanted(self, wanted: Wanted) -> None:
        """Replace the table of what is wanted, which the candidates query joins."""
        ...

    def gather(self, window: Window) -> Gathered | None:
        """Count and keep in one scan, in a table of ours; None where that is no use, or not possible."""
        ...

    def version(self) -> Json:
        """What is being read, as far as the engine can tell."""
        ...

    def facts(self) -> Mapping[str, str]:
        """What it is, in words, for `check`."""
        ...


class SqlSource(ABC):
    """Census and candidates of a window by one scan or two; only counts and a few thousand rows leave the engine."""

    @abstractmethod
    def _open(self, panel: PanelSpec) -> AbstractContextManager[Opened]:
        """Connect, look at the columns, and see one state of the data until it is closed.

        Whatever fails inside becomes InputRefused or Unreachable.
        """

    @contextmanager
    def reading(self, panel: PanelSpec, window: Window) -> Iterator["SqlReading"]:
        """Census and candidates of one state of the data, by as few scans as they take."""
        with self._open(panel) as opened:
            opened.require(window)
            yield SqlReading(panel, window, opened)

    def census(self, panel: PanelSpec, window: Window) -> CensusResult:
        """Count the window, profile its input. Raises InputRefused or Unreachable."""
        with self._open(panel) as opened:
            opened.require(window)
            return SqlReading(panel, window, opened, keeping=False).census()

    def candidates(
        self, panel: PanelSpec, window: Window, atoms: Sequence[Atom], wanted: Sequence[int]
    ) -> tuple[CandidateItem, ...]:
        """Fetch, of every stratum, the `wanted` items (all, if it has fewer) with the smallest digests."""
        with self.reading(panel, window) as one:
            return one.candidates(atoms, wanted)

    def rows(self, panel: PanelSpec, window: Window) -> int:
        """Count the rows dated inside a window, from the time alone. Raises as `census` does."""
        with self._open(panel) as opened:
            return SqlReading(panel, window, opened).rows(window)

    def describe(self, panel: PanelSpec) -> Mapping[str, str]:
        """Say what was found for `check`: where, rows, columns with types. Raises as `census` does."""
        with self._open(panel) as opened:
            ((rows, first, last),) = next(opened.batches(opened.statements.extent()))
            timed = panel.columns.time != panel.columns.item  # else there is no time that can be read
            return {
                **opened.facts(),
                "rows": f"{rows:,}",
                **({"times": f"{first} to {last}" if rows else "none"} if timed else {}),
                "columns": ", ".join(f"{name} {kind}" for name, kind in opened.statements.types.items()),
            }


@dataclass
class SqlReading:
    """What was opened for one window. `keeping`: candidates are asked for too, so that the census may keep some."""

    panel: PanelSpec
    window: Window
    opened: Opened
    keeping: bool = True
    _gathered: Gathered | None = field(default=None, init=False)

    def census(self) -> CensusResult:
        """Count the window, profile its input."""
        opened, statements = self.opened, self.opened.statements
        with phase("counting the window"):
            self._gathered = opened.gather(self.window) if self.keeping else None
            counts = CensusCounts(self.panel, statements.types)
            if self._gathered is None:
                for rows in opened.batches(statements.census(self.window)):
                    counts.add(rows)
            else:
                counts.add_counts(self._gathered.counts)
                for rows in opened.batches(statements.gathered_ranges()):
                    counts.add_ranges(rows)
            profile = counts.profile()
            bad = _bad_rows(opened, self.panel, self.window) if profile.bad_rows else ()
            return CensusResult(counts.census(), profile, bad, opened.version())

    def candidates(self, atoms: Sequence[Atom], wanted: Sequence[int]) -> tuple[CandidateItem, ...]:
        """Fetch, of every stratum, the `wanted` items (all, if it has fewer) with the smallest digests."""
        sizes = stratum_sizes(atoms)
        found: dict[int, list[CandidateItem]] = {}
        missing = [stratum for stratum, number in enumerate(wanted) if number > 0]
        with phase("fetching candidates"):
            for factor in _FACTORS:
                if not missing:
                    break
                found.update({stratum: [] for stratum in missing})
                for item in self._under(wanted_of(atoms, wanted, missing, factor), atoms):
                    found[atoms[item.atom].stratum].append(item)
                missing = [one for one in missing if len(found[one]) < min(wanted[one], sizes[one])]
        return tuple(item for stratum in sorted(found) for item in found[stratum])

    def rows(self, window: Window) -> int:
        """Count the rows dated inside a window, this or another, from the time alone."""
        ((number,),) = next(self.opened.batches(self.opened.statements.rows(window)))
        return int(number)

    def _under(self, wanted: Wanted, atoms: Sequence[Atom]) -> list[CandidateItem]:
        """The items under these ceilings."""
        self.opened.put_wanted(wanted)
        statements = self.opened.statements
        if self._gathered is not None and self._gathered.gathering.enough(wanted.ceilings):
            items = self._asked(statements.gathered_candidates(self.window), atoms)
            if all(item.copies == 1 for item in items):
                return items  # which of several rows is drawn is decided where all of them are looked at
        return self._asked(statements.candidates(self.window), atoms)

    def _asked(self, sql: str, atoms: Sequence[Atom]) -> list[CandidateItem]:
        return [_candidate(self.panel, row, atoms) for rows in self.opened.batches(sql) for row in rows]


def _bad_rows(opened: Opened, panel: PanelSpec, window: Window) -> tuple[QuarantinedRow, ...]:
    names = opened.statements.given_names()
    return tuple(
        bad_row(panel, names, row) for rows in opened.batches(opened.statements.bad_rows(window)) for row in rows
    )


def _candidate(panel: PanelSpec, row: Sequence[Any], atoms: Sequence[Atom]) -> CandidateItem:
    item, atom, digest, bin_, time, copies = row[:_FIXED]
    names, payload = panel.columns.segments, panel.columns.payload
    split = _FIXED + len(names)
    return CandidateItem(
        item=item,
        atom=atom,
        digest=digest,
        pattern=atoms[atom].pattern,
        bin=bin_,
        time=time.replace(tzinfo=UTC),
        copies=copies,
        payload={name: plain(value) for name, value in zip(payload, row[split : split + len(payload)], strict=True)},
        segments=dict(zip(names, row[_FIXED:split], strict=True)),
        cluster=row[-1] if panel.columns.cluster is not None else None,
    )
