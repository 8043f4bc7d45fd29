"""The newest windows as one on the page: values recomputed from answers, columns, and what is said where there are none."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from stratawatch.report import build
from stratawatch.report.page import panel_page
from stratawatch.report.several_windows import COLUMNS, WindowsReading, several_view
from tests.support.broken_weeks import PANEL
from tests.support.recomputed_estimates import DifferenceValues
from tests.support.scenario import label_weeks, new_scenario

PLAIN = replace(PANEL, design="srs", limits=())
HEADING = "Several windows as one, and what changed"


@pytest.fixture
def view(broken_weeks):
    return broken_weeks[0]


def columns(view):
    return [(one.windows, one.before) for one in view.several.columns]


def pooled(tables, cycles, classifier, metric):
    """The ratio of totals that are summed over windows, from the answers."""
    totals = [0.0] * 4
    for cycle in cycles:
        values = DifferenceValues(tables, cycle["id"])
        of_window = (*values.positives(classifier, "1", None), *values.positives(classifier, "0", None))
        totals = [sum(both) for both in zip(totals, of_window, strict=True)]
    hits, flags, misses, passed = totals
    return {
        "precision": hits / flags,
        "false_omission_rate": misses / passed,
        "recall": hits / (hits + misses),
    }[metric]


def test_six_judged_windows_are_read_as_four_as_six_and_as_two_changes(view):
    assert columns(view) == [(4, 0), (6, 0), (1, 1), (4, 2)]
    assert [(row.classifier, row.metric) for row in view.several.rows] == [
        (score.classifier, score.metric) for score in view.scores
    ]


def test_values_are_ratios_of_the_summed_totals_that_the_answers_say(broken_weeks):
    """Of four windows; the first of all has no predicted rates yet, which these formulas need."""
    view, tables = broken_weeks
    for row in view.several.rows:
        four, _, change, _ = row.readings
        stream = row.classifier, row.metric
        assert four.value == pytest.approx(pooled(tables, tables.judged[-4:], *stream), rel=1e-9)
        now, was = (pooled(tables, [one], *stream) for one in tables.judged[:-3:-1])
        assert change.value == pytest.approx(now - was, abs=1e-9)


def test_four_windows_are_known_better_than_one_and_six_better_than_four(view):
    scores = {(one.classifier, one.metric): one.half_width for one in view.scores}
    for row in view.several.rows:
        four, six, *_ = row.readings
        assert six.half_width < four.half_width < scores[row.classifier, row.metric]


def test_a_change_is_grey_where_its_interval_holds_nothing_and_bold_elsewhere(view):
    changes = [one for row in view.several.rows for one in row.readings if one.before]
    page = panel_page(view).partition(HEADING)[2].partition("</section>")[0]
    sure = sum(not one.is_within_chance for one in changes)
    assert 0 < sure < len(changes)
    assert page.count("<strong>") == sure
    assert page.count('<span class="quiet">') == len(changes) - sure


def test_the_scorecard_has_grey_changes_where_luck_may_be_all_of_them(view):
    readings = {(row.classifier, row.metric): row.readings[2] for row in view.several.rows}
    for score in view.scores:
        change = readings[score.classifier, score.metric]
        assert change.value == pytest.approx(score.change, abs=1e-9)
        assert score.is_within_chance == (change.low <= 0 <= change.high)


def test_of_many_classifiers_those_with_a_line_above_have_rows_and_the_others_a_command(view):
    streams = [(row.classifier, row.metric) for row in view.several.rows]
    readings = {(row.classifier, row.metric): row.readings for row in view.several.rows}
    found = SimpleNamespace(
        why_not="", why_fewer=(), reading=lambda asked, *stream: readings[stream][COLUMNS.index(asked)]
    )
    some = several_view(found, streams, {"lr"})
    assert {row.classifier for row in some.rows} == {"lr"}
    assert some.others == 2
    page = panel_page(replace(view, several=some)).partition(HEADING)[2].partition("</section>")[0]
    assert "In segments, and of the 2 other classifiers, too:" in page


def test_one_window_alone_has_no_such_table(tmp_path):
    scenario = new_scenario(tmp_path / "store.db", PANEL)
    label_weeks(scenario, 0)
    view = build(scenario.ports.store, PANEL, scenario.clock.now())
    scenario.ports.store.dispose()
    assert view.several is None
    assert HEADING not in panel_page(view)


def test_two_windows_are_one_reading_and_one_change(tmp_path):
    scenario = new_scenario(tmp_path / "store.db", PANEL)
    label_weeks(scenario, 0, 1)
    view = build(scenario.ports.store, PANEL, scenario.clock.now())
    scenario.ports.store.dispose()
    assert columns(view) == [(2, 0), (1, 1)]
    assert "only 2 windows are judged" in panel_page(view)


def test_windows_that_cannot_be_counted_as_one_say_why(tmp_path):
    scenario = new_scenario(tmp_path / "store.db", PLAIN)
    label_weeks(scenario, 0, 1)
    view = build(scenario.ports.store, PLAIN, scenario.clock.now())
    scenario.ports.store.dispose()
    assert view.several.rows == ()
    assert "cannot be counted together" in panel_page(view)


def test_a_change_is_within_chance_where_zero_is_an_end():
    assert WindowsReading(-0.1, -0.2, 0.0, 10, 1, 1).is_within_chance
    assert not WindowsReading(-0.1, -0.2, -0.01, 10, 1, 1).is_within_chance
