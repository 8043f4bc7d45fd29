"""TLS with verify-full against a server that has a certificate of its own: PgBouncer, before a PostgreSQL."""

import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from stratawatch.adapters.sources.postgres_session import postgres_errors, server_url, snapshot
from stratawatch.adapters.status_queries import StoreNotReady, read_status
from stratawatch.adapters.store import open_store
from stratawatch.errors import NoConnection, Unreachable
from stratawatch.settings.connection_options import with_options
from stratawatch.settings.postgres_keys import StorePostgresKeys
from tests.support import pgbouncer


def certificate(folder: Path, name: str) -> Path:
    """A self-signed certificate for localhost, with its key beside it."""
    files = ["-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem"]
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
    ]
    subprocess.run([*command, *subject, *files], check=True, capture_output=True)
    return folder / f"{name}.pem"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("certificates")
    for name in ("server", "stranger"):
        certificate(made, name)
    return made


@pytest.fixture(scope="module")
def server(postgres_server, migrated_postgres, folder) -> Iterator[str]:
    """The address of a store behind TLS, by the name that is in the certificate."""
    name = migrated_postgres.partition("?")[0].rpartition("/")[2]
    with pgbouncer.pooler(postgres_server, certificate=folder / "server.pem") as address:
        yield address.format(name).replace("127.0.0.1", "localhost")


def checked(url, folder, root, mode="verify-full"):
    keys = StorePostgresKeys(sslmode=mode, sslrootcert=root)
    return with_options(url, keys.connection_options(folder))


def test_store_status_and_source_reach_a_server_that_proves_who_it_is(server, folder):
    url = checked(server, folder, "server.pem")
    store = open_store(url)
    assert store.describe()["database"].startswith("PostgreSQL")
    store.dispose()
    assert "panels" in read_status(url)
    with postgres_errors("t"), snapshot(server_url(url), timedelta(seconds=9)) as connection:
        assert connection.exec_driver_sql("SELECT 1").scalar_one() == 1


def test_another_servers_certificate_is_refused_with_its_reason(server, folder):
    url = checked(server, folder, "stranger.pem")
    with pytest.raises(Unreachable, match=r"certificate verify failed|self-signed certificate"):
        open_store(url)
    with pytest.raises(StoreNotReady):
        read_status(url)
    with pytest.raises(NoConnection, match="certificate"), snapshot(server_url(url), timedelta(seconds=9)):
        pass


def test_the_right_certificate_under_another_name_is_refused(server, folder):
    url = checked(server.replace("localhost", "127.0.0.1"), folder, "server.pem")
    with pytest.raises(Unreachable, match="does not match host name"):
        open_store(url)
    open_store(checked(server.replace("localhost", "127.0.0.1"), folder, "server.pem", "verify-ca")).dispose()


def test_a_connection_in_the_clear_is_not_taken(server, folder):
    with pytest.raises(Unreachable):
        open_store(checked(server, folder, "server.pem", "disable"))
