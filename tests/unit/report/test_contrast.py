"""Words on a coloured ground can be read, and marks seen: 4.5 and 3 to 1, as WCAG 2.2 asks of such text and of graphics."""

import re
from importlib.resources import files

import pytest

from stratawatch.chart_colours import BLUE, DARK_ORANGE, GREEN, INK, VERMILLION
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.report.wording import css_class

CSS, DARK = re.fullmatch(
    r"(.*)@media screen and \(prefers-color-scheme: dark\) \{\n(.*?\n)\}\n@media print.*",
    files("stratawatch.report").joinpath("page.css").read_text(encoding="utf-8"),
    re.DOTALL,
).groups()
BY_DAY, BY_NIGHT = (dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", sheet)) for sheet in (CSS, DARK))


def colours(selector, sheet=CSS, paper="#ffffff"):
    """What a rule says of colour and ground; both are the paper and the rule's own ink where it says nothing."""
    (rule,) = re.findall(rf"(?:^ *|\}} ?){re.escape(selector)} \{{([^}}]*)\}}", sheet, re.MULTILINE)
    said = dict(part.split(": ", 1) for part in rule.strip().rstrip(";").split("; "))
    return said["color"], said.get("background", paper)


def luminance(colour):
    digits = colour.lstrip("#")
    digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first, second):
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def test_the_measure_is_that_of_the_standard():
    assert contrast("#fff", "#000") == pytest.approx(21)
    assert contrast("#fff", "#d55e00") == pytest.approx(3.87, abs=0.01)


@pytest.mark.parametrize("state", AlarmState)
def test_the_badge_of_every_state_can_be_read(state):
    assert contrast(*colours(f".badge.{css_class(state)}")) >= 4.5
    assert contrast(*colours(f".badge.{css_class(state)}", DARK, BY_NIGHT["paper"])) >= 4.5


@pytest.mark.parametrize("ground", ["paper", "soft"])
@pytest.mark.parametrize("ink", ["ink", "quiet", "blue"])
def test_words_can_be_read_by_day_and_by_night(ink, ground):
    for named in (BY_DAY, BY_NIGHT):
        assert contrast(named[ink], named[ground]) >= 4.5


@pytest.mark.parametrize("mark", ["blue", "vermillion", "orange", "green", "purple"])
def test_marks_can_be_seen_by_night(mark):
    assert contrast(BY_NIGHT[mark], BY_NIGHT["paper"]) >= 3


@pytest.mark.parametrize("state", AlarmState)
def test_words_on_the_ground_of_every_state_can_be_read_by_night(state):
    (ground,) = re.findall(rf"\.headline\.{css_class(state)} \{{ background: (#[0-9a-f]{{6}});", DARK)
    assert contrast(BY_NIGHT["ink"], ground) >= 4.5
    assert contrast(BY_NIGHT["blue"], ground) >= 4.5


def test_both_have_the_same_names():
    assert set(BY_DAY) == set(BY_NIGHT)


@pytest.mark.parametrize("colour", [BLUE, GREEN, INK, DARK_ORANGE, VERMILLION])
def test_the_marks_of_charts_can_be_seen_on_white(colour):
    assert contrast(colour, "#fff") >= 3


def test_the_page_has_the_colours_of_the_charts():
    named = BY_DAY
    pairs = {"blue": BLUE, "green": GREEN, "orange": DARK_ORANGE, "vermillion": VERMILLION}
    assert {name: named[name] for name in pairs} == {name: colour.lower() for name, colour in pairs.items()}
