"""People are shown what they judge by, and neither what others said nor who somebody is."""

import pytest

from tests.support.proposed_tables import SCORE, proposed, table_of

TEXT = "'a message with the number ' || i AS \"text\""
SAID = (
    "reviewer_comment",
    "moderator_note",
    "analyst_notes",
    "agent_message",
    "resolution_text",
    "action_title",
    "disposition",
    "rule_name",
    "policy_name",
    "violation_description",
    "customer_name",
    "first_name",
    "home_address",
)


@pytest.mark.parametrize("name", SAID)
def test_what_others_said_and_who_somebody_is_stays_out(tmp_path, name):
    said = f"'words that somebody wrote about ' || i AS {name}" if "name" not in name else f"'x' || i % 90 AS {name}"
    assert proposed(tmp_path, table_of(f"{SCORE} AS score_lr, {TEXT}, {said}")).payload == ("text",)


@pytest.mark.parametrize("name", ["status", "action", "rule", "policy", "reviewer", "disposition"])
def test_nor_is_it_a_segment(tmp_path, name):
    proposal = proposed(tmp_path, table_of(f"{SCORE} AS score_lr, {TEXT}, ['a', 'b', 'c'][i % 3 + 1] AS {name}"))
    assert proposal.segments == ()


def test_the_name_of_a_thing_is_shown(tmp_path):
    proposal = proposed(tmp_path, table_of(f"{SCORE} AS score_lr, 'thing ' || (i % 90) AS product_name"))
    assert proposal.payload == ("product_name",)


def test_columns_beyond_the_sixth_are_named(tmp_path):
    texts = ", ".join(f"'a message with the number ' || i AS text_{number}" for number in range(8))
    proposal = proposed(tmp_path, table_of(f"{SCORE} AS score_lr, {texts}"))
    assert len(proposal.payload) == 6
    assert any("without 'text_6', 'text_7'" in remark for remark in proposal.remarks)
