"""Make a Prefect server hold what the configuration says: `python -m deployments.apply --config stratawatch.toml`.

It makes the work pool, the deployments with their schedules and concurrency limits, and the automation for killed runs,
and looks whether the server's vacuum is set. What is right already is left alone: a second run changes nothing, and
scheduled runs stay. Workers then run the flows: `prefect worker start --pool stratawatch`.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from prefect import get_client
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import DeploymentScheduleCreate, DeploymentUpdate, WorkPoolCreate
from prefect.client.schemas.objects import DeploymentSchedule
from prefect.client.schemas.responses import DeploymentResponse
from prefect.client.schemas.schedules import CronSchedule
from prefect.deployments.runner import RunnerDeployment
from prefect.exceptions import ObjectNotFound
from prefect.workers.process import ProcessWorker
from pydantic import TypeAdapter

from flows.serve import SCHEDULE, deployments, require_server
from flows.stale_runs import HEARTBEAT, stale_runs_are_watched, watch_for_stale_runs
from stratawatch.errors import StratawatchError
from stratawatch.wiring import Installation, build

ROOT: Final = Path(__file__).resolve().parent.parent
POOL: Final = "stratawatch"
VACUUM: Final = frozenset({"events", "flow_runs"})
"""What of Prefect's own history has an end. Events alone, its default, lets runs and their logs grow for ever."""


def apply(config: str, installation: Installation, pool: str = POOL) -> tuple[str, ...]:
    """Bring the server in line with the configuration; returns a line for every change."""
    with get_client(sync_client=True) as client:
        changes = [*_work_pool(client, pool)]
        for deployment in deployments(config, installation):
            deployment.work_pool_name = pool
            deployment.job_variables = {
                "working_dir": str(ROOT),  # entrypoints are modules, found from there
                "env": {"PREFECT_FLOWS_HEARTBEAT_FREQUENCY": f"{HEARTBEAT.total_seconds():.0f}"},
            }
            changes += _deployment(client, deployment)
    if not stale_runs_are_watched():
        watch_for_stale_runs()
        changes.append("automation for killed runs: made")
    return tuple(changes)


def vacuum_problem(installation: Installation) -> str:
    """Why the server's history would grow for ever, or another time than is configured; empty where all is well.

    A server reads this from its environment when it starts, and no API changes it.
    """
    keep_runs = installation.settings.schedule.keep_runs
    with get_client(sync_client=True) as client:
        answer = client.request("GET", "/admin/settings")
    there = answer.json()["server"]["services"]["db_vacuum"]
    enabled, period = there["enabled"], TypeAdapter(timedelta).validate_python(there["retention_period"])
    if (enabled is True or (enabled and set(enabled) >= VACUUM)) and period == keep_runs:
        return ""
    return (
        "the Prefect server does not forget old runs as [schedule] keep_runs says; start it with "
        f"PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED={','.join(sorted(VACUUM))} and "
        f"PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD={keep_runs.total_seconds():.0f} in its environment"
    )


def _work_pool(client: SyncPrefectClient, name: str) -> Iterator[str]:
    try:
        there = client.read_work_pool(name)
    except ObjectNotFound:
        template = ProcessWorker.get_default_base_job_template()
        client.create_work_pool(WorkPoolCreate(name=name, type=ProcessWorker.type, base_job_template=template))
        yield f"work pool {name}: made"
        return
    if there.type != ProcessWorker.type:
        raise StratawatchError(
            f"the work pool '{name}' is of another type",
            expected=ProcessWorker.type,
            got=there.type,
            hint="name another one with --pool",
        )


def _deployment(client: SyncPrefectClient, expected: RunnerDeployment) -> Iterator[str]:
    name = f"{expected.flow_name}/{expected.name}"
    try:
        there = client.read_deployment_by_name(name)
    except ObjectNotFound:
        expected.apply()
        yield f"deployment {name}: made"
        return
    settings, limit = _settings(expected), there.global_concurrency_limit
    present = {key: getattr(there, key) for key in settings if key != "concurrency_limit"}  # that one is deprecated
    present["concurrency_limit"] = limit.limit if limit else None
    if changed := sorted(key for key in settings if settings[key] != present[key]):
        client.update_deployment(there.id, DeploymentUpdate(**settings))
        yield f"deployment {name}: changed {', '.join(changed)}"
    yield from _schedule(client, there, expected)


def _settings(expected: RunnerDeployment) -> dict[str, Any]:
    return {
        "parameters": expected.parameters,
        "tags": expected.tags,
        "description": expected.description,
        "entrypoint": expected.entrypoint,
        "concurrency_limit": expected.concurrency_limit,
        "concurrency_options": expected.concurrency_options,
        "work_pool_name": expected.work_pool_name,
        "job_variables": expected.job_variables,
        "parameter_openapi_schema": expected._parameter_openapi_schema.model_dump(exclude_unset=True),  # noqa: SLF001
    }


def _schedule(client: SyncPrefectClient, there: DeploymentResponse, expected: RunnerDeployment) -> Iterator[str]:
    """Make, change or take away the one schedule that is ours; whether it is paused is people's business."""
    name = f"{expected.flow_name}/{expected.name}"
    crons = [one.schedule for one in expected.schedules or () if isinstance(one.schedule, CronSchedule)]
    ours = next((one for one in there.schedules if one.slug == SCHEDULE), None)
    if ours is None:
        for old in _of_earlier_versions(there):
            client.delete_deployment_schedule(there.id, old.id)
            yield f"schedule of {name}: an unnamed one taken away"
    if ours is not None and not crons:
        client.delete_deployment_schedule(there.id, ours.id)
        yield f"schedule of {name}: taken away"
    for cron in crons:
        if ours is None:
            client.create_deployment_schedules(there.id, [DeploymentScheduleCreate(schedule=cron, slug=SCHEDULE)])
            yield f"schedule of {name}: made, {cron.cron}"
        elif ours.schedule != cron:
            client.update_deployment_schedule(there.id, ours.id, schedule=cron)
            yield f"schedule of {name}: changed to {cron.cron}"


def _of_earlier_versions(there: DeploymentResponse) -> list[DeploymentSchedule]:
    """Cron schedules without a slug: earlier versions made them, and both would run."""
    return [one for one in there.schedules if one.slug is None and isinstance(one.schedule, CronSchedule)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Apply, and say what was changed; status 1 where the server's history has no end."""
    parser = argparse.ArgumentParser(prog="python -m deployments.apply", description=__doc__)
    parser.add_argument("--config", default="stratawatch.toml", help="the configuration (default: %(default)s)")
    parser.add_argument("--pool", default=POOL, help="the work pool (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    try:
        require_server()
        installation = build(chosen.config, only_reading=True)
        changes = apply(chosen.config, installation, chosen.pool)
        problem = vacuum_problem(installation)
    except StratawatchError as error:
        print(f"deployments.apply: {error}", file=sys.stderr)  # noqa: T201 - a command's one sentence
        return 2
    print(*(changes or ["nothing to change"]), sep="\n")  # noqa: T201 - a command
    if problem:
        print(f"deployments.apply: {problem}", file=sys.stderr)  # noqa: T201 - a command's one sentence
    return 1 if problem else 0


if __name__ == "__main__":
    raise SystemExit(main())
