"""Serving: schedules from the configuration, no overlapping runs, and schedules that really run."""

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
from prefect.automations import Automation
from prefect.client.schemas.objects import ConcurrencyLimitStrategy
from prefect.utilities.importtools import import_object

from flows import serve, stale_runs, up
from stratawatch.engine.model.states import CycleState
from tests.flows.installation import SmallInstallation

ROOT = Path(__file__).parents[2]


@pytest.fixture
def served(installation):
    return {d.flow_name: d for d in serve.deployments(installation.config, installation.wired())}


class TestDeployments:
    def test_every_flow_has_the_schedule_of_the_configuration(self, served):
        crons = {name: [one.schedule.cron for one in deployment.schedules] for name, deployment in served.items()}
        assert crons == {
            "open-cycles": ["* * * * *"],
            "advance-cycles": ["* * * * *"],
            "weekly-report": ["0 7 * * 1"],
            "measure-baseline": [],
        }

    def test_a_run_is_cancelled_rather_than_run_beside_another(self, served):
        for deployment in served.values():
            assert deployment.concurrency_limit == 1
            assert deployment.concurrency_options.collision_strategy == ConcurrencyLimitStrategy.CANCEL_NEW

    def test_entrypoints_are_modules_that_lead_to_the_flow(self, served):
        for name, deployment in served.items():
            assert import_object(deployment.entrypoint).name == name

    def test_runs_find_the_configuration_wherever_they_start(self, served, installation):
        for deployment in served.values():
            assert deployment.parameters == {"config": str(Path(installation.config).resolve())}

    def test_a_bad_configuration_is_one_sentence_and_a_failure(self, tmp_path, capsys):
        assert serve.main(["--config", str(tmp_path / "missing.toml")]) == 2
        [line] = capsys.readouterr().err.strip().splitlines()
        assert "missing.toml" in line


class TestZombies:
    def test_serving_again_leaves_the_automation_alone(self, monkeypatch):
        """An update would make Prefect forget whose heart it listens to."""
        first = stale_runs.watch_for_stale_runs()
        updates = []
        monkeypatch.setattr(Automation, "aupdate", updates.append)
        assert stale_runs.watch_for_stale_runs().id == first.id
        assert updates == []

    def test_one_that_was_changed_is_put_right(self):
        there = stale_runs.watch_for_stale_runs()
        there.enabled = False
        there.update()
        stale_runs.watch_for_stale_runs()
        assert Automation.read(name=stale_runs.NAME).enabled

    def test_silence_is_longer_than_the_rhythm_of_the_heart(self):
        assert stale_runs.HEARTBEAT * 3 <= stale_runs.SILENCE


class TestUp:
    def test_a_server_that_was_named_and_does_not_answer_is_said(self, monkeypatch):
        monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{_free_port()}/api")
        with pytest.raises(SystemExit, match="no Prefect server answers at"):
            up.run("stratawatch.toml", _free_port())

    @pytest.mark.slow
    def test_schedules_create_runs_that_run_and_ctrl_c_ends_everything(self, tmp_path):
        """With SQLAlchemy 2.1 Prefect 3.8 served without a word and no scheduled run ever appeared."""
        place = SmallInstallation.found(tmp_path, start=datetime.now(UTC) - timedelta(days=8), weeks=1)
        port = _free_port()
        with _Up(place, port) as process:
            api = f"http://127.0.0.1:{port}/api"
            run = _wait_for(lambda: _completed(api, "advance-cycles"), process, seconds=180)
            assert run["auto_scheduled"]
            assert _wait_for(lambda: _heartbeats(api, run["id"]), process, seconds=30)
            _wait_for(lambda: _states(place), process, seconds=120)
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
        assert not up.answers(api)
        assert _states(place)[0] in {CycleState.OPEN, CycleState.FROZEN, CycleState.LABELLING}


class _Up:
    """`python -m flows.up` in a process of its own, on a free port, with Prefect's files in the test's folder."""

    def __init__(self, place: SmallInstallation, port: int) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
        self._log = (place.folder / "up.log").open("w")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "flows.up", "--config", place.config, "--port", str(port)],
            cwd=ROOT,
            env=inherited | {"PREFECT_HOME": str(place.folder / "prefect")},
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


def _wait_for(look, process, *, seconds: float):
    """What `look` finds within a bound; a process that ended meanwhile is a failure at once."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert process.poll() is None, f"flows.up ended with {process.returncode}"
        if found := look():
            return found
        time.sleep(1)
    pytest.fail(f"nothing came within {seconds:.0f} s")


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


def _states(place: SmallInstallation) -> list[CycleState]:
    with place.wired().ports.store.begin() as tx:
        return [cycle.state for cycle in tx.cycles.find()]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
