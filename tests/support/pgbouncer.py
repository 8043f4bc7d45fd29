"""A PgBouncer in transaction mode before a PostgreSQL server: every transaction may get another connection."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from urllib.parse import parse_qs, urlsplit

VARIABLE = "TEST_PGBOUNCER"
PASSWORD = "open sesame"
_INI = """
[databases]
* = host={socket} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = plain
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 6
logfile = {folder}/log
pidfile = {folder}/pid
"""
_TLS = """
client_tls_sslmode = require
client_tls_cert_file = {folder}/server.pem
client_tls_key_file = {folder}/server.key
"""


def wanted() -> bool:
    """Whether this run is about the pooler."""
    return VARIABLE in os.environ


@contextmanager
def pooler(server: str, certificate: Path | None = None) -> Iterator[str]:
    """The address of a pooler before the server at this address, with a place for the database's name.

    With a `certificate`, which has its key beside it, only TLS is taken.
    """
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        raise FileNotFoundError("tests of the pooler need the program pgbouncer; Debian has a package of this name")
    with TemporaryDirectory(prefix="stratawatch-pgbouncer-") as name, closing(socket.socket()) as probe:
        folder = Path(name)
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        behind = parse_qs(urlsplit(server).query)["host"][0]
        (folder / "users").write_text(f'"postgres" "{PASSWORD}"\n')
        (folder / "ini").write_text(_INI.format(socket=behind, port=port, folder=folder))
        if certificate is not None:
            shutil.copy(certificate, folder / "server.pem")
            shutil.copy(certificate.with_suffix(".key"), folder / "server.key")
            with (folder / "ini").open("a") as ini:
                ini.write(_TLS.format(folder=folder))
        folder.chmod(0o755)
        command = [program, str(folder / "ini")]
        if os.getuid() == 0:  # it does not run as root, and the server's socket is its owner's alone
            owner = Path(behind).owner()
            command[1:1] = ["-u", owner]
            for path in (folder, *folder.iterdir()):
                shutil.chown(path, owner)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                _wait_for(port, process, folder / "log")
                yield f"postgresql+psycopg://postgres:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{port}/{{}}"
            finally:
                process.kill()


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = monotonic() + 20
    while True:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None or monotonic() > end:
            raise RuntimeError(f"pgbouncer does not answer: {log.read_text() if log.exists() else 'no log'}")
        sleep(0.05)
