"""An automation that marks a flow run as Crashed when its process was killed (kill -9, power) and sends no heartbeat.

Without it the run stays Running for ever and holds the one slot its deployment has.
"""

import asyncio
from datetime import timedelta
from typing import Any, Final

from prefect.automations import Automation
from prefect.client.schemas.objects import StateType
from prefect.events.actions import ChangeFlowRunState
from prefect.events.schemas.automations import EventTrigger, Posture

TAG: Final = "stratawatch"
"""The tag of our deployments, so that the automation touches no other runs on a shared server."""

NAME: Final = "stratawatch: crash runs whose heart stopped"
HEARTBEAT: Final = timedelta(seconds=30)
"""The interval for served runs. A flow that is called as a function needs none: its caller sees it end."""
SILENCE: Final = timedelta(seconds=75)
"""Two heartbeats may be missed. The server looks every five seconds: a killed run gives its slot back within 90."""

HEARTBEAT_EVENT: Final = "prefect.flow-run.heartbeat"
_ENDS: Final = ("Completed", "Failed", "Cancelled", "Crashed")


def watch_for_stale_runs() -> Automation:
    """Create the automation, or bring the one that is there up to date.

    One that is right already is left alone: an update makes Prefect forget which runs it watches, and a run that was
    killed just before this restart would never be noticed.
    """
    return asyncio.run(_watch())


def stale_runs_are_watched() -> bool:
    """Whether the automation is there as it should be."""
    try:
        there = asyncio.run(Automation.aread(name=NAME))
    except ValueError:
        return False
    return _settings(there) == _settings(_expected())


async def _watch() -> Automation:
    expected = _expected()
    try:
        there = await Automation.aread(name=NAME)
    except ValueError:
        return await expected.acreate()
    if _settings(there) == _settings(expected):
        return there
    expected.id = there.id
    await expected.aupdate()
    return expected


def _settings(automation: Automation) -> dict[str, Any]:
    return automation.model_dump(include={"enabled", "trigger", "actions"}, exclude={"trigger": {"id"}})


def _expected() -> Automation:
    return Automation(
        name=NAME,
        description=f"Moves a run to Crashed when it sent no heartbeat for {SILENCE.seconds} seconds and did not end.",
        trigger=EventTrigger(
            after={HEARTBEAT_EVENT},
            expect={HEARTBEAT_EVENT, *(f"prefect.flow-run.{end}" for end in _ENDS)},
            match={"prefect.resource.id": "prefect.flow-run.*"},
            match_related={"prefect.resource.id": f"prefect.tag.{TAG}", "prefect.resource.role": "tag"},
            for_each={"prefect.resource.id"},
            posture=Posture.Proactive,
            threshold=1,
            within=SILENCE,
        ),
        actions=[
            ChangeFlowRunState(
                state=StateType.CRASHED,
                message=f"No heartbeat for {SILENCE.seconds} s: its process is gone. The next run goes on.",
            )
        ],
    )


if __name__ == "__main__":
    watch_for_stale_runs()
