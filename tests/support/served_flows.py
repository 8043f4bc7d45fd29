"""The flows as they are served: `python -m flows.up` in a process of its own, and what its server says of runs."""

import os
import signal
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from flows import up
from stratawatch.engine.model.states import CycleState

ROOT = Path(__file__).parents[2]
PATIENCE = 180
"""Seconds for whatever must come; a busy machine takes its time."""
QUICK = {
    "PREFECT_RUNNER_POLL_FREQUENCY": "1",
    "PREFECT_SERVER_SERVICES_SCHEDULER_LOOP_SECONDS": "2",
    "PREFECT_SERVER_UI_ENABLED": "false",  # nobody looks at it, and its files would be copied
}


def prove_that_schedules_run(place, *, soon: bool = False) -> None:
    """Serve an installation until runs that its schedules created have opened and frozen a cycle; then press Ctrl-C.

    With `soon` the deployments get a second schedule, since a cron may let wait. With
    SQLAlchemy 2.1 Prefect 3.8 served without a word and no scheduled run ever appeared.
    """
    port = free_port()
    api = f"http://127.0.0.1:{port}/api"
    with _Served(place, port) as process:
        if soon:
            for flow in ("open-cycles", "advance-cycles"):
                _wait_for(lambda flow=flow: _schedule_soon(api, flow), process)
        run = _wait_for(lambda: _completed(api, "advance-cycles"), process)
        assert run["auto_scheduled"]
        assert _wait_for(lambda: _heartbeats(api, run["id"]), process)
        _wait_for(lambda: _states(place), process)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert not up.server_answers(api)
    assert _states(place)[0] in {CycleState.OPEN, CycleState.FROZEN, CycleState.LABELLING}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class _Served:
    """`python -m flows.up` on a free port, with Prefect's files in the test's folder."""

    def __init__(self, place, port: int) -> None:
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # of a shell's background job; children inherit it
            signal.signal(signal.SIGINT, signal.default_int_handler)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
        self._log = (place.folder / "up.log").open("w")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "flows.up", "--config", place.config, "--port", str(port)],
            cwd=ROOT,
            env=inherited | QUICK | {"PREFECT_HOME": str(place.folder / "prefect")},
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def __enter__(self) -> subprocess.Popen:
        return self.process

    def __exit__(self, *_trouble: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)
        self._log.close()


def _wait_for(look, process):
    """What `look` finds; a process that ended meanwhile is a failure at once."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, f"flows.up ended with {process.returncode}"
        if found := look():
            return found
        time.sleep(0.5)
    pytest.fail(f"nothing came within {PATIENCE} s")


def _schedule_soon(api: str, flow: str) -> bool:
    """Let a deployment run in some seconds, and then seldom; false while the server does not know it."""
    try:
        found = httpx.get(f"{api}/deployments/name/{flow}/{flow}", timeout=10)
    except httpx.HTTPError:
        return False
    if found.is_success:
        start = datetime.now(UTC) + timedelta(seconds=8)
        schedules = [{"active": True, "schedule": {"interval": 60, "anchor_date": start.isoformat()}}]
        made = httpx.post(f"{api}/deployments/{found.json()['id']}/schedules", json=schedules, timeout=10)
        if made.status_code == httpx.codes.SERVICE_UNAVAILABLE:  # its database is busy: ask again
            return False
        made.raise_for_status()
    return found.is_success


def _completed(api: str, flow_name: str) -> dict | None:
    wanted = {"flows": {"name": {"any_": [flow_name]}}, "flow_runs": {"state": {"type": {"any_": ["COMPLETED"]}}}}
    try:
        runs = httpx.post(f"{api}/flow_runs/filter", json=wanted, timeout=10).json()
    except httpx.HTTPError:
        return None
    return runs[0] if runs else None


def _heartbeats(api: str, run: str) -> int:
    resource = {"id": [f"prefect.flow-run.{run}"]}
    wanted = {"filter": {"event": {"name": ["prefect.flow-run.heartbeat"]}, "resource": resource}}
    return httpx.post(f"{api}/events/filter", json=wanted, timeout=10).json()["total"]


def _states(place) -> list[CycleState]:
    with place.wired().ports.store.begin() as tx:
        return [cycle.state for cycle in tx.cycles.find()]
