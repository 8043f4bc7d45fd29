"""A Spark session of our own inside whatever Spark there is, and Spark's errors as sentences."""

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
_SESSION: Final = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parser.escapedStringLiterals": "false",
    # What it infers (a bin that is joined on is not null) it writes out in full, thirty times the length of the query.
    "spark.sql.constraintPropagation.enabled": "false",
}
"""What the queries are written for."""
_ONE_AT_A_TIME: Final = Lock()
"""Whoever starts Spark in this process stops it, and nobody else is reading meanwhile."""


@contextmanager
def spark_session(master: str | None, settings: Mapping[str, str]) -> Iterator["SparkSession"]:
    """A session in UTC, with temporary views of its own.

    A Spark that runs in this process already is used and left as it is. Otherwise one is started, at `master` or
    wherever Spark's own configuration says, and stopped afterwards, so that it holds no cores while people label.
    """
    require("spark")
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    with _ONE_AT_A_TIME:
        theirs = SparkContext._active_spark_context is not None  # noqa: SLF001 - nothing public knows it in every thread
        main = SparkSession.builder.getOrCreate() if theirs else _start(SparkSession.builder, master, settings)
        try:
            session = main.newSession()
            for name, value in _SESSION.items():
                session.conf.set(name, value)
            yield session
        finally:
            if not theirs:
                main.stop()


def _start(builder: "SparkSession.Builder", master: str | None, settings: Mapping[str, str]) -> "SparkSession":
    builder = builder.appName(APPLICATION).config(map={**_silent(), **settings})
    if master is not None:
        builder = builder.master(master)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of PySpark about pandas, which is not used with it
            session = builder.getOrCreate()
    except Exception as trouble:
        raise NoConnection(
            "Spark does not start", got=_first_line(trouble), hint="check Java (JAVA_HOME) and the source's master"
        ) from trouble
    session.sparkContext.setLogLevel(settings.get("spark.log.level", "FATAL"))  # a Java may run already
    return session


def _silent() -> dict[str, str]:
    """Settings without which Spark writes to the terminal; a Spark that has its own configuration logs as that says."""
    if {"SPARK_HOME", "SPARK_CONF_DIR"} & set(os.environ):
        return {}
    log = Path(__file__).with_name("spark_log.properties").as_uri()
    return {
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.defaultJavaOptions": f"-Dlog4j2.configurationFile={log}",
    }


@contextmanager
def reading(asked: str) -> Iterator[None]:
    """Turn Spark's errors into Unreachable (retry may help) or InputRefused (it will not)."""
    from py4j.protocol import Py4JError
    from pyspark.errors import AnalysisException, PySparkException

    try:
        yield
    except StratawatchError:
        raise
    except AnalysisException as trouble:
        if _condition(trouble) in _ABSENT:
            raise Unreachable(
                f"'{asked}' is not there",
                got=_first_line(trouble),
                hint="check the source, and that the export has run",
            ) from trouble
        if _condition(trouble) == "PARQUET_TYPE_ILLEGAL" and "NANOS" in str(trouble):
            raise InputRefused(
                f"'{asked}' has times in nanoseconds, which Spark does not read", hint=_MICRO
            ) from trouble
        raise InputRefused(f"the columns of '{asked}' do not fit together", got=_first_line(trouble)) from trouble
    except (PySparkException, Py4JError) as trouble:
        raise Unreachable(
            f"'{asked}' cannot be read", got=_first_line(trouble), hint="it is read again at the next advance"
        ) from trouble


_MICRO: Final = (
    'write microseconds (in pandas: to_parquet(..., coerce_timestamps="us", allow_truncated_timestamps=True)), or read '
    'the files with kind = "files"'
)
_ABSENT: Final = ("TABLE_OR_VIEW_NOT_FOUND", "PATH_NOT_FOUND", "SCHEMA_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA")


def _condition(trouble: Exception) -> str:
    """Spark's own name of the error."""
    found = None
    with suppress(Exception):
        found = trouble.getCondition()  # type: ignore[attr-defined]
    return str(found or "")


def _first_line(trouble: Exception) -> str:
    """The first line that says something; Java's own stack begins with its class."""
    lines = [line.strip() for line in str(trouble).splitlines() if line.strip()]
    cause = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    return (cause[-1:] or lines[:1] or ["no reason"])[0]
