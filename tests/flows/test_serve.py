"""Serving: schedules from the configuration, and no overlapping runs."""

from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from prefect.automations import Automation
from prefect.client.schemas.objects import ConcurrencyLimitStrategy
from prefect.settings import get_current_settings
from prefect.utilities.importtools import import_object

from flows import serve, stale_runs, up
from stratawatch.errors import ConfigError, SchemaMismatch, Unreachable

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

    @pytest.mark.parametrize(
        ("error", "status"), [(Unreachable("away"), 1), (ConfigError("bad"), 2), (SchemaMismatch("old"), 2)]
    )
    def test_a_store_that_is_away_may_be_tried_again(self, monkeypatch, error, status):
        """`make up` starts again what ended with another status than that of a refused configuration."""
        monkeypatch.setattr(serve, "require_server", lambda: None)
        monkeypatch.setattr(serve, "build", Mock(side_effect=error))
        assert (serve.main([]), serve.main([]) == up.REFUSED) == (status, status == 2)


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

    def test_a_killed_run_gives_its_slot_back_within_90_seconds_and_a_late_heartbeat_kills_none(self):
        assert stale_runs.SILENCE + get_current_settings().server.events.proactive_granularity <= timedelta(seconds=90)
        assert stale_runs.HEARTBEAT * 2 < stale_runs.SILENCE

    def test_a_work_pools_runs_have_the_heartbeat_that_the_automation_listens_for(self):
        lines = (ROOT / "deployments/stratawatch.env.example").read_text().splitlines()
        (set_there,) = [line for line in lines if line.startswith("PREFECT_FLOWS_HEARTBEAT_FREQUENCY=")]
        assert float(set_there.split("=")[1]) == stale_runs.HEARTBEAT.total_seconds()
