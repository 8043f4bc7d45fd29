"""The whole loop through real flows and real adapters: files in, labels out and back, estimates, report."""

import pytest

from flows.weekly_report import weekly_report
from stratawatch.engine.model.states import CycleState
from tests.support.flow_runs import artifacts, outcome, run_by_engine, run_by_flows
from tests.support.small_installation import SmallInstallation


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
