"""Processes beside the product: the receiver of alerts, and a Prefect server."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

START_UP: Final = 120.0


@contextmanager
def receiver(log: Path) -> Iterator[int]:
    """A receiver of alerts; its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.chaos.receiver", str(log)], stdout=subprocess.PIPE, text=True
    )
    try:
        if process.stdout is None:
            raise RuntimeError("the receiver was started without a pipe")
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


@contextmanager
def prefect_server(home: Path) -> Iterator[dict[str, str]]:
    """A Prefect server on loopback; the environment in which flows find it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    api = f"http://127.0.0.1:{port}/api"
    environment = {
        "PREFECT_HOME": str(home),
        "PREFECT_API_URL": api,
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_LOGGING_LEVEL": "WARNING",
    }
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    with (home.parent / "prefect.log").open("w") as log:
        process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=log, stderr=log)
    try:
        end = time.monotonic() + START_UP
        while not _answers(api):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"no Prefect server: {(home.parent / 'prefect.log').read_text()[-2000:]}")
            time.sleep(0.3)
        yield environment
    finally:
        process.terminate()
        process.wait()


def _answers(api: str) -> bool:
    try:
        return httpx.get(f"{api}/health", timeout=2.0, trust_env=False).is_success
    except httpx.HTTPError:
        return False
