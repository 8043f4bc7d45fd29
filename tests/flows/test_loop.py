"""The whole loop through real flows and real adapters: files in, labels out and back, estimates, report."""

from datetime import datetime

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey

from flows.advance_cycles import advance_cycles
from flows.open_cycles import open_cycles
from flows.weekly_report import weekly_report
from stratawatch.engine.cycle import advance as engine
from stratawatch.engine.cycle import open_cycles as engine_open
from stratawatch.engine.model.states import CycleState
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
            "streams": [(s.key, s.state) for s in tx.alarms.current()],
        }


def artifacts(key: str) -> list[str]:
    with get_client(sync_client=True) as client:
        wanted = ArtifactFilter(key=ArtifactFilterKey(any_=[key]))
        return [str(artifact.data) for artifact in client.read_artifacts(artifact_filter=wanted)]


@pytest.fixture(scope="module")
def judged(tmp_path_factory) -> SmallInstallation:
    """Two weeks, opened at once as a backfill, labelled and judged through flows."""
    place = SmallInstallation.found(tmp_path_factory.mktemp("judged"))
    run_by_flows(place, weeks=2)
    return place


@pytest.mark.slow
class TestLoop:
    def test_flows_do_exactly_what_the_engine_does(self, judged, installation):
        run_by_engine(installation, weeks=2)
        found = outcome(judged)
        assert [state for _, state, _ in found["cycles"]] == [CycleState.JUDGED, CycleState.JUDGED]
        assert found == outcome(installation)

    def test_a_person_finds_plan_estimates_and_report_in_prefect(self, judged):
        path = weekly_report(judged.config, judged.after(2, hours=4))
        assert path.read_text().lstrip().lower().startswith("<!doctype html>")
        assert any("expected half-width" in text and "labels so far" in text for text in artifacts("plan-spam"))
        assert any("lr" in text and "precision" in text for text in artifacts("estimates-spam"))
        assert any(path.resolve().as_uri() in text for text in artifacts("report"))
        assert any("spam / lr / precision" in text for text in artifacts("report-states"))

    def test_backfill_opens_past_windows_in_order_and_judges_them_in_order(self, judged):
        with judged.wired().ports.store.begin() as tx:
            history = tx.estimates.history("spam")
        assert [cycle.period for cycle, _ in history] == [0, 1]
        assert [cycle.window.start for cycle, _ in history] == [judged.after(0), judged.after(1)]
