"""What is timed: reading the columns and nothing else, the census, the candidates, and both in one look."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from benchmarks.scan.population import WINDOW
from stratawatch.core.designs.frozen import pool_sizes, stratify_for_survey
from stratawatch.core.population import Atom, Census
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.survey_of_panel import survey_of_panel
from stratawatch.engine.ports import PredictionSource


class Engine(Protocol):
    """Something that reads the parts in a folder."""

    def prepare(self) -> None:
        """Import what is needed: loading libraries is not the population's fault."""
        ...

    def read(self, folder: Path, panel: PanelSpec) -> int:
        """Decode every value of the panel's columns and do as little as possible with it; the number of rows."""
        ...

    def census(self, folder: Path, panel: PanelSpec) -> Census:
        """Count the window."""
        ...

    def candidates(
        self, folder: Path, panel: PanelSpec, atoms: Sequence[Atom], quotas: Sequence[int]
    ) -> tuple[str, ...]:
        """Draw the candidates' ids, by stratum and digest."""
        ...


class Look(NamedTuple):
    """Items counted, the sum of the quotas, candidates drawn; and what cutting strata took between census and draw."""

    counted: int
    quota: int
    drawn: int
    cut_s: float
    cut_cpu_s: float


@runtime_checkable
class OneLook(Protocol):
    """An engine that counts and draws in one look, as the product does where it can."""

    def together(self, folder: Path, panel: PanelSpec) -> Look:
        """Count, cut, draw."""
        ...


class DuckDB:
    """The product's own source on files."""

    def prepare(self) -> None:
        """Load DuckDB and what writes its statements."""
        import_module("duckdb")
        import_module("sqlglot")

    def read(self, folder: Path, panel: PanelSpec) -> int:
        """The greatest value of every column, by the same reader within the same bounds."""
        from stratawatch.adapters.sources.duckdb_session import DuckDBLimits, duckdb_session
        from stratawatch.adapters.sources.file_set import find_files
        from stratawatch.adapters.sources.quoting import identifier

        names = dict.fromkeys(role.column for role in panel.column_roles())
        greatest = ", ".join(f"MAX({identifier(name)})" for name in names)
        with duckdb_session(DuckDBLimits()) as connection:
            relation = find_files(str(folder)).relation()
            return int(connection.execute(f"SELECT COUNT(*), {greatest} FROM {relation}").fetchone()[0])

    def census(self, folder: Path, panel: PanelSpec) -> Census:
        """The census query."""
        census: Census = _files(folder).census(panel, WINDOW).census
        return census

    def candidates(
        self, folder: Path, panel: PanelSpec, atoms: Sequence[Atom], quotas: Sequence[int]
    ) -> tuple[str, ...]:
        """The candidates query."""
        return tuple(one.item for one in _files(folder).candidates(panel, WINDOW, atoms, quotas))

    def together(self, folder: Path, panel: PanelSpec) -> Look:
        """As a cycle is frozen."""
        return look(_files(folder), panel)


def look(source: PredictionSource, panel: PanelSpec) -> Look:
    """Count, cut and draw in one look at a source, whatever its engine."""
    with source.reading(panel, WINDOW) as reading:
        census = reading.census().census
        start, spent = perf_counter(), process_time()
        atoms, quotas = first_cut(census, panel)
        seconds, cpu_s = perf_counter() - start, process_time() - spent
        return Look(census.size, sum(quotas), len(reading.candidates(atoms, quotas)), seconds, cpu_s)


def first_cut(census: Census, panel: PanelSpec) -> tuple[Sequence[Atom], Sequence[int]]:
    """What a first cycle would draw: atoms, and the size of every stratum's pool."""
    survey = survey_of_panel(panel)
    atoms = stratify_for_survey(census, survey)
    return atoms, pool_sizes(atoms, census.classifiers, survey)


def _files(folder: Path) -> Any:
    from stratawatch.adapters.sources.duckdb_files import FilesSource

    return FilesSource(folder)


ENGINES: Final = {
    "duckdb": "benchmarks.scan.passes:DuckDB",
    "pandas": "benchmarks.scan.with_pandas:Pandas",
    "postgres": "benchmarks.scan.with_postgres:Postgres",
    "spark": "benchmarks.scan.with_spark:Spark",
}
"""Name -> module:class."""


def engine_of(name: str) -> Engine:
    """The engine of this name."""
    module, _, what = ENGINES[name].partition(":")
    engine: Engine = getattr(import_module(module), what)()
    return engine
