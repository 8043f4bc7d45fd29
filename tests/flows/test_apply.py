"""A Prefect server that is told what the configuration says: once, and only what is new."""

import re
from pathlib import Path

import pytest
from prefect import get_client
from prefect.client.schemas.actions import DeploymentUpdate, WorkPoolCreate
from prefect.client.schemas.objects import ConcurrencyLimitStrategy, StateType
from prefect.states import Pending, Running

from deployments import apply
from flows import lost_runs, stale_runs
from flows.lost_runs import LOOK, PATIENCE, LostRuns
from stratawatch.errors import StratawatchError
from tests.support.small_installation import SmallInstallation

FLOWS = ("open-cycles", "advance-cycles", "weekly-report", "measure-baseline")


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> SmallInstallation:
    return SmallInstallation.found(tmp_path_factory.mktemp("applied"), weeks=0)


@pytest.fixture(scope="module")
def client():
    with get_client(sync_client=True) as client:
        yield client


@pytest.fixture(scope="module")
def first(place) -> tuple[str, ...]:
    """What the first run changed."""
    return again(place)


@pytest.fixture
def applied(first, place):
    """Everything as the configuration says, whatever another test did."""
    again(place)


def again(place) -> tuple[str, ...]:
    return apply.apply(place.config, place.wired())


def deployment(client, flow: str = "advance-cycles"):
    return client.read_deployment_by_name(f"{flow}/{flow}")


def everything(client) -> list[str]:
    """All that the server was told, with the moments it was last changed."""
    found = [deployment(client, flow) for flow in FLOWS]
    kept = [one.model_dump_json(exclude={"status", "last_polled"}) for one in found]
    return [*kept, client.read_work_pool("stratawatch").model_dump_json(exclude={"status"})]


