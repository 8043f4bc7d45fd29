"""Charts: what is marked, what is left out, and that nothing global is touched."""

import re
from dataclasses import replace
from importlib.resources import files

import matplotlib as mpl
import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.report.trend_chart import trend_svg
from stratawatch.report.view_models import Point, Scale, Trend
from tests.support.programs import loaded
from tests.support.report_quarter import known, window


def point(period, value=0.8, state=AlarmState.OK, limit=0.78, **changes):
    return Point(window(period), known(value, 0.03) if value is not None else None, state, limit, **changes)


def trend(*points):
    return Trend("nb", "precision", "floor", points, Scale(0.6, 1.0))


def marks(svg, look):
    return len(re.findall(rf'<path [^>]*class="{look}"', svg))


class TestMarks:
    def test_every_breach_is_marked_and_nothing_else(self):
        svg = trend_svg(trend(point(0), point(1, 0.7, AlarmState.BREACH), point(2, 0.69, AlarmState.BREACH)))
        assert (marks(svg, "breach"), marks(svg, "risk")) == (2, 0)

    def test_at_risk_has_its_own_mark(self):
        svg = trend_svg(trend(point(0), point(1, 0.77, AlarmState.AT_RISK)))
        assert (marks(svg, "breach"), marks(svg, "risk")) == (0, 1)

    def test_windows_that_cannot_be_told_and_those_under_way_have_different_signs(self):
        svg = trend_svg(trend(point(0), point(1, None), point(2, None, under_way=True)))
        words = re.findall(r"<text[^>]*>([^<]+)</text>", svg)
        assert (words.count("?"), words.count("…")) == (1, 1)


class TestLines:
    def lines(self, svg, look):
        return re.findall(rf'<path d="([^"]+)" class="{look}"', svg)

    def test_the_line_does_not_cross_a_gap(self):
        whole = self.lines(trend_svg(trend(point(0), point(1), point(2), point(3))), "value")
        broken = self.lines(trend_svg(trend(point(0), point(1), point(2, None), point(3))), "value")
        assert [line.count("L") for line in whole] == [3]
        assert [line.count("L") for line in broken] == [1, 0]

    def test_the_limit_follows_its_changes(self):
        svg = trend_svg(trend(point(0), point(1), point(2, limit=0.7), point(3, limit=0.7)))
        assert len(self.lines(svg, "limit")) == 2

    def test_without_a_limit_there_is_no_limit_line(self):
        assert not self.lines(trend_svg(trend(point(0, limit=None), point(1, limit=None))), "limit")


class TestText:
    def test_is_the_bare_element_without_prologue_or_metadata(self):
        svg = trend_svg(trend(point(0), point(1)))
        assert svg.startswith("<svg")
        assert svg.rstrip().endswith("</svg>")
        assert "metadata" not in svg
        assert "<style" not in svg  # it would style the whole page
        assert "style=" not in svg  # pages that are served allow none
        assert "<?xml" not in svg

    def test_axis_labels_are_text_in_percent(self):
        assert ">80%</text>" in trend_svg(trend(point(0), point(1)))

    def test_scales_with_the_page(self):
        head = trend_svg(trend(point(0))).split(">", 1)[0]
        assert "viewBox" in head
        assert not re.search(r'\s(width|height)="', head)

    def test_windows_of_hours_are_named_with_their_hour(self):
        hour = window(0).start.replace(hour=5)
        hourly = replace(point(0), window=replace(window(0), start=hour))
        assert "05 Jan 05:00" in trend_svg(trend(hourly))

    @pytest.mark.parametrize("number", [1, 2, 13, 60])
    def test_names_at_most_five_windows_and_always_the_newest(self, number):
        svg = trend_svg(trend(*[point(period) for period in range(number)]))
        named = re.findall(r">(\d\d \w{3})</text>", svg)
        assert 1 <= len(named) <= 5
        assert named[-1] == f"{window(number - 1).start:%d %b}"


def test_every_look_is_in_the_style_of_the_page():
    every = [point(0), point(1, None), point(2, 0.7, AlarmState.BREACH), point(3, 0.77, AlarmState.AT_RISK)]
    svg = trend_svg(trend(*(replace(one, baseline=known(0.8, 0.02)) for one in every)))
    sheet = files("stratawatch.report").joinpath("page.css").read_text(encoding="utf-8")
    looks = set(re.findall(r'class="(\w+)"', svg))
    assert looks == {
        "grid",
        "axis",
        "blank",
        "area",
        "reach",
        "value",
        "dot",
        "limit",
        "band",
        "base",
        "risk",
        "breach",
    }
    assert all(f".chart .{look} {{" in sheet for look in looks)


class TestNothingGlobal:
    def test_drawing_twice_gives_the_same_text(self):
        assert trend_svg(trend(point(0), point(1))) == trend_svg(trend(point(0), point(1)))

    def test_matplotlib_settings_are_left_as_they_were(self):
        before = dict(mpl.rcParams)
        trend_svg(trend(point(0)))
        assert dict(mpl.rcParams) == before

    def test_neither_pyplot_nor_any_drawing_library_is_loaded_before_it_is_needed(self):
        assert loaded("import stratawatch.report", ["matplotlib", "jinja2", "pandas"]) == set()
