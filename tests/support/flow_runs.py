"""The same cycles run by the flows and by the engine alone."""

from datetime import datetime
from time import monotonic, sleep
from urllib.parse import urlsplit

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey

from flows.advance_cycles import advance_cycles
from flows.open_cycles import open_cycles
from stratawatch.engine.cycle import advance as engine
from stratawatch.engine.cycle import open_cycles as engine_open
from tests.support.small_installation import SmallInstallation


def run_by_flows(place: SmallInstallation, weeks: int) -> None:
    """Open, and advance with answers in between, on simulated time."""
    assert len(open_cycles(place.config, place.after(weeks))) == weeks
    for hour in range(3):
        advance_cycles(place.config, place.after(weeks, hours=hour))
        place.answer(place.after(weeks, hours=hour, minutes=30))
    advance_cycles(place.config, place.after(weeks, hours=3))


def run_by_engine(place: SmallInstallation, weeks: int) -> None:
    def at(now: datetime):
        return place.wired(now)

    wired = at(place.after(weeks))
    engine_open.open_cycles(wired.ports, wired.panels)
    for hour in range(3):
        assert engine.advance(at(place.after(weeks, hours=hour)).ports).troubles == ()
        place.answer(place.after(weeks, hours=hour, minutes=30))
    assert engine.advance(at(place.after(weeks, hours=3)).ports).troubles == ()


def outcome(place: SmallInstallation) -> dict[str, object]:
    """What a run leaves in the store."""
    with place.wired().ports.store.begin() as tx:
        cycles = tx.cycles.find()
        revisions = [tx.estimates.latest(cycle.id) for cycle in cycles]
        return {
            "cycles": [(c.period, c.state, c.window) for c in cycles],
            "draws": [tx.rounds.draws(c.id) for c in cycles],
            "estimates": [revision.estimates for revision in revisions],
            "streams": [(s.key, s.state) for s in tx.alarms.current_states()],
        }


def artifacts(key: str) -> list[str]:
    with get_client(sync_client=True) as client:
        wanted = ArtifactFilter(key=ArtifactFilterKey(any_=[key]))
        return [str(artifact.data) for artifact in client.read_artifacts(artifact_filter=wanted)]


def stored_events(ids: list[str]) -> list[str]:
    """Which of these events the server has stored, as often as it has; it writes them a moment after it took them."""
    end = monotonic() + 60
    asked = {"filter": {"id": {"id": ids}, "occurred": {"since": "2026-01-01T00:00:00Z"}}, "limit": 50}
    found: list[str] = []
    with get_client(sync_client=True) as client:
        while len(found) < len(ids) and monotonic() < end:
            sleep(0.5)
            page = client.request("POST", "/events/filter", json=asked).json()
            found = [event["id"] for event in page["events"]]
            while page["next_page"] and page["events"]:
                page = client.request(
                    "GET",
                    urlsplit(page["next_page"]).path.removeprefix("/api") + "?" + urlsplit(page["next_page"]).query,
                ).json()
                found += [event["id"] for event in page["events"]]
    return found
