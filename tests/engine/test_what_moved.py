"""What a page says of a fall: what it is not, and a cut-off that would mend it."""

import re
from contextlib import contextmanager
from dataclasses import replace

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.cut_offs import CutOffChoice, LimitLine
from stratawatch.core.alarms.moved import what_moved
from stratawatch.core.goals import Limit
from stratawatch.core.population import Segment
from stratawatch.engine.evidence.compared_windows import ComparedWindows, WindowSet
from stratawatch.engine.evidence.cut_off_text import cut_off_line, cut_off_rows, tried_text
from stratawatch.engine.evidence.moved_text import cause_lines, place_lines
from stratawatch.engine.evidence.tried_cut_offs import NOT_KEPT, cut_offs_of_incidents, tried_cut_offs
from stratawatch.engine.evidence.what_moved import change_of_stream
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.formatting import percent
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import cycle_of, label_weeks, new_scenario

PRECISION = StreamKey("spam", "rf", "precision")


def limits(metric="precision", **ends):
    return (Limit(metric, classifiers=("rf",), **ends),)


def fall(scenario, key=PRECISION, since=2, period=None):
    """What moved a stream since a week, as of a week that was judged."""
    cycle = cycle_of(scenario, (since if period is None else period) + 1)
    with scenario.ports.store.begin() as tx:
        return change_of_stream(ComparedWindows(tx), scenario.panel, cycle, key, MONDAY + since * WEEK)


def said(found):
    """What a page says of the fall."""
    return [*place_lines(found, "week"), *cause_lines(found, "week")]


def line_of(found, start):
    (line,) = [line for line in said(found) if line.startswith(start)]
    return line


def flags(scenario, period, cut_off=0.6):
    return sum(row.scores[1] >= cut_off for row in scenario.source.windows[MONDAY + period * WEEK])


def incidents(scenario):
    with scenario.ports.store.begin() as tx:
        return tx.alarms.incidents(only_open=True)


def of_incidents(scenario):
    with scenario.ports.store.begin() as tx:
        return cut_offs_of_incidents(ComparedWindows(tx), tx.alarms.incidents(only_open=True))


def limited(scenario, **ends):
    """The scenario with another limit."""
    return replace(scenario, panel=replace(scenario.panel, limits=limits(**ends)))


@contextmanager
def without_score_bins(scenario, where=""):
    """A transaction, never committed, in which windows are as before own score bins were kept."""
    with scenario.ports.store.begin() as tx:
        tx._sql.exec_driver_sql(f"UPDATE candidates SET score_bins = NULL {where}")
        yield tx


@pytest.fixture(scope="module")
def fallen(tmp_path_factory):
    """Two healthy weeks, and two in which many calls are wrong, of half the items at last. Tests only read it."""
    found = new_scenario(tmp_path_factory.mktemp("fallen") / "scenario.db", spec(budget=150, limits=limits(floor=0.55)))
    label_weeks(found, 0, 1)
    label_weeks(found, 2, quality=0.3)
    label_weeks(found, 3, quality=0.3, size=1500)
    yield found
    found.ports.store.dispose()


class TestCauses:
    def test_what_it_is_not_has_its_numbers(self, fallen):
        causes = {one.kind: one for one in fall(fallen).causes}
        assert (causes["volume"].before, causes["volume"].after) == (3000, 3000)
        assert causes["volume"].is_ruled_out
        assert causes["score drift"].is_ruled_out
        assert causes["label delay"].after >= 0
        assert "agreement" not in causes, "one person answers each item, so nobody can disagree"

    def test_a_window_of_half_the_items_is_no_longer_ruled_out(self, fallen):
        found = fall(fallen, since=3)
        assert "items 1,500 (was 3,000)" in line_of(found, "Also changed")
        assert "items" not in line_of(found, "Not the cause")


