"""A Prefect server, if none answers, and `flows.serve` beside it; whichever dies is started again, Ctrl-C stops both.

Nothing of Prefect is imported here: it reads the server's address when it is imported, and that is decided here.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final

import httpx

from tasks import environment
from tasks.environment import RETENTION_PERIOD

ROOT: Final = Path(__file__).resolve().parent.parent
START_UP: Final = 120.0
"""Seconds a server may take until it answers; the first start creates its database."""
GRACE: Final = 4.0
"""Seconds a process gets to end by itself before it is killed: both of them, one after the other, in less than ten."""
LOOK: Final = 1.0
"""Seconds between two looks at the processes."""
SILENCE: Final = 30.0
"""Seconds without an answer after which a server that runs is taken for dead."""
SETTLED: Final = 60.0
"""Seconds after which a process that ends is started again at once; sooner, the pause doubles each time."""
LONGEST_PAUSE: Final = 60.0
REFUSED: Final = 2
"""The status of `flows.serve` for what no restart mends: its configuration."""


class StopAsked(Exception):  # noqa: N818 - a person stops the program; it is not an error
    """Raised when somebody pressed Ctrl-C, or the service manager stops the program."""


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


def start_flows(config: str) -> subprocess.Popen[bytes]:
    """Start `flows.serve`, which runs every flow in a process of its own, in its process group."""
    command = [sys.executable, "-m", "flows.serve", "--config", config]
    return subprocess.Popen(command, cwd=ROOT, start_new_session=True)  # noqa: S603 - our own


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
    """Ask a process and all that it has started to end, as Ctrl-C does, and see that they do."""
    if process.poll() is None:
        _signal_group(process, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    _signal_group(process, signal.SIGKILL)  # a flow that hangs in a library hears no other
    process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


@dataclass
class Supervised:
    """A process that is started again when it ends, after a pause that grows if it ends soon after each start."""

    name: str
    start: Callable[[], subprocess.Popen[bytes]]
    process: subprocess.Popen[bytes] = field(init=False)
    started: float = 0.0
    pause: float = 0.0

    def __post_init__(self) -> None:
        """Start it."""
        self._start()

    def _start(self) -> None:
        self.process, self.started = self.start(), time.monotonic()

    def ended(self) -> int | None:
        """The exit status of the program once it ended."""
        return self.process.poll()

    def restart(self, why: str) -> None:
        """End what is left of it, and start it again."""
        stop(self.process)
        soon = time.monotonic() - self.started < SETTLED
        self.pause = min(max(1.0, 2 * self.pause), LONGEST_PAUSE) if soon else 0.0
        print(f"flows.up: {self.name} {why}; it is started again", file=sys.stderr, flush=True)  # noqa: T201 - a command
        time.sleep(self.pause)
        self._start()


def serve_until_interrupted(config: str, port: int) -> int:
    """Serve until interrupted, with a server of our own if none answers yet."""
    elsewhere = os.environ.get("PREFECT_API_URL")
    if elsewhere and not server_answers(elsewhere):
        raise SystemExit(f"flows.up: no Prefect server answers at {elsewhere}; start it, or unset PREFECT_API_URL")
    url = os.environ.setdefault("PREFECT_API_URL", f"http://127.0.0.1:{port}/api")
    file = str(Path(config).resolve())
    processes: list[Supervised] = []
    server = None
    try:
        if not server_answers(url):
            _set_vacuum(file)
            server = Supervised("the Prefect server", lambda: start_server(port))
            processes.append(server)
            wait_until_it_answers(server.process, url)
        served = Supervised("what serves the flows", lambda: start_flows(file))
        processes.append(served)
        print(f"Prefect: {url.removesuffix('/api')}   Ctrl-C ends everything", flush=True)  # noqa: T201 - a command
        return _supervise(served, server, url)
    except (KeyboardInterrupt, StopAsked):
        return 0
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):  # ending takes less than ten seconds, and must not be cut short
            signal.signal(number, signal.SIG_IGN)
        for one in reversed(processes):
            stop(one.process)


def _supervise(served: Supervised, server: Supervised | None, url: str) -> int:
    """Start again what ends, until a person stops everything or the configuration is refused."""
    answered = time.monotonic()
    while (status := served.ended()) not in (0, REFUSED):
        if server is not None:
            if server.ended() is not None:
                server.restart(f"ended with status {server.ended()}")
                answered = time.monotonic() + START_UP
            elif server_answers(url):
                answered = time.monotonic()
            elif time.monotonic() - answered > SILENCE:
                server.restart(f"did not answer for {SILENCE:.0f} seconds")
                answered = time.monotonic() + START_UP
        if status is not None:
            served.restart(f"ended with status {status}")
        time.sleep(LOOK)
    return status


def _set_vacuum(config: str) -> None:
    """Let a server of our own forget old runs as the configuration says; a bad one is told by `flows.serve`.

    A variable that a person has set is kept.
    """
    from stratawatch.errors import StratawatchError
    from stratawatch.wiring import keep_runs

    try:
        seconds = keep_runs(config).total_seconds()
    except StratawatchError:
        return
    if RETENTION_PERIOD in environment.FILLED or RETENTION_PERIOD not in os.environ:
        os.environ[RETENTION_PERIOD] = f"{seconds:.0f}"


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
