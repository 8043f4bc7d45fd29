"""What a page says of a fall: its cost in items, what it is not, and a cut-off that would mend it."""

import re
from dataclasses import replace

import pytest
from sqlalchemy import create_engine, text

from stratawatch.core.alarms.cut_offs import CutOffChoice
from stratawatch.core.goals import Limit
from stratawatch.engine.evidence.moved_text import lines_of
from stratawatch.engine.evidence.what_moved import NOT_KEPT, change_of_stream
from stratawatch.engine.model.alarm_records import StreamKey
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import cycle_of, label_weeks

PRECISION = StreamKey("spam", "rf", "precision")
RECALL = StreamKey("spam", "rf", "recall")


def limits(metric="precision", **ends):
    return (Limit(metric, classifiers=("rf",), **ends),)


def panel(metric="precision", floor=0.55):
    return spec(budget=150, limits=limits(metric, floor=floor))


def fall(scenario, key=PRECISION, since=2, period=None):
    """What moved a stream since a week, as of a week that was judged."""
    cycle = cycle_of(scenario, (since if period is None else period) + 1)
    with scenario.ports.store.begin() as tx:
        return change_of_stream(tx, scenario.panel, cycle, key, MONDAY + since * WEEK)


def line_of(found, start):
    (line,) = [line for line in lines_of(found) if line.startswith(start)]
    return line


def flags(scenario, period, cut_off=0.6):
    return sum(row.scores[1] >= cut_off for row in scenario.source.windows[MONDAY + period * WEEK])


@pytest.fixture
def fallen(make_scenario):
    """Two healthy weeks, and one in which many calls are wrong."""
    scenario = make_scenario(panel())
    label_weeks(scenario, 0, 1)
    label_weeks(scenario, 2, quality=0.3)
    return scenario


class TestHarm:
    def test_wrong_flags_of_a_fallen_precision(self, fallen):
        """All numbers are those of the estimates times the flags; extra ones are those of one window."""
        found = fall(fallen)
        assert found.windows == (2, 1)
        assert found.harm.name == "wrong flags"
        assert found.harm.now.value == pytest.approx(flags(fallen, 2) * (1 - found.change.after.value))
        usual = (flags(fallen, 0) + flags(fallen, 1)) / 2 * (1 - found.change.before.value)
        assert found.harm.before == pytest.approx(usual)
        assert found.harm.extra.value == pytest.approx(found.harm.now.value - usual)
        assert 0 < found.harm.extra.low < found.harm.extra.value < found.harm.extra.high

    def test_extra_ones_are_those_of_all_windows_since(self, fallen):
        label_weeks(fallen, 3, quality=0.3)
        found = fall(fallen, period=3)
        assert found.windows == (2, 2)
        assert found.harm.extra.value == pytest.approx(2 * (found.harm.now.value - found.harm.before))

    def test_misses_of_recall(self, make_scenario):
        scenario = make_scenario(panel("recall"), 0, 1, 2)
        found = fall(scenario, RECALL)
        assert found.harm.name == "misses"
        rows = scenario.source.windows[MONDAY + 2 * WEEK]
        missed = sum(row.truth and row.scores[1] < 0.6 for row in rows)
        assert found.harm.now.low / 2 < missed < found.harm.now.high * 2

    def test_where_the_extra_may_be_none_no_rise_is_told(self, make_scenario):
        scenario = make_scenario(panel("recall"), 0, 1, 2)
        assert line_of(fall(scenario, RECALL), "Harm").endswith("before; no rise proven.")

    def test_another_metric_has_no_count_of_its_own(self, fallen):
        assert fall(fallen, StreamKey("spam", "rf", "f1")).harm is None


class TestCauses:
    def test_what_it_is_not_has_its_numbers(self, fallen):
        causes = {one.kind: one for one in fall(fallen).causes}
        assert (causes["volume"].before, causes["volume"].after) == (3000, 3000)
        assert causes["volume"].is_ruled_out
        assert causes["score drift"].is_ruled_out
        assert causes["label delay"].after >= 0
        assert "agreement" not in causes, "one person answers each item, so nobody can disagree"

    def test_a_window_of_half_the_items_is_no_longer_ruled_out(self, make_scenario):
        scenario = make_scenario(panel())
        label_weeks(scenario, 0, 1)
        label_weeks(scenario, 2, quality=0.3, size=1500)
        found = fall(scenario)
        assert "volume (1,500 items a window, 3,000 before)" in line_of(found, "Also changed")
        assert "volume" not in line_of(found, "Not the cause")


class TestCutOff:
    def test_higher_ones_are_tried_and_none_is_applied(self, fallen):
        found = fall(fallen).cut_offs
        assert isinstance(found, CutOffChoice)
        assert found.in_use.calls.value == flags(fallen, 2)
        assert found.others
        for one in found.others:
            assert one.score > 0.6
            assert one.calls.low <= flags(fallen, 2, one.score) <= one.calls.high
        assert fallen.panel.classifiers[1].cut_off == 0.6

    def test_the_page_has_the_suggested_one_with_what_it_costs(self, fallen):
        """A floor between the precision in use and the best of the others: some cut-off holds it."""
        tried = fall(fallen).cut_offs
        best = max(one.precision.value for one in tried.others)
        assert best > tried.in_use.precision.value
        floor = (best + tried.in_use.precision.value) / 2
        fallen.panel = replace(fallen.panel, limits=limits(floor=floor))
        found = fall(fallen)
        suggested = found.cut_offs.suggested
        assert suggested.precision.value >= floor
        line = line_of(found, "Cut-off")
        assert line.startswith(f"Cut-off, not applied: from {suggested.score:.4g} on precision ")
        assert line.endswith(f"about {suggested.calls.value:,.0f} flags a window instead of {flags(fallen, 2):,}.")

    def test_where_none_holds_that_is_said(self, fallen):
        fallen.panel = replace(fallen.panel, limits=limits(floor=0.99))
        said = line_of(fall(fallen), "Cut-off")
        assert re.fullmatch(r"Cut-off: none of \d cut-offs of rf that were tried would hold the limit\.", said)

    def test_windows_frozen_before_the_upgrade_have_none_and_say_so(self, fallen):
        engine = create_engine(fallen.url or fallen.ports.store.where)
        with engine.begin() as connection:
            connection.execute(text("UPDATE candidates SET score_bins = NULL"))
        engine.dispose()
        found = fall(fallen)
        assert found.cut_offs == NOT_KEPT
        assert found.harm is not None
        assert line_of(found, "Cut-off") == (
            "Cut-off: no suggestion, some windows were frozen by a version that kept no score bins."
        )

    def test_a_drop_from_a_baseline_names_no_line_to_hold(self, fallen):
        fallen.panel = replace(fallen.panel, limits=limits(max_drop=0.05))
        assert not [line for line in lines_of(fall(fallen)) if line.startswith("Cut-off")]


class TestPage:
    def test_it_stays_short_and_the_most_urgent_comes_first(self, fallen):
        (page,) = fallen.channel.told
        assert len(page.body) < 1500
        assert page.body.index("Fall: ") < page.body.index("Harm: ") < page.body.index("Not the cause: ")
