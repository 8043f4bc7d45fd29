"""One Spark for all tests in this folder: it carries the Spark Connect server too, since each Java costs many seconds."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.java import needs_java
from tests.support.spark_cluster import CONNECT, cluster, connect_address, driver


@pytest.fixture(scope="package")
def master() -> Iterator[str]:
    needs_java()
    with cluster() as address:
        yield address


@pytest.fixture(scope="package")
def session(master: str) -> Iterator[Any]:
    """A session that is there already; one for all tests that follow."""
    with driver(master, CONNECT) as session:
        yield session


@pytest.fixture(scope="package")
def remote(session: Any) -> str:
    """The address of a Spark Connect server in the Java of the session, which a client reaches by gRPC only."""
    return connect_address(session)
