"""Serve all flows with their schedules in one process: `python -m flows.serve --config stratawatch.toml`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from prefect import Flow
from prefect import serve as run_forever
from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.deployments.runner import RunnerDeployment
from prefect.schedules import Cron
from prefect.settings import PREFECT_API_URL
from prefect.types.entrypoint import EntrypointType

from flows.advance_cycles import advance_cycles
from flows.lost_runs import watch_for_lost_runs
from flows.measure_baseline import measure_baseline
from flows.open_cycles import open_cycles
from flows.stale_runs import HEARTBEAT, TAG, watch_for_stale_runs
from flows.up import REFUSED
from flows.weekly_report import weekly_report
from stratawatch.errors import ConfigError, SchemaMismatch, StratawatchError
from stratawatch.wiring import Installation, build

ONE_AT_A_TIME: Final = ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW)
"""A run that finds another one at work is cancelled, not queued: the next one looks at the same states."""

SCHEDULE: Final = "stratawatch"
"""The slug of a deployment's schedule from the configuration. Schedules that people add in the UI have none."""


def deployments(config: str, installation: Installation) -> list[RunnerDeployment]:
    """Every flow as a deployment, with the schedules of the configuration; baselines are measured by hand."""
    schedule = installation.settings.schedule
    schedules: list[tuple[Flow[..., Any], str | None]] = [
        (open_cycles, schedule.open_cron),
        (advance_cycles, schedule.advance_cron),
        (weekly_report, schedule.report_cron),
        (measure_baseline, None),
    ]
    return [_deployment(flow, cron, config) for flow, cron in schedules]


def _deployment(flow: Flow[..., Any], cron: str | None, config: str) -> RunnerDeployment:
    return RunnerDeployment.from_flow(
        flow,
        name=flow.name,
        schedule=None if cron is None else Cron(cron, timezone="UTC", slug=SCHEDULE),
        parameters={"config": str(Path(config).resolve())},
        tags=[TAG],
        paused=False,  # also after a stop of an earlier version, which paused what it served
        concurrency_limit=ONE_AT_A_TIME,
        entrypoint_type=EntrypointType.MODULE_PATH,
    )


def require_server() -> None:
    """Prefect would start a server of its own here, one without a scheduler, and nothing would ever run."""
    if PREFECT_API_URL.value() is None:
        raise ConfigError(
            "no Prefect server is named, and schedules need one",
            hint="run `make up`, which starts one, or set PREFECT_API_URL",
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Deploy and serve until interrupted. The status is 2 for what no restart mends, and 1 where one may."""
    parser = argparse.ArgumentParser(prog="python -m flows.serve", description=__doc__)
    parser.add_argument("--config", default="stratawatch.toml", help="the configuration (default: %(default)s)")
    config = parser.parse_args(arguments).config
    try:
        require_server()
        served = deployments(config, build(config))
    except StratawatchError as error:
        print(f"flows.serve: {error}", file=sys.stderr)  # noqa: T201 - a command's one sentence
        return REFUSED if isinstance(error, ConfigError | SchemaMismatch) else 1
    watch_for_stale_runs()
    watch_for_lost_runs()
    # Paused deployments would miss their schedules after a stop that had no time to say so; late runs harm nothing.
    run_forever(*served, pause_on_shutdown=False, heartbeat_seconds=HEARTBEAT.total_seconds())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
