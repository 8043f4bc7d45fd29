"""What is to be seen on a page without a click: little of a quiet panel, and few numbers before the scorecard."""

import re
from html.parser import HTMLParser

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.model.alarm_records import Notification
from stratawatch.report.page import panel_page
from stratawatch.report.view import build
from tests.support.report_quarter import NOW, Memory, cycle, estimate, input_profile, known, spec, stream

MOST_NUMBERS = 80
_NUMBER = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d [+-]\d\d:\d\d)?|\d+(?:[.,]\d+)*")
"""A date or a moment is one."""


class Seen(HTMLParser):
    """The words of a page outside of what is folded and of pictures, and the tags there."""

    VOID = frozenset({"meta", "br", "img", "link", "hr", "input"})

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.tags = [], [], []
        self.feed(text)

    @property
    def is_folded(self):
        return "folded" in self.open

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            is_folded = tag == "details" and "open" not in dict(attrs)
            self.open.append("folded" if is_folded else tag)
        if not self.is_folded:
            self.tags.append((tag, dict(attrs).get("class", "")))

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            self.open.pop()

    def handle_data(self, data):
        is_summary = self.is_folded and self.open[-1] == "summary"
        if not {"style", "title", "svg"} & {*self.open} and (is_summary or not self.is_folded):
            self.words.append(data.strip())

    @property
    def text(self):
        return " ".join(word for word in self.words if word)


def numbers(text):
    return _NUMBER.findall(text)


def quiet():
    """Two windows in which all is well, and word of the first of them."""
    memory = Memory(spec())
    names = [one.name for one in memory.panel.classifiers]
    for week in (0, 1):
        made = [estimate(name, metric, known(0.86, 0.02)) for name in names for metric in ("precision", "recall")]
        states = [(stream(name, "precision"), AlarmState.OK, "so it is") for name in names]
        memory.judge(cycle(week, profile=input_profile(1000)), made, states)
    memory.notifications.append(
        Notification("n", "stratawatch:toxicity:1", "mail", "report", "Report", "", {"panel": "toxicity"}, NOW, id=1)
    )
    return memory


def page_of(memory):
    return panel_page(build(memory, memory.panel, NOW))


@pytest.fixture(scope="module")
def seen():
    return Seen(page_of(quiet()))


class TestAQuietPanel:
    def test_says_that_nothing_needs_attention_and_shows_a_line_for_each_classifier(self, seen):
        assert "Nothing needs attention" in seen.text
        assert seen.text.index("Classifiers") < seen.text.index("Scorecard")
        assert [name for tag, name in seen.tags if tag == "table"] == ["cards first"]

    def test_folds_the_scorecard_trends_cycles_and_notifications(self, seen):
        for folded in (
            "Scorecard: intervals, limits, labels",
            "All classifiers: no trouble in these windows",
            "2 cycles: every window was judged, and nothing was odd about its input",
            "1 notification, none failed",
        ):
            assert folded in seen.text
        assert not [name for tag, name in seen.tags if tag == "figure" or name == "chart"]

    def test_has_nothing_of_a_breach(self, seen):
        assert not [name for _, name in seen.tags if name in ("breachchart", "told")]

    def test_opens_cycles_where_input_was_odd(self):
        memory = quiet()
        memory.cycles[1] = cycle(1, profile=input_profile(1000, warnings=["half of the items are new"]))
        shown = Seen(page_of(memory)).text
        assert "half of the items are new" in shown
        assert "nothing was odd about its input" not in shown

    def test_opens_the_trends_of_a_classifier_that_was_in_trouble(self):
        memory = quiet()
        memory.judge(
            cycle(2),
            [estimate("nb", "precision", known(0.7, 0.02))],
            [(stream(), AlarmState.AT_RISK, "it may be outside")],
        )
        shown = Seen(page_of(memory))
        assert [name for tag, name in shown.tags if name == "chart"]


class TestNumbers:
    def test_before_the_scorecard_are_few_on_the_page_of_a_breach(self, broken_weeks):
        view, _ = broken_weeks
        before, _, _ = Seen(panel_page(view)).text.partition("Scorecard:")
        assert len(before) > 1000
        assert 20 < len(numbers(before)) <= MOST_NUMBERS

    def test_are_counted_as_people_do(self):
        said = "2026-02-16: 1,234 of 95.5%, made 2026-02-23 07:00 +00:00, 3 flags"
        assert numbers(said) == ["2026-02-16", "1,234", "95.5", "2026-02-23 07:00 +00:00", "3"]

    def test_that_are_folded_are_not_seen(self):
        folded, opened = "<details><summary>2</summary>3</details>", "<details open><summary>4</summary>5</details>"
        assert numbers(Seen(f"<p>1</p>{folded}{opened}<svg><text>6</text></svg>").text) == ["1", "2", "4", "5"]