class TestCutOff:
    def test_higher_ones_are_tried_and_none_is_applied(self, fallen):
        found = fall(fallen).cut_offs.choice
        assert isinstance(found, CutOffChoice)
        assert found.in_use.calls.value == flags(fallen, 2)
        assert found.others
        for one in found.others:
            assert one.score > 0.6
            assert one.calls.low <= flags(fallen, 2, one.score) <= one.calls.high
        assert fallen.panel.classifiers[1].cut_off == 0.6

    def test_the_page_has_the_suggested_one_with_what_it_costs(self, fallen):
        """A floor between the precision in use and the best of the others: some cut-off holds it."""
        tried = fall(fallen).cut_offs.choice
        best = max(one.precision.value for one in tried.others)
        assert best > tried.in_use.precision.value
        floor = (best + tried.in_use.precision.value) / 2
        found = fall(limited(fallen, floor=floor))
        suggested = found.cut_offs.choice.suggested
        assert suggested.precision.value >= floor
        line = line_of(found, "Stopgap")
        wrong = f"{100 - 100 * suggested.precision.value:.1f}% wrong ("
        assert line.startswith(f"Stopgap, not applied: cut-off {suggested.score:.4g} of rf gives {wrong}")
        assert line.endswith(
            f", about {suggested.calls.value:,.0f} flags a week ({flags(fallen, 2):,} with the one in use)."
        )

    def test_another_limit_that_the_suggested_one_would_break_is_told(self, fallen):
        """Precision is bought with recall: a floor of recall just above what the suggested cut-off leaves of it."""
        tried = fall(fallen).cut_offs.choice
        best = max(one.precision.value for one in tried.others)
        precision = (best + tried.in_use.precision.value) / 2
        scenario = limited(fallen, floor=precision)
        found = fall(scenario).cut_offs
        recall = found.choice.suggested.recall.value
        assert tried_text(found).count("recall") == 0
        for floor, is_broken in ((recall + 0.01, True), (recall - 0.01, False)):
            both = replace(found, other_limits=(LimitLine("recall", floor),))
            told = f", but recall would be {percent(recall)}, below its floor of {percent(floor)}"
            assert (told in tried_text(both)) == is_broken
            (line,) = cut_off_line(both, "week")
            assert (line.endswith(f"{told}.")) == is_broken

    def test_the_other_limits_are_those_of_the_classifier_over_all_segments(self, fallen):
        limits = (
            Limit("precision", floor=0.9, classifiers=("rf",)),
            Limit("recall", floor=0.5),
            Limit("false_omission_rate", ceiling=0.2, classifiers=("rf",)),
            Limit("recall", floor=0.4, segment=Segment("country", "DE")),
            Limit("f1", floor=0.4, classifiers=("lr",)),
        )
        cycle = cycle_of(fallen, 3)
        with fallen.ports.store.begin() as tx:
            since = ComparedWindows(tx).since(fallen.panel, cycle, "rf", MONDAY + 2 * WEEK)
        tried = tried_cut_offs(replace(fallen.panel, limits=limits), PRECISION, since)
        assert tried.other_limits == (LimitLine("recall", 0.5), LimitLine("false_omission_rate", 0.2, is_floor=False))

    def test_where_none_holds_that_is_said(self, fallen):
        said = line_of(fall(limited(fallen, floor=0.99)), "Cut-off")
        expected = r"Cut-offs of rf: none of \d cut-offs that were tried would hold the floor of 99.0% of precision\."
        assert re.fullmatch(expected, said)

    def test_windows_frozen_before_the_upgrade_have_none_and_say_so(self, fallen):
        cycle = cycle_of(fallen, 3)
        with without_score_bins(fallen) as tx:
            found = change_of_stream(ComparedWindows(tx), fallen.panel, cycle, PRECISION, MONDAY + 2 * WEEK)
        assert found.cut_offs.choice == NOT_KEPT
        assert line_of(found, "Cut-off") == (
            "Cut-offs of rf: none can be tried, the windows were frozen by a version that kept no scores of single"
            " classifiers."
        )

    def test_a_drop_from_a_baseline_names_no_line_to_hold(self, fallen):
        of_a_drop = fall(limited(fallen, max_drop=0.05))
        assert not [line for line in said(of_a_drop) if line.startswith("Cut-off")]


def with_panel(scenario, **changes):
    """The scenario, configured anew."""
    scenario.panel = replace(scenario.panel, **changes)
    scenario.ports = replace(scenario.ports, configured={"spam": scenario.panel})
    return scenario


class TestAPanelThatChanged:
    @pytest.fixture
    def healthy(self, make_scenario):
        return make_scenario(spec(budget=150, limits=limits(floor=0.55)), 0, 1)

    def test_another_classifier_that_came_hides_nothing_of_what_was_before(self, healthy):
        """It comes first, so that the others' calls have other places in patterns from then on."""
        newcomer = ClassifierSpec("svm", "score_lr", cut_off=0.4)
        label_weeks(with_panel(healthy, classifiers=(newcomer, *healthy.panel.classifiers)), 2, quality=0.3)
        found = fall(healthy)
        assert found.windows == (2, 1)
        assert found.change.before.value > found.change.after.value
        assert found.flags[0].before == (flags(healthy, 0) + flags(healthy, 1)) / 2
        assert found.flags[0].after == flags(healthy, 2)
        page = healthy.channel.received[-1]
        assert page.severity == "page"
        assert "; usually " in page.body
        assert "; a usual week has " in page.body
        assert "nothing is known of earlier ones" not in page.body

    def test_of_several_classifiers_only_the_same_ones_are_compared(self, healthy):
        assert {one.name for one in fall(healthy, since=1).flags} >= {"", "by rf alone"}
        newcomer = ClassifierSpec("svm", "score_lr", cut_off=0.4)
        label_weeks(with_panel(healthy, classifiers=(*healthy.panel.classifiers, newcomer)), 2, quality=0.3)
        found = fall(healthy)
        assert "by rf alone" not in {one.name for one in found.flags}
        assert "score drift" not in {one.kind for one in found.causes}
        assert "volume" in {one.kind for one in found.causes}

    def test_with_another_cut_off_of_its_own_nothing_before_is_compared(self, healthy):
        lr, rf = healthy.panel.classifiers
        label_weeks(with_panel(healthy, classifiers=(lr, replace(rf, cut_off=0.5))), 2, quality=0.3)
        assert fall(healthy) is None
        assert "nothing is known of earlier ones" in healthy.channel.received[-1].body


