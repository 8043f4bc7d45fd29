"""A session on a Spark Connect server, which lets no program into its Java: what it reads is known by names only."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from stratawatch.adapters.sources.file_set import LISTED, digest_of_lines
from stratawatch.adapters.sources.spark_session import SESSION_SETTINGS, first_line
from stratawatch.engine.model.document import Json
from stratawatch.errors import NoConnection
from stratawatch.extras import require

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_RETRIES: Final = 4
"""With waits of .05 s, four times as long each time: 4 s in all. Spark's own default goes on for ten minutes."""


@contextmanager
def connect_session(remote: str, token: str | None, settings: Mapping[str, str]) -> Iterator["SparkSession"]:
    """Open a session on the server at `remote` (sc://host:port), and close it; the server goes on."""
    require("spark-connect")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PySpark: about pandas, which is not used with it, and about retries
        from pyspark.sql.connect.client.retries import DefaultPolicy
        from pyspark.sql.connect.session import SparkSession as Session

        session = None
        try:
            session = Session.builder.remote(_address(remote, token)).create()
            session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES)])
            for name, value in {**settings, **SESSION_SETTINGS}.items():
                session.conf.set(name, value)
        except Exception as error:
            if session is not None:
                session.release_session_on_close = False  # there may be no server to ask
                session.stop()
            raise NoConnection(
                f"the Spark Connect server at {remote} gives no session",
                got=first_line(error),
                hint="check the source's remote, its token, and that its settings are such as a session may set",
            ) from error
    try:
        yield session  # type: ignore[misc]  # it answers as the other kind of session does
    finally:
        session.stop()


def _address(remote: str, token: str | None) -> str:
    """The address with the token as Spark Connect writes it: sc://host:port/;token=..."""
    if token is None:
        return remote
    address, _, parameters = remote.partition("/;")
    return f"{address.rstrip('/')}/;" + ";".join(filter(None, (parameters.strip(";"), f"token={token}")))


def version_by_names(frame: "DataFrame") -> Json:
    """The version of the data, as far as the names of its files tell; empty for tables that are not read from files.

    The server keeps the list of files with the view that the queries read: those that come later are not read.
    """
    names = sorted(frame.inputFiles())
    listing = [{"name": name} for name in names[:LISTED]]
    return {"files": len(names), "fingerprint": digest_of_lines(names), "listing": listing} if names else {}
