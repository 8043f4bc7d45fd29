"""Baselines in the report: beside the value, behind the trend, and only where one is in force."""

from dataclasses import replace

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.goals import Limit
from stratawatch.engine.model.evidence_records import BaselineGrid
from stratawatch.engine.model.stored_baseline import StoredBaseline
from stratawatch.report.page import panel_page
from stratawatch.report.trend_chart import trend_svg
from stratawatch.report.view import build
from tests.support.report_quarter import MONDAY, NOW, WEEK, quarter, spec, stream

START = MONDAY + 4 * WEEK
BASELINE = StoredBaseline(
    key=stream(),
    call="pred_nb",
    cut_off=None,
    evidence=BaselineShare(0.83, 1200),
    method="past estimates, windows: 4, Wilson",
    n=1000,
    seed=None,
    source="4 judged windows, 2026-01-05 to 2026-02-02",
    confidence=0.95,
    valid_from=START,
    valid_until=None,
    measured_at=START + WEEK,
)
LIMITS = (Limit("precision", max_drop=0.02), Limit("recall", floor=0.62, max_drop=0.1))


def view_of(*baselines, **panel):
    memory = quarter()
    memory.panel = spec(limits=LIMITS, **panel)
    memory.baselines += baselines
    return build(memory, memory.panel, NOW)


def score_of(view, classifier="nb", metric="precision"):
    return next(score for score in view.scores if (score.classifier, score.metric) == (classifier, metric))


def trend_of(view, classifier="nb", metric="precision"):
    return next(trend for trend in view.trends if (trend.classifier, trend.metric) == (classifier, metric))


class TestView:
    def test_shows_it_beside_the_value_with_the_drop(self):
        found = score_of(view_of(BASELINE)).baseline
        assert (found.estimate.value, found.date, found.valid_from) == (0.83, "2026-02-09", START)
        assert found.moved.startswith("fell by 11.7 points (")

    def test_has_none_where_none_is_in_force(self):
        view = view_of(BASELINE)
        assert score_of(view, "lr").baseline is None
        assert score_of(view_of(replace(BASELINE, valid_until=START + WEEK))).baseline is None

    def test_is_the_one_that_its_state_was_judged_with(self):
        anew = replace(BASELINE, evidence=BaselineShare(0.7, 900), measured_at=NOW)
        assert score_of(view_of(BASELINE, anew)).baseline.estimate.value == 0.83
        assert score_of(view_of(anew)).baseline is None

    def test_of_a_classifier_that_said_yes_otherwise_is_not_shown(self):
        assert score_of(view_of(replace(BASELINE, call="score_nb >= 0.5"))).baseline is None

    def test_the_trend_has_it_in_the_windows_that_it_is_for(self):
        trend = trend_of(view_of(BASELINE))
        there = [point.baseline is not None for point in trend.points]
        assert there == [point.window.start >= START for point in trend.points]
        assert (trend.baseline.value, trend.limit_word, trend.points[-1].limit) == (0.83, "", None)

    def test_charts_are_wide_enough_for_it(self):
        low = replace(BASELINE, evidence=BaselineShare(0.3, 50))
        assert trend_of(view_of(low)).scale.low < 0.2
        assert trend_of(view_of()).scale.low > 0.5

    def test_the_segment_that_fell_most_is_named_though_there_is_no_floor(self):
        memory = quarter()
        memory.panel = spec(limits=LIMITS)
        said = build(memory, memory.panel, NOW).headline
        assert said.state == AlarmState.BREACH
        assert any("is worst in region=south: 58.1%" in line for line in said.details)


class TestChart:
    def test_draws_a_band_for_every_baseline(self):
        one = trend_svg(trend_of(view_of(BASELINE)))
        later = replace(BASELINE, evidence=BaselineShare(0.8, 900), valid_from=START + 3 * WEEK)
        two = trend_svg(trend_of(view_of(replace(BASELINE, valid_until=later.valid_from), later)))
        none = trend_svg(trend_of(view_of()))
        assert [text.count('class="band"') for text in (none, one, two)] == [0, 1, 2]


class TestPage:
    @pytest.fixture
    def page(self):
        return " ".join(panel_page(view_of(BASELINE)).split())

    def test_says_what_it_was_from_when_and_how_far_it_fell(self, page):
        assert (
            "Baseline 83.0% (80.8 to 85.0) of 2026-02-09, from 4 judged windows, 2026-01-05 to 2026-02-02; "
            "in force from 2026-02-02 until further notice. Since then the metric fell by 11.7 points ("
        ) in page
        assert "baseline, with its interval" in page
        assert '<span class="quiet">baseline 83.0%</span>' in page

    def test_says_where_falls_from_it_do_not_add_up(self, page):
        alone = "Each window is judged against it by itself."
        adds_up = replace(BASELINE, grid=BaselineGrid((0.8, 0.85), (0.01,), ((0.5, -0.5),), windows=4))
        assert alone in page
        assert alone not in panel_page(view_of(adds_up))

    def test_says_what_drop_is_allowed_beside_a_floor_or_alone(self, page):
        assert "<span>fall 2 pts</span>" in page
        assert 'floor 62.0%<span class="under">fall 10 pts</span>' in page

    def test_says_nothing_of_baselines_where_there_are_none(self):
        page = panel_page(view_of()).split("<body>")[1]
        what_to_do = page.index('<section id="what-to-do')
        assert "aseline" not in page[:what_to_do] + page[page.index("</section>", what_to_do) :]

    def test_says_until_when(self):
        ending = panel_page(view_of(replace(BASELINE, valid_until=MONDAY + 20 * WEEK)))
        assert "in force from 2026-02-02 until 2026-05-25." in ending
