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


class TestCallsWhoseYesCannotBeTold:
    QUERY = table_of("['a', 'b', 'c'][i % 3 + 1] AS pred_lr, ['b', 'c', 'd'][i % 3 + 1] AS pred_rf")

    def test_each_is_asked_about(self, tmp_path):
        unsure = proposed(tmp_path, self.QUERY).unsure
        assert [one.of for one in unsure if one.option == "call-yes"] == ["pred_lr", "pred_rf"]

    def test_each_has_a_value_of_its_own(self, tmp_path):
        proposal = proposed(tmp_path, self.QUERY, Choices(call_yes=("pred_lr=c", "pred_rf=b")))
        assert {one.call: one.call_yes for one in proposal.panels[0].classifiers} == {"pred_lr": "c", "pred_rf": "b"}
        assert "call-yes" not in {one.option for one in proposal.unsure}

    def test_a_value_that_it_never_has_is_refused(self, tmp_path):
        with pytest.raises(StratawatchError, match="--call-yes: 'pred_rf' never says 'a'"):
            proposed(tmp_path, self.QUERY, Choices(call_yes=("pred_rf=a",)))
