"""What all sources that answer SQL have in common: the queries of a window, and their rows as records."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.adapters.sources.bad_rows import to_quarantined_row
from stratawatch.adapters.sources.census_result import CensusCounts
from stratawatch.adapters.sources.column_types import column_problems
from stratawatch.adapters.sources.json_values import to_json
from stratawatch.adapters.sources.own_score_bins import own_score_bins, scored_classifiers
from stratawatch.adapters.sources.statements import IDS, QUOTAS, Statements
from stratawatch.adapters.sources.stratum_quotas import StratumQuotas, quotas_of, stratum_sizes
from stratawatch.core.population import Atom
from stratawatch.core.random_numbers import digest
from stratawatch.engine.model.cycle_facts import CandidateItem, CensusResult
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.ports import ColumnProblem, SourceDescription
from stratawatch.engine.progress import phase
from stratawatch.errors import InputRefused

BATCH_ROWS: Final = 10_000
"""Rows that are fetched from an engine at a time."""
MOST_TEXT: Final = 256 << 20
"""Characters of all candidates of a window together: they are kept in memory and in the store."""
# How many times more items than expected are ranked at each attempt to fill a stratum's quota; None ranks all.
_FACTORS: Final = (1.0, 8.0, None)
# Columns of the candidates query before the scores; segments, payload and cluster follow these.
_FIRST_SCORE: Final = 6

Rows = Sequence[tuple[Any, ...]]
TableColumns = Mapping[str, NDArray[Any]]
"""The columns of a small table that queries join: whole numbers of 32 bits, or text as objects."""


def is_text(column: NDArray[Any]) -> bool:
    """Whether a column of such a table holds text."""
    return column.dtype == np.object_


@dataclass
class SqlEngine(ABC):
    """An engine that has opened one panel's predictions.

    `statements` are the queries in its dialect, `description` says for `check` where the data is, and `source_version`
    which data is read, as far as the engine can tell.
    """

    statements: Statements
    description: Mapping[str, str]
    source_version: Json

    def column_problems(self) -> Iterable[ColumnProblem]:
        """The columns that are missing or cannot hold what they should."""
        return tuple(column_problems(self.statements.panel, self.statements.types))

    def require_columns(self, window: Window) -> None:  # noqa: B027 - only files lack columns in some rows
        """Refuse a window some of whose rows lack a column that is read; tables have their columns in every row."""

    @abstractmethod
    def batches(self, sql: str) -> Iterator[Rows]:
        """Run a query and yield its rows in batches."""

    @abstractmethod
    def put_table(self, name: str, columns: TableColumns) -> None:
        """Replace a small table that queries join."""


class SqlSource(ABC):
    """Census and candidates of a window by one scan or two; only counts and a few thousand rows leave the engine."""

    @abstractmethod
    def _open(self, panel: PanelSpec) -> AbstractContextManager[SqlEngine]:
        """Connect, find the columns, and read one state of the data until it is closed.

        Every failure inside is raised as InputRefused or Unreachable.
        """

    def _open_for(self, panel: PanelSpec, window: Window) -> AbstractContextManager[SqlEngine]:  # noqa: ARG002
        """Open for one window; a source that has to fetch its data fetches no other's."""
        return self._open(panel)

    @contextmanager
    def _open_readable(self, panel: PanelSpec, window: Window) -> Iterator[SqlEngine]:
        """Open, and refuse columns that are missing or cannot hold what they should."""
        with self._open_for(panel, window) as engine:
            for problem in engine.column_problems():
                raise problem.error
            yield engine

    @contextmanager
    def reading(self, panel: PanelSpec, window: Window) -> Iterator["SqlWindowReader"]:
        """Read census and candidates from one state of the data, with as few scans as possible."""
        with self._open_readable(panel, window) as engine:
            engine.require_columns(window)
            yield self._reader(panel, window, engine)

    def _reader(self, panel: PanelSpec, window: Window, engine: Any) -> "SqlWindowReader":
        """The reader for a census that candidates follow; an engine with a faster one overrides this."""
        return SqlWindowReader(panel, window, engine)

    def census(self, panel: PanelSpec, window: Window) -> CensusResult:
        """Count the window, profile its input. Raises InputRefused or Unreachable."""
        with self._open_readable(panel, window) as engine:
            engine.require_columns(window)
            return SqlWindowReader(panel, window, engine).census()

    def candidates(
        self, panel: PanelSpec, window: Window, atoms: Sequence[Atom], quotas: Sequence[int]
    ) -> tuple[CandidateItem, ...]:
        """Fetch as many items of every stratum as its quota (all, if it has fewer): those with the smallest digests."""
        with self.reading(panel, window) as reader:
            return reader.candidates(atoms, quotas)

    def rows(self, panel: PanelSpec, window: Window) -> int:
        """Count the rows dated inside a window, from the time alone. Raises as `census` does."""
        with self._open_readable(panel, window) as engine:
            return SqlWindowReader(panel, window, engine).rows(window)

    def describe(self, panel: PanelSpec) -> SourceDescription:
        """Describe the source for `check`: where it is, rows, columns with types, and columns that cannot be read."""
        with self._open(panel) as engine:
            problems = tuple(engine.column_problems())
            has_time = all(problem.column.column != panel.columns.time for problem in problems)
            ((rows, *times),) = next(engine.batches(engine.statements.extent(has_time=has_time)))
            facts = {
                **engine.description,
                "rows": f"{rows:,}",
                **({"times": f"{times[0]} to {times[1]}" if rows else "none"} if has_time else {}),
                "columns": ", ".join(f"{name} {kind}" for name, kind in engine.statements.types.items()),
            }
            return SourceDescription(facts, problems)


