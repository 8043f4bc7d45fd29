"""The report speaks of labels, limits and intervals; how it was counted stands in a folded section at its end."""

import re
from dataclasses import replace

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.designs.missing_bounds import MissingBounds
from stratawatch.core.estimation.missing_answers import AnswerCounts
from stratawatch.engine.evidence.cut_off_text import CutOffRow
from stratawatch.formatting import READ_AS, count
from stratawatch.report.page import index_page, panel_page
from stratawatch.report.table_rows import BoundsRow, CorrectedRow, CutOffsView, LabelErrorsView, MissingView
from stratawatch.report.view import build
from tests.support.method_words import method_words_in
from tests.support.report_quarter import NOW, quarter

COUNTED = '<details class="counted">'


@pytest.fixture(scope="module")
def view():
    """A panel of which everything is to be said: clusters, missing answers, errors of labels, cut-offs."""
    memory = quarter()
    found = build(memory, memory.panel, NOW)
    scores = tuple(replace(score, deff=1.5) if score.estimate else score for score in found.scores)
    estimated = [score for score in scores if score.estimate]
    bounds = tuple(
        BoundsRow(one.classifier, one.metric, one.estimate, MissingBounds(0.31, 0.92, 0.2, 0.97, 20, 200))
        for one in estimated
    )
    sides = tuple(AnswerCounts("lr", side, None, 200, 180, 12, 8, 0) for side in ("positive", "negative"))
    corrected = (CorrectedRow("lr", "precision", "81.2% (79.0 to 83.4)", "84.0% (80.1 to 87.9)"),)
    cut_off = CutOffRow("0.62", {"precision": "84.0% (80.1 to 87.9)"}, "120 (110 to 130)", 90, True)
    return replace(
        found,
        scores=scores,
        missing=MissingView(
            "20 of 900 drawn items have no answer",
            True,
            bounds,
            (*sides, replace(sides[0], classifier=None, side=None, stratum=3)),
        ),
        label_errors=LabelErrorsView("Annotators find 90% of the positives", corrected),
        cut_offs=(CutOffsView("precision of lr", "Tried on the labels of 4 windows.", (cut_off,)),),
        method=replace(found.method, cluster="customer"),
    )


def words_of(html: str) -> str:
    """What people read of a page."""
    return re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", html, flags=re.DOTALL))


def two_levels(page: str) -> tuple[str, str]:
    """The words of a page without the folded section, and that section's HTML."""
    before, _, rest = page.partition(COUNTED)
    counted, _, after = rest.partition("</section>")
    return words_of(before + after), counted


def test_first_level_has_no_words_of_the_method(view):
    first, _ = two_levels(panel_page(view))
    assert "Scorecard" in first
    assert method_words_in(first) == []
    assert method_words_in(words_of(index_page([(view, "a.html")]))) == []


def test_second_level_is_folded_and_last(view):
    page = panel_page(view)
    assert page.count(COUNTED) == 1
    assert "<h2>" not in page[page.index(COUNTED) :]
    assert "<summary>How this was counted</summary>" in page


def test_nothing_is_lost(view):
    """Figures that the first level leaves out stand in the second one."""
    _, counted = two_levels(panel_page(view))
    for score in view.scores:
        if score.estimate:
            assert f'data-label="Effective n">{count(score.estimate.n_eff)}</td>' in counted
            assert score.method in counted
    for word in ("Design effect", "1.50", "stratum 3", "Half-width", "z² θ (1 − θ)"):
        assert word in counted
    for need in view.cost.needs:
        assert count(need.separate) in counted
        assert count(need.shared) in counted


def test_each_table_says_how_to_read_it(view):
    page = panel_page(view)
    tables = re.findall(r"<table[^>]*>\s*(<caption>.*?</caption>)?", page)
    assert len(tables) == 13
    for caption in tables:
        assert re.fullmatch(rf"<caption>{READ_AS}[^<]{{20,}}\.</caption>", caption)


def test_it_reads_the_first_row_that_has_a_value(view):
    first = next(score for score in view.scores if score.estimate)
    sentence = f"the {first.name} is {100 * first.estimate.value:.1f}%, with 95% certainty between"
    assert f"<caption>{READ_AS}{sentence}" in panel_page(view)


def test_a_scorecard_without_values_is_read_too(view):
    blank = tuple(replace(score, estimate=None, state=AlarmState.BLIND) for score in view.scores)
    page = panel_page(replace(view, scores=blank))
    assert f"<caption>{READ_AS}a metric of a classifier, and why there is no value.</caption>" in page


def test_names_in_sentences_are_escaped(view):
    scores = tuple(replace(score, classifier="<b>lr</b>") for score in view.scores)
    assert "<b>lr</b>" not in panel_page(replace(view, scores=scores))
