"""The whole loop through real flows and real adapters: files in, labels out and back, estimates, report."""

import re
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest

from flows import state_events
from flows.weekly_report import weekly_report
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports.clock import FixedClock
from tests.support.flow_runs import artifacts, outcome, run_by_engine, run_by_flows, stored_events
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
        assert any(str(path.resolve()) in text and "[report] url" in text for text in artifacts("report"))
        assert any("spam / lr / precision" in text for text in artifacts("report-states"))

    def test_the_report_has_pictures_where_the_configuration_says_so(self, judged, monkeypatch):
        monkeypatch.setenv("STRATAWATCH_REPORT__PNG", "true")
        path = weekly_report(judged.config, judged.after(2, hours=4))
        assert path.with_suffix(".pictures").joinpath("overview.png").is_file()

    def test_the_link_to_the_report_is_one_that_a_browser_opens(self, judged, monkeypatch):
        handler = partial(SimpleHTTPRequestHandler, directory=judged.folder / "reports")
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            monkeypatch.setenv("STRATAWATCH_REPORT__URL", f"http://127.0.0.1:{server.server_port}/")
            path = weekly_report(judged.config, judged.after(2, hours=4))
            [link] = [link for text in artifacts("report") for link in re.findall(r"\]\((http[^)]*)\)", text)]
            shown = httpx.get(link)
            server.shutdown()
        assert shown.text == path.read_text()

    def test_every_move_is_an_event_in_prefect_that_is_stored_once(self, judged):
        ports = judged.wired().ports
        with ports.store.begin() as tx:
            moves = tx.cycles.transitions()
            tx.labels.save_cursor(state_events.CURSOR, {}, judged.after(2))  # as if the last word was lost
            tx.commit()
        at_the_time = replace(ports, clock=FixedClock(judged.after(2, hours=4)))
        assert len(moves) > 8
        assert state_events.send_state_events(at_the_time) == len(moves)
        assert state_events.send_state_events(at_the_time) == 0
        ids = [str(state_events.event_id(move)) for move in moves]
        assert sorted(stored_events(ids)) == sorted(ids)

    def test_backfill_opens_past_windows_in_order_and_judges_them_in_order(self, judged):
        with judged.wired().ports.store.begin() as tx:
            history = tx.estimates.history("spam")
        assert [cycle.period for cycle, _ in history] == [0, 1]
        assert [cycle.window.start for cycle, _ in history] == [judged.after(0), judged.after(1)]
