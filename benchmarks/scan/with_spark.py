"""The passes on Spark: a standalone master with two workers of one core, started for them; each reads the parts.

Every pass begins with a Java that has compiled nothing: below some millions of rows that takes longer than reading.
"""

import atexit
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.scan.passes import Look, look
from benchmarks.scan.population import WINDOW, Size
from benchmarks.scan.servers import address
from benchmarks.shape import Row
from stratawatch.core.population import Atom, Census
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.errors import StratawatchError
from tests.support.spark_cluster import SETTINGS, cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LONG_LIVED: Final = "-XX:+UseSerialGC"
"""For executors: unlike those of the tests they may compile what they run."""


class Spark:
    """The product's own source on files, by a driver of its own for every pass."""

    def prepare(self) -> None:
        """Start the driver and wait for its executors; the source finds it and uses it."""
        import sqlglot  # noqa: F401

        session = _session()
        atexit.register(session.stop)  # what the executors hold is the next pass's
        session.sparkContext.setLogLevel("ERROR")
        session.range(1000, numPartitions=2).count()

    def read(self, folder: Path, panel: PanelSpec) -> int:
        """The greatest value of every column."""
        names = dict.fromkeys(role.column for role in panel.column_roles())
        greatest = [f"MAX({name})" for name in names]
        return int(_session().read.parquet(str(folder)).selectExpr("COUNT(*)", *greatest).collect()[0][0])

    def census(self, folder: Path, panel: PanelSpec) -> Census:
        """The census query."""
        census: Census = _source(folder).census(panel, WINDOW).census
        return census

    def candidates(
        self, folder: Path, panel: PanelSpec, atoms: Sequence[Atom], quotas: Sequence[int]
    ) -> tuple[str, ...]:
        """The candidates query."""
        return tuple(one.item for one in _source(folder).candidates(panel, WINDOW, atoms, quotas))

    def together(self, folder: Path, panel: PanelSpec) -> Look:
        """As a cycle is frozen."""
        return look(_source(folder), panel)


def require() -> None:
    """Spark is a package, and Java is not."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise StratawatchError("there is no Java to start Spark with", hint="put Java 17 or newer on the PATH")


def room(size: Size) -> int:  # noqa: ARG001 - the parts are all that it reads
    """Nothing more."""
    return 0


@contextmanager
def serve(folders: Mapping[Size, Path], scratch: Path) -> Iterator[tuple[str, Sequence[Row]]]:  # noqa: ARG001
    """Nothing is loaded: the workers read the parts where they lie."""
    with cluster() as master:
        yield master, []


def _session() -> "SparkSession":
    from pyspark.sql import SparkSession

    settings: dict[str, bool | float | int | str | None] = {**SETTINGS, "spark.executor.extraJavaOptions": _LONG_LIVED}
    return SparkSession.builder.master(address()).appName("scan").config(map=settings).getOrCreate()


def _source(folder: Path) -> Any:
    from stratawatch.adapters.sources.spark_table import SparkSource

    return SparkSource(path=str(folder))