@dataclass
class SqlWindowReader:
    """Reads one window of an opened source: a scan for the census, and one for the candidates."""

    panel: PanelSpec
    window: Window
    engine: SqlEngine

    def census(self) -> CensusResult:
        """Count the window, profile its input."""
        with phase("counting the window"):
            counts = CensusCounts(self.panel, self.engine.statements.types)
            self._count(counts)
            profile = counts.profile()
            statements = self.engine.statements
            batches = self.engine.batches(statements.bad_rows(self.window)) if profile.bad_rows else ()
            bad = tuple(
                to_quarantined_row(self.panel, statements.bad_row_columns(), row) for rows in batches for row in rows
            )
            return CensusResult(counts.census(), profile, bad, self.engine.source_version)

    def candidates(self, atoms: Sequence[Atom], quotas: Sequence[int]) -> tuple[CandidateItem, ...]:
        """Fetch as many items of every stratum as its quota (all, if it has fewer): those with the smallest digests."""
        sizes = stratum_sizes(atoms)
        drawn: dict[int, list[CandidateItem]] = {}
        unfilled = [stratum for stratum, quota in enumerate(quotas) if quota > 0]
        with phase("fetching candidates"):
            for factor in _FACTORS:
                if not unfilled:
                    break
                drawn.update({stratum: [] for stratum in unfilled})
                stratum_quotas = quotas_of(atoms, quotas, unfilled, factor)
                self.engine.put_table(QUOTAS, stratum_quotas.columns)
                for item in self._fetch(stratum_quotas, atoms):
                    drawn[atoms[item.atom].stratum].append(item)
                unfilled = [one for one in unfilled if len(drawn[one]) < min(quotas[one], sizes[one])]
        return tuple(item for stratum in sorted(drawn) for item in drawn[stratum])

    def items_by_id(
        self, atoms: Sequence[Atom], ids: Collection[str], *, with_payload: bool = False
    ) -> tuple[CandidateItem, ...]:
        """Find those of the items with these ids that the window has in the atoms, each once."""
        if not ids or not atoms:
            return ()
        strata = {atom.stratum for atom in atoms}
        with phase("looking items up"):
            self.engine.put_table(QUOTAS, quotas_of(atoms, [0] * (max(strata) + 1), strata, None).columns)
            self.engine.put_table(IDS, {"item": np.array(sorted(ids), dtype=np.object_)})
            statements = self.engine.statements
            by_id = statements.shown_by_id if with_payload else statements.items_by_id
            rows = (row for rows in self.engine.batches(by_id(self.window)) for row in rows)
            seed = self.panel.seed_of(self.window)
            found = {row[0]: _item_by_id(self.panel, row, atoms, seed) for row in rows}
        return tuple(found.values())

    def rows(self, window: Window) -> int:
        """Count the rows dated inside this window, or inside a part of it, from the time alone."""
        ((number,),) = next(self.engine.batches(self.engine.statements.row_count(window)))
        return int(number)

    def _count(self, counts: CensusCounts) -> None:
        """Add the window's groups."""
        for rows in self.engine.batches(self.engine.statements.census(self.window)):
            counts.add(rows)

    def _fetch(self, quotas: StratumQuotas, atoms: Sequence[Atom]) -> list[CandidateItem]:  # noqa: ARG002 - for overrides
        """The items that fill the quotas which the engine was given, of those below their greatest digests."""
        return self._items(self.engine.statements.candidates(self.window), atoms)

    def _items(self, sql: str, atoms: Sequence[Atom]) -> list[CandidateItem]:
        items, text = list[CandidateItem](), 0
        for rows in self.engine.batches(sql):
            text += sum(len(value) for row in rows for value in row if isinstance(value, str))
            if text > MOST_TEXT:
                raise InputRefused(
                    f"the candidates of window {self.window} hold more text than is kept",
                    expected=f"at most {MOST_TEXT:,} characters of ids, payload and segments",
                    hint="give labellers shorter payload columns",
                )
            after = _FIRST_SCORE + len(scored_classifiers(self.panel))
            bins = own_score_bins(self.panel, [row[_FIRST_SCORE:after] for row in rows])
            items += [
                _candidate(self.panel, [*row[:_FIRST_SCORE], *row[after:]], atoms, of_row)
                for row, of_row in zip(rows, bins, strict=True)
            ]
        return items


