"""A Prefect server, if none answers, and `flows.serve` beside it; Ctrl-C stops both.

Nothing of Prefect is imported here: it reads the server's address when it is imported, and that is decided here.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Final

import httpx

ROOT: Final = Path(__file__).resolve().parent.parent
START_UP: Final = 120.0
"""Seconds a server may take until it answers; the first start creates its database."""
GRACE: Final = 20.0
"""Seconds a process gets to end by itself before it is killed."""


class StopAsked(Exception):  # noqa: N818 - a person stops the program; it is not an error
    """Somebody pressed Ctrl-C, or the service manager stops the program."""


def server_answers(url: str) -> bool:
    """Whether a Prefect server answers at this API address."""
    try:
        return httpx.get(f"{url}/health", timeout=2.0).is_success
    except httpx.HTTPError:
        return False


def start_server(port: int) -> subprocess.Popen[bytes]:
    """Start a server on loopback; its data is in PREFECT_HOME."""
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    return subprocess.Popen([*command, "--analytics-off"], cwd=ROOT, start_new_session=True)  # noqa: S603 - our own


def wait_until_it_answers(server: subprocess.Popen[bytes], url: str) -> None:
    """Wait for a server that is starting, or say that it does not."""
    end = time.monotonic() + START_UP
    while not server_answers(url):
        if server.poll() is not None:
            raise SystemExit(f"flows.up: the Prefect server ended at once with status {server.returncode}; see above")
        if time.monotonic() > end:
            raise SystemExit(f"flows.up: the Prefect server did not answer at {url} within {START_UP:.0f} s")
        time.sleep(0.5)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to end, and see that it does."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGINT)
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def serve_until_interrupted(config: str, port: int) -> int:
    """Serve until interrupted, with a server of our own if none answers yet."""
    elsewhere = os.environ.get("PREFECT_API_URL")
    if elsewhere and not server_answers(elsewhere):
        raise SystemExit(f"flows.up: no Prefect server answers at {elsewhere}; start it, or unset PREFECT_API_URL")
    url = os.environ.setdefault("PREFECT_API_URL", f"http://127.0.0.1:{port}/api")
    processes: list[subprocess.Popen[bytes]] = []
    try:
        if not server_answers(url):
            processes.append(start_server(port))
            wait_until_it_answers(processes[0], url)
        command = [sys.executable, "-m", "flows.serve", "--config", str(Path(config).resolve())]
        processes.append(subprocess.Popen(command, cwd=ROOT, start_new_session=True))  # noqa: S603 - our own
        print(f"Prefect: {url.removesuffix('/api')}   Ctrl-C ends everything", flush=True)  # noqa: T201 - a command
        return processes[-1].wait()
    except (KeyboardInterrupt, StopAsked):
        return 0
    finally:
        for process in reversed(processes):
            stop(process)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m flows.up", description=__doc__)
    parser.add_argument("--config", default="stratawatch.toml", help="the configuration (default: %(default)s)")
    parser.add_argument("--port", type=int, default=4200, help="of a server started here (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    os.environ.setdefault("PREFECT_HOME", str(ROOT / ".prefect"))
    signal.signal(signal.SIGTERM, _stop_asked)
    return serve_until_interrupted(chosen.config, chosen.port)


def _stop_asked(_number: int, _frame: FrameType | None) -> None:
    raise StopAsked


if __name__ == "__main__":
    raise SystemExit(main())
