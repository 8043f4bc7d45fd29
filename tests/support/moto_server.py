"""Moto's server of S3, in the environment that `make test-live` installs it into."""

import atexit
import socket
import subprocess
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

PYTHON = Path(__file__).parents[2] / ".venv-live" / "bin" / "python"
BUCKET = "labels"
SERVER = """
import sys
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
run_simple("127.0.0.1", int(sys.argv[1]), DomainDispatcherApplication(create_backend_app), threaded=False)
"""
"""One request after the other: `moto.server` looks for an object and writes it with others in between, which S3 does not."""
PATIENCE = 60.0


def start_moto() -> tuple[str, "subprocess.Popen[bytes]"]:
    """A server with one bucket, which ends with this process: its address, and its process."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    running = subprocess.Popen(
        [PYTHON, "-c", SERVER, str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(running.kill)
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with urlopen(Request(f"{address}/{BUCKET}", method="PUT", data=b""), timeout=5):  # noqa: S310
                return address, running
        except URLError:
            if time.monotonic() > deadline or running.poll() is not None:
                raise
            time.sleep(0.1)
