"""A Spark session of our own inside of the Spark that runs, or of one that is started, and Spark's errors as ours."""

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from stratawatch.errors import InputRefused, NoConnection, StratawatchError, Unreachable
from stratawatch.extras import require

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

APPLICATION: Final = "stratawatch"
SESSION_SETTINGS: Final = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parser.escapedStringLiterals": "false",
    # What Spark infers (a bin that is joined on is not null) it would write out at thirty times the query's length.
    "spark.sql.constraintPropagation.enabled": "false",
    # Both write out what a joined column is made of, to find a table that the join could thin: of a long table, which
    # has a join and a union, each took half a minute of planning and found none. Windows are cut by constants anyway.
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
}
# Held while Spark is used: who starts it in this process also stops it, when nobody else reads.
_ONE_AT_A_TIME: Final = Lock()


@contextmanager
def spark_session(master: str | None, settings: Mapping[str, str]) -> Iterator["SparkSession"]:
    """Open a session in UTC, with temporary views of its own.

    A Spark that runs in this process already is used and left running. Otherwise one is started, at `master` or where
    Spark's own configuration says, and stopped afterwards, so that it holds no cores while people label.
    """
    require("spark")
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    with _ONE_AT_A_TIME:
        runs_already = SparkContext._active_spark_context is not None  # noqa: SLF001 - public only by thread
        main = SparkSession.builder.getOrCreate() if runs_already else _start(SparkSession.builder, master, settings)
        try:
            session = main.newSession()
            for name, value in SESSION_SETTINGS.items():
                session.conf.set(name, value)
            yield session
        finally:
            if not runs_already:
                main.stop()


def _start(builder: "SparkSession.Builder", master: str | None, settings: Mapping[str, str]) -> "SparkSession":
    builder = builder.appName(APPLICATION).config(map={**_quiet_logging(), **settings})
    if master is not None:
        builder = builder.master(master)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of PySpark about pandas, which is not used with it
            session = builder.getOrCreate()
    except Exception as error:
        raise NoConnection(
            "Spark does not start", got=first_line(error), hint="check Java (JAVA_HOME) and the source's master"
        ) from error
    session.sparkContext.setLogLevel(settings.get("spark.log.level", "FATAL"))  # a Java may run already
    return session


def _quiet_logging() -> dict[str, str]:
    """Settings that keep Spark from writing to the terminal; none where Spark has a configuration of its own."""
    if {"SPARK_HOME", "SPARK_CONF_DIR"} & set(os.environ):
        return {}
    log = Path(__file__).with_name("spark_log.properties").as_uri()
    return {
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.defaultJavaOptions": f"-Dlog4j2.configurationFile={log}",
    }


@contextmanager
def spark_errors(source: str) -> Iterator[None]:
    """Turn Spark's errors into Unreachable (retry may help) or InputRefused (it will not)."""
    from py4j.protocol import Py4JError
    from pyspark.errors import AnalysisException, PySparkException

    try:
        yield
    except StratawatchError:
        raise
    except AnalysisException as error:
        if _condition(error) in _NOT_FOUND:
            raise Unreachable(
                f"'{source}' is not there", got=first_line(error), hint="check the source, and that the export has run"
            ) from error
        if _condition(error) == "PARQUET_TYPE_ILLEGAL" and "NANOS" in str(error):
            raise InputRefused(
                f"'{source}' has times in nanoseconds, which Spark does not read", hint=_WRITE_MICROSECONDS
            ) from error
        raise InputRefused(f"the columns of '{source}' do not fit together", got=first_line(error)) from error
    except (PySparkException, Py4JError) as error:
        raise Unreachable(
            f"'{source}' cannot be read", got=first_line(error), hint="it is read again at the next advance"
        ) from error


_WRITE_MICROSECONDS: Final = (
    'write microseconds (in pandas: to_parquet(..., coerce_timestamps="us", allow_truncated_timestamps=True)), or read '
    'the files with kind = "files"'
)
_NOT_FOUND: Final = ("TABLE_OR_VIEW_NOT_FOUND", "PATH_NOT_FOUND", "SCHEMA_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA")


def _condition(error: Exception) -> str:
    """Spark's own name for the error."""
    condition = None
    with suppress(Exception):
        condition = error.getCondition()  # type: ignore[attr-defined]
    return str(condition or "")


def first_line(error: Exception) -> str:
    """Of an error of Spark's the innermost cause in a Java stack trace, else the first line that is not empty."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    cause = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    return (cause[-1:] or lines[:1] or ["no reason"])[0]
