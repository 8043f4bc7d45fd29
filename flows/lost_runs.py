"""Gives back the slots of runs that were killed before a heartbeat of theirs was stored, with what served them.

The automation of `flows.stale_runs` waits for the heartbeat after the last one. A run whose first one is lost is not
watched by it, and would hold the one slot of its deployment for ever; so would one that was killed before it began.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Thread
from typing import Any, Final

from prefect import get_client
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
    FlowRunFilterTags,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.logging import get_logger
from prefect.settings import PREFECT_API_URL
from prefect.states import Crashed

from flows.stale_runs import HEARTBEAT, HEARTBEAT_EVENT, SILENCE, TAG
from tasks.policy import SERVER_TROUBLE

LOOK: Final = 5.0
"""Seconds between two looks."""
PATIENCE: Final = {
    StateType.RUNNING: 2 * HEARTBEAT.total_seconds() + LOOK,
    StateType.PENDING: 2 * SILENCE.total_seconds(),
}
"""Seconds for which a run may be silent; one that is pending sends none, and starts slowly on a busy machine.

Of the 90 that are promised for one that runs, some go by until its flows are served again and this looks.
"""


@dataclass
class LostRuns:
    """The runs that are under way, with the moment from which on a heartbeat of theirs is awaited."""

    clock: Callable[[], float] = time.monotonic
    awaited: dict[tuple[Any, StateType], tuple[float, datetime]] = field(default_factory=dict)

    def look(self, client: SyncPrefectClient) -> int:
        """Crash the runs that were silent for as long as this has been watching them; returns how many."""
        there = {(run.id, run.state_type): run for run in _under_way(client) if run.state_type is not None}
        self.awaited = {key: since for key, since in self.awaited.items() if key in there}
        return sum(self._is_lost(client, key, run) for key, run in there.items())

    def _is_lost(self, client: SyncPrefectClient, key: tuple[Any, StateType], run: FlowRun) -> bool:
        now = (self.clock(), datetime.now(UTC))
        since, moment = self.awaited.setdefault(key, now)
        if now[0] - since <= PATIENCE[key[1]]:
            return False
        if key[1] == StateType.RUNNING and _heartbeats(client, run, moment):
            self.awaited[key] = now
            return False
        message = f"No heartbeat for {PATIENCE[key[1]]:.0f} s: it was killed with what served it. The next run goes on."
        client.set_flow_run_state(run.id, Crashed(message=message))
        return True


def watch_for_lost_runs() -> None:
    """Look again and again, in a thread that ends with the process."""
    Thread(target=watch_for_ever, name="stratawatch: lost runs", daemon=True).start()


def watch_for_ever() -> None:
    """Look again and again: `python -m flows.lost_runs`, once for a server whose flows are run by workers."""
    runs = LostRuns()
    while True:
        try:
            with get_client(sync_client=True) as client:
                runs.look(client)
        except Exception as trouble:  # noqa: BLE001 - nobody starts this again, and a lost run would hold its slot
            level = logging.DEBUG if isinstance(trouble, SERVER_TROUBLE) else logging.ERROR
            get_logger("stratawatch").log(level, "runs could not be looked at", exc_info=True)
            runs.awaited.clear()  # heartbeats of a time when the server is away are lost, and no run is to blame
        time.sleep(LOOK)


def _under_way(client: SyncPrefectClient) -> list[FlowRun]:
    return client.read_flow_runs(
        flow_run_filter=FlowRunFilter(
            tags=FlowRunFilterTags(all_=[TAG]),
            state=FlowRunFilterState(type=FlowRunFilterStateType(any_=list(PATIENCE))),
        )
    )


def _heartbeats(client: SyncPrefectClient, run: FlowRun, since: datetime) -> int:
    resource = {"id": [f"prefect.flow-run.{run.id}"]}
    asked = {"event": {"name": [HEARTBEAT_EVENT]}, "resource": resource, "occurred": {"since": since.isoformat()}}
    return int(client.request("POST", "/events/filter", json={"filter": asked}).json()["total"])


if __name__ == "__main__":
    if PREFECT_API_URL.value() is None:
        raise SystemExit("flows.lost_runs: no Prefect server is named; set PREFECT_API_URL")
    with suppress(KeyboardInterrupt):
        watch_for_ever()
