"""Every figure of the report is recomputed from the store's tables with SQL, and compared with the view's."""

import json
from dataclasses import replace
from datetime import datetime

import pytest

from stratawatch.core.random_numbers import digest
from stratawatch.report.view_models import PanelView
from tests.support.broken_weeks import PANEL
from tests.support.number_leaves import changed, leaves, number_fields, numbers_by_path
from tests.support.recomputed_figures import RecomputedFigures
from tests.support.recomputed_sentences import (
    BY_ESTIMATOR,
    RecomputedSentences,
    dates_in,
    is_rounded,
    number_places,
    numbers_in,
)
from tests.support.stored_tables import moment

NOT_COMPARED = {
    "PanelView.generated_at": "is the caller's clock",
    "Scale.low": "is an axis: `test_axes_hold_what_they_show`",
    "Scale.high": "is an axis: `test_axes_hold_what_they_show`",
    "PreviousValue.value": "stands only where the newest window has no value",
    "LimitOutlook.low": "is an interval of four windows' labels together, by the estimator",
    "LimitOutlook.high": "is an interval of four windows' labels together, by the estimator",
    "LimitOutlook.half_width": "is a forecast of the alarm rule",
    "LimitOutlook.windows_to_ok": "is a forecast of the alarm rule",
    "LimitOutlook.page_value": "is a forecast of the alarm rule",
    "LimitOutlook.baseline": "belongs to a limit on a fall from a baseline",
    "LabelsToProve.labels": "is what a plan forecasts, and none was made",
    "LabelsToProve.most": "is what a plan forecasts, and none was made",
    "BaselineView.valid_from": "is of a baseline",
    "BaselineView.valid_until": "is of a baseline",
    "ExpectedWidth.expected": "is what a plan forecasts of the next window",
    "Deployment.at": "is what the configuration says",
    "CutOff.score": "is what was tried: `rows` have the labels beyond each",
    "CutOff.labels": "stands in `rows` too, where it is compared",
    "ValueInterval.value": "is of a cut-off, a score or a part of a change, or of several windows: `test_several_windows`",
    "ValueInterval.low": "is of a cut-off, a score or a part of a change: `benchmarks.moved` measures it",
    "ValueInterval.high": "is of a cut-off, a score or a part of a change: `benchmarks.moved` measures it",
    "ScoreGroup.low": "is where groups were cut: `test_groups_of_scores_hold_the_labels_of_the_tables`",
    "ScoreGroup.high": "is where groups were cut: `test_groups_of_scores_hold_the_labels_of_the_tables`",
    "GroupReading.share": "adds up to 1: `test_groups_of_scores_hold_the_labels_of_the_tables`",
    "GroupReading.labels": "is compared by `test_groups_of_scores_hold_the_labels_of_the_tables`",
    "MissingBounds.low": "is the end of an interval with assumed answers: `test_estimates_lie_within_their_bounds`",
    "MissingBounds.high": "is the end of an interval with assumed answers: `test_estimates_lie_within_their_bounds`",
}
"""The numbers that are not recomputed, and why."""


@pytest.fixture
def view(broken_weeks):
    return broken_weeks[0]


@pytest.fixture
def figures(broken_weeks):
    view, tables = broken_weeks
    return RecomputedFigures(tables, view)


def differences(view, figures):
    """Where a number of the view is another one than the tables', or was not recomputed."""
    expected = numbers_by_path(figures.tree())
    return [
        (leaf.path, leaf.value, expected.get(leaf.path, "not recomputed"))
        for leaf in leaves(view)
        if leaf.owner not in NOT_COMPARED and not _is_same(leaf.value, expected.get(leaf.path, "not recomputed"))
    ]


def first_screen(view):
    """The sentences of the headline, below it, and on the next window."""
    headline = view.headline
    named = map(str, (*headline.told, *headline.further))
    below = (*view.summary.notes, view.next_window.sentence)
    return [headline.sentence, *headline.details, *named, *headline.deeper, *headline.harm, *below]


def wrong_lines(lines, figures):
    """Those with a number or a date that is not the tables'."""
    said = RecomputedSentences(figures)
    return [line for line in lines if not _is_of_tables(line, said)]


def _is_of_tables(line, said):
    written, expected = numbers_in(line), said.of(line)
    return len(written) == len(expected) and all(map(is_rounded, written, expected)) and {*dates_in(line)} <= said.dates


def _is_same(value, expected):
    if value is None or isinstance(value, datetime):
        return value == expected
    return isinstance(expected, int | float) and value == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_every_number_is_that_of_the_tables(view, figures):
    assert differences(view, figures) == []


def test_a_number_that_nobody_compares_fails(view):
    """A new field of the view is compared above or named with the reason why not, and no name is left over."""
    compared = {leaf.owner for leaf in leaves(view)}
    every = number_fields(PanelView)
    assert every - compared - NOT_COMPARED.keys() == set()
    assert NOT_COMPARED.keys() <= every