def _candidate(
    panel: PanelSpec, row: Sequence[Any], atoms: Sequence[Atom], score_bins: Mapping[str, int]
) -> CandidateItem:
    item, atom, digest, bin_, time, copies = row[:_FIRST_SCORE]
    names, payload = panel.columns.segments, panel.columns.payload
    first_payload = _FIRST_SCORE + len(names)
    end = first_payload + len(payload)
    return CandidateItem(
        item=item,
        atom=atom,
        digest=digest,
        pattern=atoms[atom].pattern,
        bin=bin_,
        time=time.replace(tzinfo=UTC),
        copies=copies,
        payload={name: to_json(value) for name, value in zip(payload, row[first_payload:end], strict=True)},
        segments=dict(zip(names, row[_FIRST_SCORE:first_payload], strict=True)),
        cluster=row[-1] if panel.columns.cluster is not None else None,
        score_bins=score_bins,
    )


def _item_by_id(panel: PanelSpec, row: Sequence[Any], atoms: Sequence[Atom], seed: str) -> CandidateItem:
    item, atom, bin_, time, *attributes = row
    names = panel.columns.segments
    # Without payload the row ends after the segments.
    payload = zip(panel.columns.payload, attributes[len(names) :], strict=False)
    return CandidateItem(
        item=item,
        atom=atom,
        digest=digest(seed, item),
        pattern=atoms[atom].pattern,
        bin=bin_,
        time=time.replace(tzinfo=UTC),
        payload={name: to_json(value) for name, value in payload},
        segments=dict(zip(names, attributes[: len(names)], strict=True)),
    )
