"""The page: self-contained, escaped, the same bytes for the same facts."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from stratawatch.core.alarms.alarm_states import MEANINGS, AlarmState
from stratawatch.core.estimate import Undefined
from stratawatch.core.population import Segment
from stratawatch.engine.model.panel_links import PanelLinks
from stratawatch.report.page import index_page, panel_page
from stratawatch.report.view import build
from tests.support.report_quarter import NOW, Memory, cycle, estimate, known, quarter, spec, stream

EVIL = "<script>alert('x')</script>\"'&"


class Reader(HTMLParser):
    """Collects elements, their attributes and whether every one is closed."""

    VOID = frozenset({"meta", "br", "img", "link", "hr", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.open, self.wrong, self.words = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.words.append(data)


def render(memory):
    return panel_page(build(memory, memory.panel, NOW))


@pytest.fixture(scope="module")
def page():
    return render(quarter())


class TestSelfContained:
    def test_every_element_is_closed_in_order(self, page):
        read = Reader(page)
        assert (read.wrong, read.open) == ([], [])

    def test_has_no_script_and_loads_nothing(self, page):
        read = Reader(page)
        assert not {tag for tag, _ in read.tags} & {"script", "link", "img", "iframe", "object", "embed", "form"}
        for _, attributes in read.tags:
            assert not any(name.startswith("on") for name in attributes)
            assert not attributes.get("src")
            assert not re.search(r"url\((?!#)", attributes.get("style") or "")
        assert "@import" not in page

    def test_forbids_the_rest_by_its_own_policy(self, page):
        policy = next(a["content"] for t, a in Reader(page).tags if t == "meta" and "http-equiv" in a)
        assert policy.startswith("default-src 'none';")
        assert "script-src" not in policy

    def test_links_go_to_the_data_docs_only(self, page):
        links = {a["href"] for t, a in Reader(page).tags if t == "a"}
        assert links == {f"../checks/toxicity/p{period:05d}/index.html" for period in range(11)}

    def test_two_charts_never_share_an_id_with_another_meaning(self, page):
        elements = re.findall(r'<(\w+) id="([^"]+)"([^>]*)>', page)
        meaning = {}
        for tag, name, rest in elements:
            assert meaning.setdefault(name, (tag, rest)) == (tag, rest)

    def test_weighs_less_than_half_a_megabyte(self, page):
        assert len(page.encode()) < 500_000


class TestWords:
    def test_the_headline_comes_before_every_number(self, page):
        assert page.index("Precision of nb: 70.9%") < page.index("<h2>Classifiers</h2>")

    def test_every_state_has_its_own_meaning(self):
        assert set(MEANINGS) == set(AlarmState)
        assert len(set(MEANINGS.values())) == len(AlarmState)

    def test_a_state_is_a_symbol_and_a_word_and_not_only_a_colour(self, page):
        text = "".join(Reader(page).words)
        assert "✖ BREACH" in text
        assert "✓ OK" in text

    def test_times_carry_their_offset(self, page):
        assert "Made 2026-03-23 07:00 +00:00." in "".join(Reader(page).words)

    def test_charts_can_be_read_aloud(self, page):
        labels = [a["aria-label"] for t, a in Reader(page).tags if a.get("class") == "chart"]
        assert len(labels) == 12
        assert "2026-01-26 unknown (column &#39;score_nb&#39; is missing" in page
        assert "2026-03-16 unknown (the cycle is labelling)" in labels[0]

    def test_plain_sampling_stands_beside_the_labels_used_with_its_formula(self, page):
        text = " ".join("".join(Reader(page).words).split())
        assert "891 labels were used" in text
        assert "n = z² θ (1 − θ) / h²" in text
        assert "or what Wilson's interval needs where that is more, as near 0% and 100%" in text
        assert "of an endless population that would estimate the value as precisely, at most the metric's whole" in text


class TestTheSentenceOfAState:
    """A floor of 78%."""

    def page(self, state, value, half=0.05):
        memory = Memory(spec())
        made = [estimate("nb", "precision", known(value, half))]
        memory.judge(cycle(0), made, [(stream(), state, "over the last 4 windows it is so")])
        return render(memory)

    @pytest.mark.parametrize(("state", "value"), [(AlarmState.UNPROVEN, 0.8), (AlarmState.AT_RISK, 0.75)])
    def test_stands_below_a_score_that_is_not_ok(self, state, value):
        assert '<tr class="more"><td colspan="7">Over the last 4 windows it is so.</td></tr>' in self.page(state, value)

    def test_stands_below_one_that_several_windows_prove(self):
        assert "Over the last 4 windows it is so." in self.page(AlarmState.OK, 0.8)

    def test_is_left_out_where_the_bar_shows_it(self):
        assert "Over the last 4 windows it is so." not in self.page(AlarmState.OK, 0.9)


class TestARefusedWindow:
    def test_says_its_reason_once_and_the_last_known_value_in_every_row(self):
        memory = quarter()
        memory.cycles.pop()
        memory.draws[11].clear()
        memory.refuse(cycle(10), "the window has no rows", [stream()])
        read = Reader(render(memory))
        text = " ".join("".join(read.words).split())
        score = text[text.index("Scorecard") : text.index("Trends")]
        assert "the window has no rows" not in score
        assert score.count("The window was refused. Last estimate") == 12
        assert "its input was refused (the window has no rows)" in text


class TestHostileText:
    def test_names_questions_reasons_and_segments_are_never_markup(self):
        memory = Memory(spec(name="toxicity", question=EVIL, source=EVIL))
        name = replace(memory.panel.classifiers[0], name=EVIL)
        memory.panel = replace(memory.panel, classifiers=(name,), limits=(), goals=())
        memory.judge(cycle(0, reason=EVIL, last_error=EVIL), [estimate(EVIL, "precision", known(0.8, 0.02))])
        memory.judge(cycle(1), [estimate(EVIL, "precision", Undefined(EVIL))], [(stream(EVIL), AlarmState.BLIND, EVIL)])
        page = render(memory)
        read = Reader(page)
        assert "script" not in {tag for tag, _ in read.tags}
        assert (read.wrong, read.open) == ([], [])
        assert page.count("&lt;script&gt;") >= 5

    def test_what_labellers_see_never_enters_the_page(self, page):
        assert "secret words" not in page

    def test_control_characters_of_names_are_blanks(self):
        memory = Memory(spec())
        name = replace(memory.panel.classifiers[0], name="a\x1b[31m\x00b\x85c")
        memory.panel = replace(memory.panel, classifiers=(name,), limits=(), goals=())
        memory.judge(cycle(0), [estimate(name.name, "precision", known(0.8, 0.02))])
        page = render(memory)
        assert "a [31m b c" in page
        assert not set(page) & {chr(code) for code in (*range(9), *range(11, 32), *range(127, 160))}

    def test_a_dollar_sign_in_a_name_is_not_mathematics(self):
        memory = Memory(spec())
        memory.panel = replace(memory.panel, classifiers=(replace(memory.panel.classifiers[0], name="$\\frac"),))
        memory.judge(cycle(0), [estimate("$\\frac", "precision", known(0.8, 0.02))])
        assert "$\\frac" in render(memory)

    @pytest.mark.parametrize("text", ["`<script>x</script>`", "`a` <script> `b`", "`</code><script>`", "`one"])
    def test_nor_are_they_between_backticks(self, text):
        memory = quarter()
        memory.refuse(cycle(12), text, [stream()])
        read = Reader(render(memory))
        assert "script" not in {tag for tag, _ in read.tags}
        assert (read.wrong, read.open) == ([], [])


class TestCommands:
    def test_are_code_where_a_sentence_names_them(self):
        memory = quarter()
        memory.refuse(cycle(12), "column 'score_nb' is missing; `stratawatch check` says more", [stream()])
        page = render(memory)
        assert "is missing; <code>stratawatch check</code> says more" in page
        assert "`" not in "".join(Reader(page).words)


class TestSameFactsSameBytes:
    def test_rendering_twice_gives_the_same_text(self, page):
        assert render(quarter()) == page


class TestOddPanels:
    def test_an_empty_store_makes_a_page(self):
        page = render(Memory(spec()))
        assert "No window has been opened yet." in page
        assert "Nothing was estimated" in page

    def test_a_panel_without_goals_and_limits_makes_a_page(self):
        assert "Nothing has been estimated" in render(Memory(spec(goals=(), limits=())))

    def test_many_segments_are_folded_away(self):
        memory = quarter()
        segments = [
            type(e.segment)("region", f"r{i:02d}") for i in range(20) for e in memory.revisions[10].estimates[1:2]
        ]
        more = tuple(estimate("nb", "precision", known(0.8, 0.05), segment) for segment in segments)
        memory.revisions[10] = replace(memory.revisions[10], estimates=memory.revisions[10].estimates + more)
        assert "<summary>28 rows</summary>" in render(memory)

    def test_segments_that_a_design_does_not_serve_are_one_sentence(self):
        memory = Memory(spec(limits=()))
        found = [estimate(name, "precision", known(0.8, 0.02)) for name in ("lr", "nb")]
        places = [Segment("region", name) for name in ("north", "south")]
        silent = [
            estimate(name, "precision", Undefined("no <word>"), where) for name in ("lr", "nb") for where in places
        ]
        memory.judge(cycle(0), [*found, *silent])
        page = render(memory)
        assert "Nothing is estimated in them: no &lt;word&gt;." in page
        assert "region=north" not in page
        memory.judge(cycle(1), [*found, *silent[:-1], estimate("nb", "precision", known(0.7, 0.1), places[1])])
        assert "region=north" in render(memory)

    def test_one_window_alone_is_drawn(self):
        memory = Memory(spec())
        memory.judge(cycle(0), [estimate("nb", "precision", known(0.8, 0.02))])
        assert render(memory).count('<div class="chart"') == 1


class TestIndex:
    def test_lists_every_panel_with_its_headline_and_link(self):
        memory = quarter()
        view = build(memory, memory.panel, NOW)
        text = index_page([(view, "toxicity/latest.html"), (replace(view, panel=EVIL), "evil/latest.html")])
        read = Reader(text)
        assert [a["href"] for t, a in read.tags if t == "a"] == ["toxicity/latest.html", "evil/latest.html"]
        assert "script" not in {t for t, _ in read.tags}
        assert text.count("Precision of nb: 70.9%") == 2


class TestClusters:
    def test_are_told_in_words_with_the_score_they_cost_most(self):
        memory = quarter()
        memory.panel = replace(memory.panel, columns=replace(memory.panel.columns, cluster="customer"))
        newest = max(memory.revisions)
        effects = (1.54, 0.9)
        memory.revisions[newest] = replace(
            memory.revisions[newest],
            estimates=tuple(
                replace(one, deff=effects[place] if place < 2 else 1.0, labels_used=800)
                for place, one in enumerate(memory.revisions[newest].estimates)
            ),
        )
        page = render(memory)
        first = memory.revisions[newest].estimates[0]
        assert (
            f"Labels come in clusters, by the column customer: the interval of {first.metric} of {first.classifier} "
            "counts 800 labels as at most 519. "
            "Intervals are about clusters to come whose scores and calls are like these."
        ) in page
        assert page.count('800<span class="under">as 519</span>') == 1

    def test_that_cost_nothing_are_told_too(self):
        memory = quarter()
        memory.panel = replace(memory.panel, columns=replace(memory.panel.columns, cluster="customer"))
        newest = max(memory.revisions)
        estimates = tuple(replace(one, deff=1.0) for one in memory.revisions[newest].estimates)
        memory.revisions[newest] = replace(memory.revisions[newest], estimates=estimates)
        assert "by the column customer; they are worth as much as labels of their own." in render(memory)

    def test_that_nobody_named_are_not_mentioned(self, page):
        assert "clusters" not in page


class TestMistakes:
    def test_the_command_that_lists_those_of_the_worst_classifier_stands_below_the_scorecard(self, page):
        assert "<code>stratawatch mistakes toxicity --classifier nb</code>" in page

    def test_names_are_quoted_for_the_shell(self):
        memory = quarter()
        view = build(memory, memory.panel, NOW)
        assert replace(view, panel="my panel").mistakes_command == "stratawatch mistakes 'my panel' --classifier nb"

    def test_nothing_is_to_be_typed_before_anything_is_estimated(self):
        assert "Which items a classifier got wrong" not in render(Memory(spec()))


def test_what_was_measured_of_a_chosen_method_is_told(page):
    memory = quarter()
    memory.panel = replace(memory.panel, variance="brr")
    warned = render(memory)
    assert "<strong>Intervals of variance = &#39;brr&#39; are too narrow" in warned
    assert "expected for the whole panel, as far as intervals hold what they promise." in warned
    assert "too narrow" not in page
    assert "expected for the whole panel." in page


class TestLeads:
    def render(self, **links):
        view = replace(build(memory := quarter(), memory.panel, NOW), links=PanelLinks(**links))
        return panel_page(view)

    def test_are_shown_and_addresses_can_be_clicked(self):
        text = self.render(owner="mailto:ops@example.org", runbook="https://wiki.example.org/a?b=1&c=2")
        links = [attrs["href"] for tag, attrs in Reader(text).tags if tag == "a" and "href" in attrs]
        assert {"mailto:ops@example.org", "https://wiki.example.org/a?b=1&c=2"} <= set(links)
        assert "Runbook: " in "".join(Reader(text).words)

    def test_are_escaped_and_run_nothing(self):
        text = self.render(owner=EVIL, runbook="javascript:alert('x')")
        read = Reader(text)
        assert EVIL in read.words
        assert "javascript:alert('x')" in read.words
        assert not [attrs for tag, attrs in read.tags if tag == "script" or "javascript" in attrs.get("href", "")]

    def test_do_not_lead_to_the_page_itself(self):
        assert "https://reports.example.org" not in self.render(report_url="https://reports.example.org/latest.html")

    def test_are_not_there_where_none_are_said(self, page):
        assert "Owner:" not in page
