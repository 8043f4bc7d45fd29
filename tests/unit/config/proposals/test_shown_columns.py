"""People are shown what they judge by, and neither what others said nor who somebody is."""

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


def test_what_others_said_and_who_somebody_is_stays_out(tmp_path):
    said = {name: "'x' || i % 90" if "name" in name else "'words that somebody wrote about ' || i" for name in SAID}
    columns = ", ".join(f"{sql} AS {name}" for name, sql in said.items())
    assert proposed(tmp_path, table_of(f"{SCORE} AS score_lr, {TEXT}, {columns}")).payload == ("text",)


def test_nor_is_it_a_segment(tmp_path):
    names = ("status", "action", "rule", "policy", "reviewer", "disposition")
    columns = ", ".join(f"['a', 'b', 'c'][i % 3 + 1] AS {name}" for name in names)
    assert proposed(tmp_path, table_of(f"{SCORE} AS score_lr, {TEXT}, {columns}")).segments == ()


def test_the_name_of_a_thing_is_shown(tmp_path):
    proposal = proposed(tmp_path, table_of(f"{SCORE} AS score_lr, 'thing ' || (i % 90) AS product_name"))
    assert proposal.payload == ("product_name",)


def test_columns_beyond_the_sixth_are_named(tmp_path):
    texts = ", ".join(f"'a message with the number ' || i AS text_{number}" for number in range(8))
    proposal = proposed(tmp_path, table_of(f"{SCORE} AS score_lr, {texts}"))
    assert len(proposal.payload) == 6
    assert any("without 'text_6', 'text_7'" in remark for remark in proposal.remarks)
