"""The two charts of a breach: names that are escaped and apart, gaps in lines, the same bytes for the same facts."""

import itertools
import re
from dataclasses import replace
from importlib.resources import files

import pytest

from stratawatch.core.goals import Limit
from stratawatch.report.breach_charts import HEIGHT, flags_svg, flags_title, places_svg, places_title
from stratawatch.report.breach_rows import FlagCounts, Place, PlacesChart
from tests.support.report_quarter import cycle

STARTS = tuple(cycle(week).window.start for week in range(4))
FLOOR = Limit("precision", floor=0.78)


def places(*several, metric="precision", limit=FLOOR, since=STARTS[2]):
    return PlacesChart("nb", metric, STARTS, several, limit, since)


def place(name, *values, moved=False):
    return Place(name, moved, values or (0.8, 0.81, 0.79, 0.8))


def flags(*counts, usual=100.0, since=STARTS[2]):
    return FlagCounts("nb", STARTS, counts or (100, 100, 150, 160), usual, since)


def lines(svg, look):
    return re.findall(rf'<path d="([^"]+)" class="{look}"', svg)


def names(svg):
    """The words right of the lines, with their height."""
    return [(float(y), name) for y, name in re.findall(r'<text x="268" y="([\d.]+)" class="\w+">([^<]+)</text>', svg)]


class TestNames:
    def test_are_escaped(self):
        svg = places_svg(places(place("region=<b>&\"'", moved=True)))
        assert "&lt;b&gt;&amp;&quot;&#x27;" in svg
        assert "<b>" not in svg

    def test_do_not_lie_on_one_another_and_stay_inside(self):
        alike = [place(f"region=r{number}", 0.8, 0.8, 0.8, 0.5 + number / 1000) for number in range(5)]
        found = names(places_svg(places(*alike)))
        assert {name for _, name in found} == {*(f"region=r{number}" for number in range(5)), "allowed"}
        heights = sorted(y for y, _ in found)
        assert min(below - above for above, below in itertools.pairwise(heights)) >= 13 - 0.1
        assert 0 < heights[0] < heights[-1] <= HEIGHT - 10

    def test_stand_in_the_order_of_their_lines(self):
        worse, better = place("region=south", 0.8, 0.8, 0.8, 0.5), place("region=north", 0.8, 0.8, 0.8, 0.9)
        found = {name: y for y, name in names(places_svg(places(better, worse)))}
        assert found["region=south"] < found["allowed"] < found["region=north"]  # more wrong is higher

    def test_of_a_place_that_moved_it_have_its_newest_value_as_what_is_wrong(self):
        svg = places_svg(places(place("region=south", 0.8, 0.8, 0.8, 0.42, moved=True), place("region=north")))
        assert {name for _, name in names(svg)} == {"58% region=south", "region=north", "allowed"}

    def test_have_no_value_where_the_newest_window_has_none(self):
        svg = places_svg(places(place("region=south", 0.8, 0.8, 0.42, None, moved=True)))
        assert "region=south" in {name: y for y, name in names(svg)}

    def test_are_not_there_for_a_place_without_any_value(self):
        assert "north" not in places_svg(places(place("region=north", None, None, None, None), place("region=south")))


class TestLines:
    def test_have_gaps_where_nothing_could_be_told(self):
        (whole,) = lines(places_svg(places(place("region=south"))), "calm")
        (broken,) = lines(places_svg(places(place("region=south", 0.8, None, 0.8, 0.8))), "calm")
        assert (whole.count("M"), whole.count("L")) == (1, 3)
        assert (broken.count("M"), broken.count("L")) == (2, 1)

    def test_of_one_window_are_points(self):
        (alone,) = lines(places_svg(places(place("region=south", None, None, None, 0.8))), "calm")
        assert re.fullmatch(r"M[\d.]+ [\d.]+h0", alone)

    def test_of_those_that_moved_it_stand_out(self):
        svg = places_svg(places(place("region=south", moved=True), place("region=north"), place("region=east")))
        assert (len(lines(svg, "hit")), len(lines(svg, "calm"))) == (1, 2)

    def test_show_the_limit_and_since_when_where_these_are_known(self):
        svg = places_svg(places(place("region=south")))
        assert (len(lines(svg, "limit")), len(lines(svg, "since"))) == (1, 1)
        assert ">19 Jan</text>" in svg
        bare = places_svg(places(place("region=south"), limit=None, since=None))
        assert (len(lines(bare, "limit")), len(lines(bare, "since"))) == (0, 0)
        assert "allowed" not in bare

    def test_of_a_ceiling_run_as_the_metric_does(self):
        ceiling = Limit("false_omission_rate", ceiling=0.02)
        worse = place("region=south", 0.01, 0.01, 0.01, 0.05)
        svg = places_svg(places(worse, metric="false_omission_rate", limit=ceiling))
        found = {name: y for y, name in names(svg)}
        assert found["region=south"] < found["allowed"]

    def test_of_flags_all_0_are_drawn(self):
        assert len(lines(flags_svg(flags(0, 0, 0, 0)), "hit")) == 1


class TestTitles:
    def test_name_the_places_that_moved_it(self):
        several = place("region=south", moved=True), place("region=north"), place("region=west", moved=True)
        assert places_title(places(*several)) == "Wrong share of nb by window: region=south and region=west moved it"

    @pytest.mark.parametrize(
        ("newest", "said"),
        [
            (160, "nb flags 60% more in the newest window than before"),
            (40, "nb flags 60% fewer in the newest window than before"),
            (109, "Flags of nb: much as before"),
        ],
    )
    def test_say_by_how_much_flags_changed(self, newest, said):
        assert flags_title(flags(100, 100, 150, newest)) == said

    def test_say_no_change_where_nothing_is_known_before(self):
        assert flags_title(flags(usual=None)) == "Flags of nb"
        assert flags_title(flags(usual=0.0)) == "nb flags 160 items, none before"


@pytest.mark.parametrize(
    ("draw", "chart"), [(places_svg, places(place("region=south", moved=True))), (flags_svg, flags())]
)
def test_the_same_facts_give_the_same_bytes_and_others_do_not(draw, chart):
    assert draw(chart) == draw(replace(chart))
    assert draw(chart) != draw(replace(chart, since=STARTS[1]))


def test_every_look_is_in_the_style_of_the_page_and_none_in_the_picture():
    svg = places_svg(places(place("region=south", moved=True), place("region=north"))) + flags_svg(flags())
    looks = set(re.findall(r'class="(\w+)"', svg))
    assert looks == {"breachchart", "axis", "since", "limit", "hit", "calm", "quiet"}
    assert "style" not in svg
    sheet = files("stratawatch.report").joinpath("page.css").read_text(encoding="utf-8")
    assert all(f".chart .{look} {{" in sheet for look in looks - {"quiet"})
    assert all(f".chart text.{look}" in sheet for look in ("hit", "calm", "quiet"))