class TestFirstRun:
    def test_everything_is_made(self, first, client):
        assert {f"deployment {flow}/{flow}: made" for flow in FLOWS} <= set(first)
        assert client.read_work_pool("stratawatch").type == "process"
        assert stale_runs.stale_runs_are_watched()

    def test_deployments_run_in_the_pool_one_at_a_time_with_a_heartbeat(self, first, client, place):
        for flow in FLOWS:
            made = deployment(client, flow)
            assert made.work_pool_name == "stratawatch"
            assert made.global_concurrency_limit.limit == 1
            assert made.concurrency_options.collision_strategy == ConcurrencyLimitStrategy.CANCEL_NEW
            assert made.parameters == {"config": str(Path(place.config).resolve())}
            assert made.job_variables["env"] == {"PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "30"}
            assert made.tags == [stale_runs.TAG]

    def test_schedules_are_those_of_the_configuration(self, first, client):
        crons = {flow: [one.schedule.cron for one in deployment(client, flow).schedules] for flow in FLOWS}
        assert crons == {
            "open-cycles": ["* * * * *"],
            "advance-cycles": ["* * * * *"],
            "weekly-report": ["0 7 * * 1"],
            "measure-baseline": [],
        }


class TestLaterRuns:
    def test_a_second_run_changes_nothing(self, applied, client, place):
        before = everything(client)
        assert again(place) == ()
        assert everything(client) == before

    def test_a_changed_cron_changes_one_schedule(self, applied, client, place, monkeypatch):
        before = everything(client)
        monkeypatch.setenv("STRATAWATCH_SCHEDULE__REPORT_CRON", "30 6 * * 2")
        assert again(place) == ("schedule of weekly-report/weekly-report: changed to 30 6 * * 2",)
        after = everything(client)
        assert [one.schedule.cron for one in deployment(client, "weekly-report").schedules] == ["30 6 * * 2"]
        assert [now == then for now, then in zip(after, before, strict=True)] == [True, True, False, True, True]
        assert again(place) == ()

    def test_what_somebody_changed_is_put_right(self, applied, client, place):
        client.update_deployment(deployment(client).id, DeploymentUpdate(concurrency_limit=7))
        assert again(place) == ("deployment advance-cycles/advance-cycles: changed concurrency_limit",)
        assert deployment(client).global_concurrency_limit.limit == 1

    def test_a_schedule_that_was_paused_stays_paused(self, applied, client, place):
        there = deployment(client)
        client.update_deployment_schedule(there.id, there.schedules[0].id, active=False)
        assert again(place) == ()
        assert not deployment(client).schedules[0].active

    def test_a_schedule_that_an_earlier_version_left_is_replaced(self, applied, client, place):
        there = deployment(client, "open-cycles")
        [ours] = there.schedules
        client.delete_deployment_schedule(there.id, ours.id)
        client.create_deployment_schedules(there.id, [(ours.schedule, True)])
        changes = again(place)
        assert [re.sub(".*: ", "", change) for change in changes] == ["an unnamed one taken away", "made, * * * * *"]
        assert [one.slug for one in deployment(client, "open-cycles").schedules] == ["stratawatch"]

    def test_a_pool_of_another_type_is_refused(self, applied, client, place):
        client.create_work_pool(WorkPoolCreate(name="elsewhere", type="docker"))
        with pytest.raises(StratawatchError, match="of another type"):
            apply.apply(place.config, place.wired(), pool="elsewhere")


class TestKilledWithTheirServer:
    """A run that holds the one slot of its deployment, and of which no heartbeat was stored."""

    @pytest.fixture
    def killed(self, applied, client):
        there = deployment(client, "weekly-report")
        run = client.create_flow_run_from_deployment(there.id)
        for state in (Pending(), Running()):
            client.set_flow_run_state(run.id, state)
        assert deployment(client, "weekly-report").global_concurrency_limit.active_slots == 1
        yield run
        client.delete_flow_run(run.id)

    def test_it_gives_its_slot_back_within_90_seconds(self, killed, client):
        now = [0.0]
        runs = LostRuns(clock=lambda: now[0])
        assert runs.look(client) == 0
        now[0] = PATIENCE[StateType.RUNNING] + 1
        assert now[0] + LOOK < 90 - 15, "what serves the flows has to start again first"
        assert runs.look(client) == 1
        assert client.read_flow_run(killed.id).state_type == StateType.CRASHED
        assert deployment(client, "weekly-report").global_concurrency_limit.active_slots == 0

    def test_one_that_sends_heartbeats_is_left_alone(self, killed, client, monkeypatch):
        now = [0.0]
        runs = LostRuns(clock=lambda: now[0])
        monkeypatch.setattr(lost_runs, "_heartbeats", lambda *_: 1)
        for now[0] in (0.0, 100.0, 200.0):
            assert runs.look(client) == 0
        assert client.read_flow_run(killed.id).state_type == StateType.RUNNING


class TestVacuum:
    def test_a_server_that_keeps_runs_for_another_time_is_said_with_the_lines_that_mend_it(self, place, monkeypatch):
        assert apply.vacuum_problem(place.wired()) == ""
        monkeypatch.setenv("STRATAWATCH_SCHEDULE__KEEP_RUNS", "7d")
        problem = apply.vacuum_problem(place.wired())
        assert "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED=events,flow_runs" in problem
        assert "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD=604800" in problem


class TestCommand:
    def test_it_says_what_it_changed_and_what_it_could_not(self, applied, place, capsys, monkeypatch):
        assert apply.main(["--config", place.config]) == 0
        assert capsys.readouterr().out == "nothing to change\n"
        monkeypatch.setenv("STRATAWATCH_SCHEDULE__KEEP_RUNS", "7d")
        assert apply.main(["--config", place.config]) == 1
        assert "does not forget old runs" in capsys.readouterr().err

    def test_a_bad_configuration_is_one_sentence(self, tmp_path, capsys):
        assert apply.main(["--config", str(tmp_path / "missing.toml")]) == 2
        assert "missing.toml" in capsys.readouterr().err
