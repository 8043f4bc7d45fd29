"""The newest windows as one on the page: values recomputed from answers, columns, and what is said where there are none."""

from dataclasses import replace

import pytest

from stratawatch.core.alarms.moved import ValueInterval
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.engine.model.pauses import Pauses
from stratawatch.report.page import panel_page
from stratawatch.report.publish import panel_view
from stratawatch.report.several_table import WindowsReading
from stratawatch.report.several_windows import COLUMNS, Asked, SeveralWindows, several_view, with_several_windows
from tests.support.broken_weeks import PANEL
from tests.support.recomputed_estimates import DifferenceValues
from tests.support.scenario import label_weeks, new_scenario

HEADING = "Several windows as one, and what changed"


@pytest.fixture
def view(broken_weeks):
    return broken_weeks[0]


@pytest.fixture
def shown_after(tmp_path):
    """The view of a panel after weeks of specifications, one after the other."""

    def play(*weeks):
        scenario = new_scenario(tmp_path / "store.db", weeks[0])
        for number, spec in enumerate(weeks):
            scenario.panel = spec
            label_weeks(scenario, number)
        store = scenario.ports.store
        view = panel_view(store, weeks[-1], scenario.clock.now(), Pauses(), {})
        view = with_several_windows(view, SeveralWindows.read(store, PANEL.name))
        store.dispose()
        return view

    return play


def section(view):
    """What stands between the table's heading and the next section; empty without one."""
    return panel_page(view).partition(HEADING)[2].partition("</section>")[0]


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
        assert four.found.value == pytest.approx(pooled(tables, tables.judged[-4:], *stream), rel=1e-9)
        now, was = (pooled(tables, [one], *stream) for one in tables.judged[:-3:-1])
        assert change.found.value == pytest.approx(now - was, abs=1e-9)


def test_four_windows_are_known_better_than_one_and_six_better_than_four(view):
    scores = {(one.classifier, one.metric): one.half_width for one in view.scores}
    for row in view.several.rows:
        four, six, *_ = row.readings
        assert six.found.half_width < four.found.half_width < scores[row.classifier, row.metric]


def test_a_change_is_grey_where_its_interval_holds_nothing_and_bold_elsewhere(view):
    changes = [one for row in view.several.rows for one in row.readings if one.before]
    sure = sum(not one.is_within_chance for one in changes)
    assert 0 < sure < len(changes)
    assert section(view).count("<strong>") == sure
    assert section(view).count('<span class="quiet">') == len(changes) - sure


def test_the_scorecard_has_grey_changes_where_luck_may_be_all_of_them(view):
    readings = {(row.classifier, row.metric): row.readings[2] for row in view.several.rows}
    for score in view.scores:
        change = readings[score.classifier, score.metric]
        assert change.found.value == pytest.approx(score.change, abs=1e-9)
        assert score.is_within_chance == (change.found.low <= 0 <= change.found.high)
    page = panel_page(view)
    card = page.partition("Scorecard")[2].partition("</table>")[0]
    assert card.count(" pts</span>") == len(view.scores)
    assert card.count('<span class="quiet">') - card.count('<span class="quiet">no limit') >= sum(
        score.is_within_chance for score in view.scores
    )
    assert "grey where luck may be all of it" in page


def test_a_change_since_another_window_than_the_one_before_is_not_grey(view):
    found = SeveralWindows({Asked(1, is_change=True): ()})
    score = next(score for score in view.scores if score.is_within_chance)
    assert not found.is_change_within_chance(score, view.window)
    other = replace(score, change_since=view.window)
    same = with_several_windows(replace(view, scores=(other,)), found)
    assert [one.is_within_chance for one in same.scores] == [False]


def test_of_many_classifiers_those_with_a_line_above_have_rows_and_the_others_a_command(view):
    streams = [(row.classifier, row.metric) for row in view.several.rows]
    readings = {(row.classifier, row.metric): row.readings for row in view.several.rows}

    class Found(SeveralWindows):
        def reading(self, asked, *stream):
            return readings[stream][COLUMNS.index(asked)]

    some = several_view(Found(), view.panel, streams, {"lr"})
    assert {row.classifier for row in some.rows} == {"lr"}
    assert some.others == 2
    assert "In segments, and of the 2 other classifiers, too:" in section(replace(view, several=some))


def test_what_is_undefined_says_why_and_is_no_matter_of_luck(view):
    """In a cell that wraps, as reasons are long."""
    [(name, rows), *others] = view.several.classifiers
    reason = "before: lr called nothing positive"
    unknown = WindowsReading(None, reason, 0, 4, 0)
    first = replace(rows[0], readings=(unknown, *rows[0].readings[1:]))
    several = replace(view.several, classifiers=((name, (first, *rows[1:])), *others))
    assert f'<td class="why" data-label="Last 4 together">{reason}</td>' in section(replace(view, several=several))
    assert not unknown.is_within_chance


def test_one_window_alone_has_no_such_table(shown_after):
    view = shown_after(PANEL)
    assert view.several is None
    assert section(view) == ""


def test_two_windows_are_one_reading_and_one_change(shown_after):
    view = shown_after(PANEL, PANEL)
    assert columns(view) == [(2, 0), (1, 1)]
    assert "only 2 windows are judged" in section(view)


def test_windows_that_cannot_be_counted_as_one_say_why(shown_after):
    plain = replace(PANEL, design="srs", limits=())
    view = shown_after(plain, plain)
    assert view.several.rows == ()
    assert "cannot be counted together" in section(view)


def test_an_old_window_that_cannot_be_counted_with_others_takes_nothing_from_newer_ones(shown_after):
    """The first of three was a plain sample: the newest two have their change, and the rest says why not."""
    view = shown_after(replace(PANEL, design="srs"), PANEL, PANEL)
    assert columns(view) == [(1, 1)]
    assert "Not all can be told: the labels of the window from" in section(view)


def test_a_classifier_that_was_added_is_read_over_its_own_windows(shown_after):
    added = replace(PANEL, classifiers=(*PANEL.classifiers, ClassifierSpec("late", "score_rf", cut_off=0.6)))
    view = shown_after(PANEL, PANEL, added, added)
    assert columns(view) == [(4, 0), (1, 1)]
    counts = {row.classifier: [one.windows for one in row.readings] for row in view.several.rows}
    assert (counts["lr"], counts["late"]) == ([4, 1], [2, 1])
    assert section(view).count('<span class="under">2</span>') == 3
    assert "was without late" in section(view)


def test_a_change_is_within_chance_where_zero_is_an_end():
    assert WindowsReading(ValueInterval(-0.1, -0.2, 0.0), "", 10, 1, 1).is_within_chance
    assert not WindowsReading(ValueInterval(-0.1, -0.2, -0.01), "", 10, 1, 1).is_within_chance
