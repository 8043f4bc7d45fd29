"""Classes that were chosen are there, those without words are asked about, and numbers say which means yes."""

import pytest

from stratawatch.config.proposals.proposal import Choices
from stratawatch.errors import StratawatchError
from tests.support.proposed_tables import SCORE, proposed, table_of

PAIR = f"{SCORE} AS prob_spam, 1 - {SCORE} AS prob_ham"
NUMBERED = f"{SCORE} / 2 AS prob_0, {SCORE} / 2 AS prob_1, 1 - {SCORE} AS prob_2"
NAMED = f"{SCORE} / 2 AS prob_news, {SCORE} / 2 AS prob_sport, 1 - {SCORE} AS prob_tech"


@pytest.mark.parametrize("columns", [PAIR, f"{SCORE} AS score_lr", NAMED])
def test_a_class_of_no_model_is_refused(tmp_path, columns):
    with pytest.raises(StratawatchError, match="there is no class 'spma'"):
        proposed(tmp_path, table_of(columns), Choices(classes=("spma",)))


def test_classes_without_words_are_asked_about(tmp_path):
    proposal = proposed(tmp_path, table_of(NUMBERED))
    (asked,) = [one for one in proposal.unsure if one.option == "question"]
    assert "(0, 1, 2)" in asked.asked
    assert asked.proposed == "Is this {class}?"
    said = proposed(tmp_path, table_of(NUMBERED), Choices(question="Is it of grade {class}?"))
    assert [panel.question for panel in said.panels] == [f"Is it of grade {number}?" for number in range(3)]
    assert "question" not in {one.option for one in said.unsure}


def test_a_panel_is_named_where_one_class_has_one(tmp_path):
    with pytest.raises(StratawatchError, match="--panel names one panel, and each class gets one"):
        proposed(tmp_path, table_of(NAMED), Choices(panel="mine"))
    proposal = proposed(tmp_path, table_of(NAMED), Choices(panel="mine", classes=("news",)))
    assert [(panel.name, panel.question) for panel in proposal.panels] == [("mine", "Is this news?")]
    assert "question" not in {one.option for one in proposal.unsure}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("value", ["1 + i % 2", "CASE WHEN i % 50 = 0 THEN 'nan'::DOUBLE ELSE 1 + i % 2 END"])
def test_the_larger_number_of_two_means_yes(tmp_path, ending, value):
    (one,) = proposed(tmp_path, table_of(f"{value} AS pred_lr"), ending=ending).panels[0].classifiers
    assert float(one.call_yes) == 2