class TestWindowsBefore:
    def test_say_the_same_by_their_drawn_candidates_as_by_whole_pools(self, fallen):
        *earlier, cycle = (cycle_of(fallen, number) for number in (1, 2, 3))
        with fallen.ports.store.begin() as tx:
            before, after = ComparedWindows(tx).around(fallen.panel, cycle, "rf", MONDAY + 2 * WEEK)
            windows = [ComparedWindows(tx).since(fallen.panel, one, "rf", MONDAY) for one in earlier]
        pools = WindowSet(tuple(one.windows[-1] for one in windows))
        sizes = [[len(one.candidates) for one in found.windows] for found in (before, pools)]
        assert sizes[0] < sizes[1]
        by_drawn, by_pools = (
            what_moved(one.labelled, after.labelled, "rf", "precision", []) for one in (before, pools)
        )
        assert by_drawn == by_pools


class TestWithoutScore:
    def test_nothing_is_said_of_cut_offs(self, fallen):
        """Calls come from a column of their own, and no score comes along."""
        lr, rf = fallen.panel.classifiers
        rules = replace(rf, score=None, call="pred_rf", cut_off=None)
        cycle = cycle_of(fallen, 3)
        with fallen.ports.store.begin() as tx:
            since = ComparedWindows(tx).since(fallen.panel, cycle, "rf", MONDAY + 2 * WEEK)
        tried = tried_cut_offs(replace(fallen.panel, classifiers=(lr, rules)), PRECISION, since)
        assert not tried.is_worth_telling
        assert not [line for line in said(replace(fall(fallen), cut_offs=tried)) if line.startswith("Cut-off")]
        assert tried_text(tried) == "No cut-off of rf can be tried: 'rf' has no score."


class TestIncident:
    def test_has_the_cut_offs_of_its_page_and_then_those_of_all_windows_since(self, fallen):
        """They are surer than those of the page."""
        (tried,) = of_incidents(fallen).values()
        assert tried == fall(fallen, period=3).cut_offs
        on_page = fall(fallen).cut_offs
        assert (on_page.windows, tried.windows) == (1, 2)
        assert tried.choice.in_use.labels > on_page.choice.in_use.labels
        assert tried.choice.in_use.precision.half_width < on_page.choice.in_use.precision.half_width

    def test_that_is_over_has_none(self, fallen):
        (incident,) = incidents(fallen)
        with fallen.ports.store.begin() as tx:
            assert cut_offs_of_incidents(ComparedWindows(tx), [replace(incident, resolved_at=MONDAY + 4 * WEEK)]) == {}
            assert cut_offs_of_incidents(ComparedWindows(tx), [replace(incident, kind=AlarmState.BLIND)]) == {}

    def test_of_a_segment_has_none_that_anybody_is_told_of(self, fallen):
        (incident,) = incidents(fallen)
        inside = replace(incident, key=replace(incident.key, segment="country=DE"))
        with fallen.ports.store.begin() as tx:
            (tried,) = cut_offs_of_incidents(ComparedWindows(tx), [inside]).values()
        assert not tried.is_worth_telling

    def test_rows_go_from_the_one_in_use_up_with_the_suggested_one_marked(self, fallen):
        best = max(one.precision.value for one in fall(fallen).cut_offs.choice.others)
        found = replace(fall(fallen).cut_offs.choice, limit=LimitLine("precision", best))
        rows = cut_off_rows(replace(fall(fallen).cut_offs, choice=found))
        assert rows[0].cut_off == "0.6, in use"
        assert rows[0].flags == f"{flags(fallen, 2):,}"
        assert [float(row.cut_off) for row in rows[1:]] == sorted(float(row.cut_off) for row in rows[1:])
        assert [row.is_suggested for row in rows].count(True) == 1
        assert list(rows[0].values_by_title) == ["precision", "recall"]

    def test_windows_of_after_an_upgrade_are_enough(self, fallen):
        with without_score_bins(fallen, "WHERE cycle_id = 3") as tx:
            (tried,) = cut_offs_of_incidents(ComparedWindows(tx), tx.alarms.incidents(only_open=True)).values()
        assert (tried.windows, tried.is_worth_telling) == (1, True)
        assert isinstance(tried.choice, CutOffChoice)


class TestPage:
    def test_it_stays_short_and_the_most_urgent_comes_first(self, fallen):
        (page, *_) = fallen.channel.received
        assert len(page.body) < 1500
        assert (
            page.body.index("Now: ")
            < page.body.index("Harm: ")
            < page.body.index("Do: ")
            < page.body.index("Not the cause: ")
        )