def test_every_row_of_the_tables_is_there(view, figures):
    tables, cycle = figures.tables, figures.cycle
    kept = tables.rows("SELECT * FROM estimates WHERE revision_id = ?", tables.revision(cycle)["id"])
    shown = {(one.classifier, one.metric, one.segment) for one in (*view.scores, *view.segments)}
    assert shown == {(row["classifier"], row["metric"], row["segment"]) for row in kept}
    assert len(view.scores) + len(view.segments) == len(kept)
    assert {one.id for one in view.incidents} == {
        row["id"]
        for row in tables.rows("SELECT * FROM incidents")
        if row["resolved_at"] is None or row["resolved_at"] >= tables.cycles[-len(view.cycles)]["opened_at"]
    }
    with_an_answer_missing = {
        (one.classifier, one.metric)
        for one in view.scores
        if figures.missing_of(tables.draws(cycle), one.classifier, one.metric)["missing"]
    }
    assert {(row.classifier, row.metric) for row in view.missing.bounds} == with_an_answer_missing


def test_groups_of_scores_hold_the_labels_of_the_tables(view, figures):
    for curve in view.score_curves:
        sides = figures.before_fall()[-curve.windows[0] :], figures.since_fall()[-curve.windows[1] :]
        for windows, side in zip(sides, ("before", "now"), strict=True):
            readings = [getattr(group, side) for group in curve.groups]
            assert sum(one.share for one in readings) == pytest.approx(1)
            for group, reading in zip(curve.groups, readings, strict=True):
                assert reading.labels == figures.labels_with_score(windows, group.low, group.high)
    assert [curve.classifier for curve in view.score_curves] == [figures.fall["classifier"]]


def test_a_cycle_ended_by_its_deadline_counts_what_had_come_by_then(view, figures):
    """Later answers are in its row, and not in its note."""
    (row,) = [one for one in view.cycles if one.note]
    (cycle,) = [one for one in figures.tables.cycles if one["id"] == row.id]
    deadline = moment(cycle["deadline_at"])
    events = figures.tables.rows("SELECT * FROM label_events")
    came = {one["item_key"] for one in events if moment(one["at"]) <= deadline}
    draws = figures.tables.draws(row.id)
    in_time = sum(one["item_key"] in came for one in draws)
    assert row.note == (
        f"deadline {deadline:%Y-%m-%d %H:%M} +00:00 passed; "
        f"{in_time} of {len(draws)} drawn items had a verdict at the deadline"
    )
    assert in_time < row.labels.used + row.labels.skipped


def test_cut_offs_say_that_they_are_not_computed_as_the_scorecard_is(view):
    """The first row is the cut-off in use, and its precision is not that of the newest window."""
    (tried,) = view.cut_offs
    assert tried.sentence.endswith(
        " Values are pooled over these 2 windows, and computed in another way than the scorecard's."
    )
    in_use, score = tried.rows[0].values_by_title["precision"], view.scores[0]
    assert not in_use.startswith(f"{100 * score.estimate.value:.1f}%")


def test_costs_are_the_sum_of_own_samples_and_the_largest_one_for_all(view, figures):
    needs = figures.cost()["needs"]
    assert view.cost.separate == sum(need["separate"] for need in needs)
    assert view.cost.shared == max(need["shared"] for need in needs)


def test_every_state_is_that_of_the_tables(view, figures):
    tables = figures.tables
    for one in (*view.scores, *view.segments):
        assert one.state == tables.state(figures.cycle, one.classifier, one.metric, one.segment)
    for trend in view.trends:
        for point, cycle in zip(trend.points, tables.cycles[-len(view.cycles) :], strict=True):
            assert point.state == tables.state(cycle["id"], trend.classifier, trend.metric)
    assert [row.state for row in view.cycles] == [one["state"] for one in reversed(tables.cycles[-len(view.cycles) :])]
    assert [row.kind for row in view.incidents if row.resolved_at is None] == ["BREACH"]
    known = tables.rows("SELECT state, severity FROM notifications ORDER BY id DESC")
    told = [(row.state, row.severity) for row in view.notifications]
    assert told == [tuple(row) for row in known][: len(told)]


def test_every_number_of_the_first_screen_is_that_of_the_tables(view, figures):
    assert wrong_lines(first_screen(view), figures) == []
    begins = {line.partition(":")[0] for line in first_screen(view)}
    assert {"Still on", "Sure", "Where", "Clue", "Less sure than wanted"} <= begins


def test_what_moved_together_has_the_sign_of_its_changes(view, figures):
    (said,) = [note for note in view.summary.notes if "moved together" in note]
    changes = [figures.change(name, "false_omission_rate") for name in figures.tables.names]
    assert [change < 0 for change in changes] == ["by −" in said] * 3


