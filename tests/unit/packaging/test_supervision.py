"""What `make up` does when a process of it dies, hangs or is asked to end; the processes are small ones of the test."""

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest

from flows import up
from tasks import environment

SLEEPER = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-S", "-c", "import signal, time; time.sleep(60)"])
print(child.pid, flush=True)
time.sleep(60)
"""


def process(*command: str) -> subprocess.Popen:
    return subprocess.Popen(command or SLEEPER, start_new_session=True)


def stubborn() -> tuple[subprocess.Popen, int]:
    """A process that does not listen, and its child."""
    read, write = os.pipe()
    deaf = subprocess.Popen([sys.executable, "-S", "-c", STUBBORN], start_new_session=True, stdout=write)
    os.close(write)
    with os.fdopen(read) as said:
        return deaf, int(said.readline())


@pytest.fixture
def started(monkeypatch):
    """Every process that `flows.up` starts instead of a Prefect server and `flows.serve`, by what it stands for."""
    made = {"server": [], "flows": []}
    # Who runs the tests in the background of a script has Ctrl-C ignored.
    set_handler = signal.signal
    before = set_handler(signal.SIGINT, signal.default_int_handler)

    def start(name, *command):
        made[name].append(process(*command))
        return made[name][-1]

    monkeypatch.setattr(up, "start_server", lambda _port: start("server"))
    monkeypatch.setattr(up, "start_flows", lambda _config: start("flows"))
    monkeypatch.setattr(up, "_set_vacuum", lambda _config: None)  # imports for seconds on a busy machine
    monkeypatch.setattr(up, "LOOK", 0.05)
    monkeypatch.setattr(up, "server_answers", lambda _url: bool(made["server"]))
    monkeypatch.setenv("PREFECT_API_URL", "")  # so that what is set here is unset again
    monkeypatch.delenv("PREFECT_API_URL")
    monkeypatch.setattr(up.signal, "signal", lambda *_: None)  # signals of the tests' own process stay as they are
    yield made
    for one in [*made["server"], *made["flows"]]:
        up.stop(one)
    set_handler(signal.SIGINT, before)


def serve_and(act) -> int:
    """Serve while `act` runs beside it, and press Ctrl-C when that is over, even by an error; what it returned."""

    def act_and_end() -> None:
        try:
            act()
        finally:
            raise_in_main()

    beside = threading.Thread(target=act_and_end, daemon=True)
    beside.start()
    status = up.serve_until_interrupted("stratawatch.toml", 4299)
    beside.join(10)
    return status


def until(condition) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def end_with(status: int) -> list[str]:
    return [sys.executable, "-S", "-c", f"raise SystemExit({status})"]


class TestRestarts:
    def test_a_server_that_died_is_noticed_and_started_again(self, started, capsys):
        def kill():
            until(lambda: started["flows"])
            started["server"][0].kill()
            until(lambda: len(started["server"]) == 2)
            started["flows"][0].send_signal(signal.SIGKILL)
            until(lambda: len(started["flows"]) == 2)

        began = time.monotonic()
        assert serve_and(kill) == 0
        assert time.monotonic() - began < 10
        said = capsys.readouterr().err
        assert "the Prefect server ended with status -9; it is started again" in said
        assert "what serves the flows ended with status -9; it is started again" in said

    def test_a_server_that_hangs_is_ended_and_started_again(self, started, monkeypatch, capsys):
        monkeypatch.setattr(up, "SILENCE", 0.2)
        hangs = lambda: len(started["server"]) == 1 and started["flows"]  # noqa: E731
        monkeypatch.setattr(up, "server_answers", lambda _url: bool(started["server"] and not hangs()))

        def wait():
            until(lambda: len(started["server"]) == 2)

        assert serve_and(wait) == 0
        assert started["server"][0].poll() is not None
        assert "did not answer for" in capsys.readouterr().err

    def test_a_refused_configuration_is_not_tried_again(self, started, monkeypatch):
        monkeypatch.setattr(up, "start_flows", lambda _config: process(*end_with(up.REFUSED)))
        assert up.serve_until_interrupted("stratawatch.toml", 4299) == up.REFUSED

    def test_pauses_grow_while_a_process_ends_at_once(self, monkeypatch):
        slept = []
        monkeypatch.setattr(up.time, "sleep", slept.append)
        monkeypatch.setattr(up, "stop", lambda _process: None)
        one = up.Supervised("it", object)
        for _ in range(9):
            one.restart("ended")
        assert slept == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


class TestServerOfOurOwn:
    @pytest.mark.parametrize(("by_hand", "kept"), [(None, "604800"), ("2592000", "2592000")])
    def test_keeps_runs_as_the_configuration_says_unless_a_variable_says_otherwise(self, monkeypatch, by_hand, kept):
        """Importing `flows` fills the variable with 30 days, which is nobody's choice."""
        monkeypatch.setenv(environment.RETENTION_PERIOD, by_hand or "")
        if by_hand is None:
            monkeypatch.delenv(environment.RETENTION_PERIOD)
        monkeypatch.setattr(environment, "FILLED", set())
        environment.prepare()
        monkeypatch.setattr("stratawatch.wiring.keep_runs", lambda _config: timedelta(days=7))
        up._set_vacuum("stratawatch.toml")
        assert os.environ[environment.RETENTION_PERIOD] == kept


class TestEnd:
    def test_everything_is_ended_within_ten_seconds(self):
        assert 2 * up.GRACE < 10

    def test_a_process_that_does_not_listen_is_killed_with_its_children(self, monkeypatch):
        monkeypatch.setattr(up, "GRACE", 0.1)
        deaf, child = stubborn()
        up.stop(deaf)
        assert deaf.returncode == -signal.SIGKILL
        until(lambda: gone(child))

    def test_one_that_ended_already_leaves_no_children(self):
        ended, child = stubborn()
        ended.kill()
        ended.wait()
        up.stop(ended)
        until(lambda: gone(child))


def gone(pid: int) -> bool:
    """Whether a process is no more, or waits only to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def raise_in_main() -> None:
    """Press Ctrl-C."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
