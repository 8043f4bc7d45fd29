"""The question of a panel comes from a word that says yes, or it is asked."""

import pytest

from tests.support.proposed_tables import SCORE, proposed, table_of


@pytest.mark.parametrize("feature", ["is_mobile", "is_new_customer", "isWeekend"])
def test_a_feature_is_no_question(tmp_path, feature):
    proposal = proposed(tmp_path, table_of(f'{SCORE} AS score_lr, i % 3 = 0 AS "{feature}"'))
    assert [one.option for one in proposal.unsure] == ["payload", "question"]
    assert proposal.panels[0].question == "Should the answer to this item be yes?"


@pytest.mark.parametrize("columns", ["score_lr, i % 9 = 0 AS is_spam", "score_junk, i % 9 = 0 AS is_junk"])
def test_an_answer_that_says_yes_or_is_named_like_a_score_is_one(tmp_path, columns):
    proposal = proposed(tmp_path, table_of(f"{SCORE} AS {columns}, i % 3 = 0 AS is_mobile"))
    assert [one.option for one in proposal.unsure] == ["payload"]
    assert proposal.panels[0].question in ("Is this spam?", "Is this junk?")


def test_what_calls_say_goes_before_what_an_answer_is_named(tmp_path):
    call = f"CASE WHEN {SCORE} > 0.6 THEN 'toxic' ELSE 'ok' END AS pred_lr"
    proposal = proposed(tmp_path, table_of(f"{call}, i % 9 = 0 AS is_spam"))
    assert proposal.panels[0].question == "Is this toxic?"
