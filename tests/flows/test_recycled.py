"""design = "tripathi" through real flows and adapters: what they do is what the engine does, to the last digit."""

from pathlib import Path

import pytest

from flows.weekly_report import weekly_report
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.engine.model.states import CycleState
from tests.support.flow_runs import artifacts, outcome, run_by_engine, run_by_flows
from tests.support.small_installation import SmallInstallation


def recycling(folder: Path) -> SmallInstallation:
    """The usual installation, whose panel recycles the sample of `lr`."""
    place = SmallInstallation.found(folder)
    file = Path(place.config)
    chosen = 'budget = 150\ndesign = "tripathi"\noptions = { parent = "lr", omission_share = 0.4 }'
    file.write_text(file.read_text().replace("budget = 150", chosen))
    return place


@pytest.mark.slow
def test_a_panel_that_recycles_goes_through_the_flows(tmp_path):
    for name in ("flows", "engine"):
        (tmp_path / name).mkdir()
    place, beside = recycling(tmp_path / "flows"), recycling(tmp_path / "engine")
    run_by_flows(place, weeks=2)
    run_by_engine(beside, weeks=2)
    found = outcome(place)
    assert found == outcome(beside)
    assert [state for _, state, _ in found["cycles"]] == [CycleState.JUDGED, CycleState.JUDGED]
    assert [len(draws) for draws in found["draws"]] == [150, 150]
    for estimates in found["estimates"]:
        whole = [one for one in estimates if one.segment is None]
        assert {one.classifier for one in whole} == {"lr", "nb", "trees"}
        assert all(isinstance(one.result, IntervalEstimate) for one in whole)
        assert "recycled sample, Wilson" in {one.method for one in whole}
    assert "recycled sample, Wilson" in weekly_report(place.config, place.after(2, hours=4)).read_text()
    assert any("recycled samples" in text for text in artifacts("plan-spam"))
