"""`python -m flows.up`: a server of its own from an empty folder, and schedules that really run."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flows import up
from tests.support import served_flows
from tests.support.small_installation import SmallInstallation


def test_a_server_that_was_named_and_does_not_answer_is_said(monkeypatch):
    monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{served_flows.free_port()}/api")
    with pytest.raises(SystemExit, match="no Prefect server answers at"):
        up.serve_until_interrupted("stratawatch.toml", served_flows.free_port())


def test_a_schedule_creates_runs_that_run_and_ctrl_c_ends_everything(tmp_path):
    """In some seconds; with the minutes of the configuration it is among the long tests."""
    place = SmallInstallation.found(tmp_path, start=datetime.now(UTC) - timedelta(days=8), weeks=1)
    config = Path(place.config)
    config.write_text(config.read_text().replace('"* * * * *"', '"0 0 1 1 *"'))  # each run is a process of seconds
    served_flows.prove_that_schedules_run(place, soon=True)
