"""A column that is the answer itself is neither a classifier nor shown, whatever it holds."""

import pytest

from stratawatch.config.proposals.proposal import Choices
from stratawatch.errors import StratawatchError
from tests.support.proposed_tables import SCORE, proposed, table_of

TEXT = "'a message with the number ' || i AS \"text\""
PROSE = f"{SCORE} AS score_lr, {TEXT}, 'the words of somebody about ' || i AS finding"
SOFT = "((i * 31) % 997) / 997.0"


def read_by(proposal):
    return {one.score or one.call for panel in proposal.panels for one in panel.classifiers}


class TestATruthThatWasNamed:
    def test_prose_is_not_shown(self, tmp_path):
        assert "finding" in proposed(tmp_path, table_of(PROSE)).payload
        proposal = proposed(tmp_path, table_of(PROSE), Choices(truth=("finding",)))
        assert proposal.payload == ("text",)
        assert any(remark.startswith("'finding' is the answer itself, so it stays out") for remark in proposal.remarks)

    @pytest.mark.parametrize(
        "choices",
        [
            Choices(truth=("finding",), payload=("finding",)),
            Choices(truth=("score_lr",), scores=("score_lr",)),
            Choices(truth=("finding",), calls=("finding",)),
        ],
    )
    def test_it_is_nothing_else(self, tmp_path, choices):
        with pytest.raises(StratawatchError, match=r"cannot be shown to people|cannot be the answer itself and what"):
            proposed(tmp_path, table_of(PROSE), choices)

    def test_numbers_are_no_score(self, tmp_path):
        query = table_of(f"{SCORE} AS score_lr, {SOFT} AS score_rf")
        assert read_by(proposed(tmp_path, query, Choices(truth=("score_rf",)))) == {"score_lr"}


class TestNumbers:
    @pytest.mark.parametrize("name", ["human_score", "gold_score"])
    def test_of_people_are_no_score(self, tmp_path, name):
        proposal = proposed(tmp_path, table_of(f"{SCORE} AS score_lr, {SOFT} AS {name}"))
        assert read_by(proposal) == {"score_lr"}
        (remark,) = [one for one in proposal.remarks if one.startswith(f"'{name}' looks like the answer itself")]
        assert f"--score {name}" in remark

    @pytest.mark.parametrize("name", ["target", "label"])
    def test_beside_a_nameless_score_a_soft_answer_stays_out(self, tmp_path, name):
        assert read_by(proposed(tmp_path, table_of(f"{SCORE} AS lr, {SOFT} AS {name}"))) == {"lr"}

    def test_the_probability_of_what_is_true_is_a_score(self, tmp_path):
        proposal = proposed(tmp_path, table_of(f"{SCORE} AS p_true, 1 - {SCORE} AS p_false"))
        assert read_by(proposal) == {"p_true"}


class TestAConfidence:
    QUERY = table_of(
        f"CASE WHEN {SCORE} >= 0.6 THEN 'SPAM' ELSE 'HAM' END AS label, GREATEST({SCORE}, 1 - {SCORE}) AS score, {TEXT}"
    )

    def test_a_label_with_its_confidence_is_refused_with_what_to_do(self, tmp_path):
        with pytest.raises(StratawatchError, match=r"how sure they are: export the probability of yes.*--call label"):
            proposed(tmp_path, self.QUERY)

    def test_as_a_call_the_label_is_a_classifier_without_a_score(self, tmp_path):
        (one,) = proposed(tmp_path, self.QUERY, Choices(calls=("label",))).panels[0].classifiers
        assert (one.score, one.call, one.call_yes) == (None, "label", "SPAM")

    def test_beside_a_slice_it_is_a_score(self, tmp_path):
        query = table_of(f"['DE', 'FR'][i % 2 + 1] AS country, 0.5 + {SCORE} / 2 AS score")
        assert read_by(proposed(tmp_path, query)) == {"score"}