def test_lines_of_classifiers_show_the_scores_of_the_scorecard(view):
    """And the chart of flags is that of the classifier that broke."""
    scores = {(one.classifier, one.metric): one for one in view.scores}
    assert {row.name for row in view.summary.rows} == {one.classifier for one in view.scores}
    for row in view.summary.rows:
        assert list(row.scores) == [scores[row.name, metric] for metric in view.summary.metrics]
    assert view.summary.flags is view.summary.rows[0].flags
    assert view.summary.flags.classifier == "lr"


def test_flags_are_those_that_were_counted_of_the_input_and_change_by_their_share(view, figures):
    tables = figures.tables
    profiles = [json.loads(one["profile"])["columns"] for one in tables.judged[-len(view.cycles) + 1 :]]
    for row in view.summary.rows:
        flags = row.flags
        assert list(flags.counts) == [columns[row.name]["positives"] for columns in profiles]
        usual = figures.flags(tables.judged[-len(profiles) :], row.name)["usual"]
        assert flags.change == pytest.approx((flags.counts[-1] - usual) / usual, rel=1e-9)
    assert len({row.flags.counts for row in view.summary.rows}) == 3


def test_the_seed_is_that_of_the_draws(view, figures):
    """Whoever knows the seed finds the random number of each item that was drawn."""
    seed = PANEL.seed_of(view.window)
    assert view.method.seed == figures.tables.spec["seed"] == PANEL.seed
    assert all(one["digest"] == digest(seed, one["item"]) for one in figures.tables.draws(figures.cycle))


def test_every_number_that_is_changed_is_found(view, figures):
    """Each of them, one by one, is the only difference: a comparison that always agrees proves nothing."""
    whole = changed(view)
    compared = [leaf for leaf in leaves(view) if leaf.owner not in NOT_COMPARED and leaf.value is not None]
    assert [path for path, *_ in differences(whole, figures)] == [leaf.path for leaf in compared]
    assert len(compared) > 500


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        (lambda view: {"older": view.older + 1}, ["older"]),
        (lambda view: {"labels": replace(view.labels, used=view.labels.used - 1)}, ["labels.used"]),
        (lambda view: {"headline": replace(view.headline, more_wrong=0.0)}, ["headline.more_wrong"]),
        (lambda view: {"cost": replace(view.cost, needs=view.cost.needs[::-1])}, None),
        (
            lambda view: {"scores": (replace(view.scores[0], change=-view.scores[0].change), *view.scores[1:])},
            ["scores[0].change"],
        ),
    ],
)
def test_a_number_that_is_changed_is_found(view, figures, changes, where):
    found = [path for path, *_ in differences(replace(view, **changes(view)), figures)]
    assert found == where if where else len(found) > 1


def test_a_digit_of_a_sentence_that_is_changed_is_found(view, figures):
    """Of every line each number that is recomputed, with its last digit two more: a half may be rounded either way."""
    said = RecomputedSentences(figures)
    for line in first_screen(view):
        for (_, end), expected in zip(number_places(line), said.of(line), strict=True):
            more = f"{line[: end - 1]}{(int(line[end - 1]) + 2) % 10}{line[end:]}"
            assert expected is BY_ESTIMATOR or wrong_lines([more], figures) == [more]


def test_axes_hold_what_they_show(view):
    for trend in view.trends:
        ends = [end for point in trend.points if (one := point.estimate) for end in (one.low, one.high)]
        ends += [point.limit for point in trend.points if point.limit is not None]
        assert trend.scale.low - 1e-6 <= min(ends) < max(ends) <= trend.scale.high + 1e-6
        assert {one.scale for one in (*view.scores, *view.segments) if one.metric == trend.metric} == {trend.scale}


def test_estimates_lie_within_their_bounds(view):
    for row in view.missing.bounds:
        bounds, found = row.bounds, row.estimate
        assert bounds.low <= bounds.lowest <= found.value <= bounds.highest <= bounds.high


def test_what_is_played_shows_every_kind_of_number(view):
    """Numbers that are all 0 or all alike would be found by a wrong formula as well."""
    assert all(max(getattr(row.labels, kind) for row in view.cycles) for kind in ("skipped", "open", "expired"))
    assert all(row.labels.reused for row in view.cycles)
    assert max(row.revision or 0 for row in view.cycles) > 1
    assert view.older
    assert view.headline.more_wrong > 1
    assert any(one.windows > 1 for score in view.scores for one in score.outlooks)
    assert [len(trend.marks) for trend in view.trends] == [1, 1, 1, 0, 0, 0, 0, 0, 0]
    assert [row.flags.since is None for row in view.summary.rows] == [False, True, True]
    assert len(view.next_window.rows) == 6
