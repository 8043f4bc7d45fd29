"""What a notebook shows of a study and its tables."""

from html import escape

import pytest

from stratawatch.formatting import READ_AS
from stratawatch.study.notebook_html import html_table
from tests.support.study_frames import StudyData


@pytest.fixture(scope="module")
def population():
    return StudyData()


def test_everything_is_escaped():
    text = html_table(["<b>"], [["<script>"]], ["a < b"])
    assert "<script>" not in text
    assert "<b>" not in text
    assert text.count("&lt;") == 3


def test_a_warning_has_a_row_and_a_sign():
    assert html_table(["a", "b"], [["1", "2"]], ["look"]).count("<tr>") == 3
    assert "⚠ look" in html_table(["a"], [], ["look"])


def test_a_study_that_did_not_begin_says_so(population):
    assert population.study(budget=200)._repr_html_() == (
        f"<p>Study of lr, vote: {len(population.columns['item_id']):,} items, 0 asked about, not begun</p>"
    )


def test_missing_answers_have_a_row_below_the_estimates(population):
    study = population.study(budget=200)
    population.answer(study, nobody_knows=study.ask()[:30])
    assert "have no answer" in study._repr_html_()
    assert "have no answer" in study.estimates()._repr_html_()


def test_every_table_of_a_study_says_how_to_read_it(population):
    study = population.study(budget=200)
    population.answer(study)
    plan = study.plan()
    tables = (study.estimates(), plan.strata, plan.expected, study.answer_counts())
    for table in tables:
        assert f">{READ_AS}{escape(next(filter(None, (row.in_words for row in table))))}.</caption>" in table.to_html()
    assert study._repr_html_().count("<caption") == 1
    first = study.estimates()[0]
    assert first.in_words.startswith(
        f"the {first.metric} of {first.classifier} is {first.value:.3f}, with its interval"
    )


def test_answers_that_lean_are_said_with_the_study(population):
    study = population.study(budget=200)
    while len(batch := study.ask()):
        study.tell({item: None if population.truth(item) else False for item in batch})
    lean = study.warnings[-1]
    assert "missing" in lean
    assert lean in study._repr_html_()


def test_all_answered_warns_of_nothing(population):
    study = population.study(budget=200)
    population.answer(study)
    assert "⚠" not in study._repr_html_()
    assert "<td>precision</td>" in study._repr_html_()


def test_a_name_of_the_users_is_escaped(population):
    study = population.study(budget=200, classifiers={"<i>lr</i>": ("score_lr", "pred_lr")})
    population.answer(study)
    assert "<i>" not in study._repr_html_()
