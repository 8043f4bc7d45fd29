"""Draws, batches and label events say which question they are about; until now a label answered whatever came next.

A draw and a batch are of the question in the panel version of their cycle. An event answers the question that its item
was asked last before it arrived. A draw that reused a label keeps the question of that label, so that cycles under way
and estimates stay what they were; no later cycle reuses it for another question.
"""

import json
from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

QUESTION_OF_ROUND = """
    UPDATE {table} SET question_key = (
        SELECT v.question_key
        FROM rounds AS r
        INNER JOIN cycles AS c ON c.id = r.cycle_id
        INNER JOIN version_questions AS v ON v.version_id = c.version_id
        WHERE r.id = {table}.round_id
    )
"""
QUESTION_OF_EVENT = """
    UPDATE label_events SET question_key = COALESCE(
        (
            SELECT d.question_key
            FROM draws AS d
            INNER JOIN rounds AS r ON r.id = d.round_id
            WHERE d.item_key = label_events.item_key AND NOT d.reused AND r.planned_at <= label_events.received_at
            ORDER BY d.round_id DESC
            LIMIT 1
        ),
        (
            SELECT d.question_key
            FROM draws AS d
            WHERE d.item_key = label_events.item_key
            ORDER BY d.reused, d.round_id DESC
            LIMIT 1
        ),
        ''
    )
"""
QUESTION_OF_REUSED = """
    UPDATE draws SET question_key = COALESCE(
        (
            SELECT d.question_key
            FROM draws AS d
            WHERE d.item_key = draws.item_key AND NOT d.reused AND d.round_id < draws.round_id
            ORDER BY d.round_id DESC
            LIMIT 1
        ),
        question_key
    )
    WHERE reused
"""


def upgrade() -> None:
    op.create_table(
        "questions",
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("wording", sa.Text(), nullable=False),
        sa.Column("question_key", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("panel", "wording", name="pk_questions"),
    )
    for table in ("draws", "batches", "label_events"):
        op.add_column(table, sa.Column("question_key", sa.Text(), nullable=False, server_default=sa.text("''")))
    keep_questions()
    for table in ("draws", "batches"):
        op.execute(QUESTION_OF_ROUND.format(table=table))
    op.execute(QUESTION_OF_EVENT)
    op.execute(QUESTION_OF_REUSED)
    op.drop_table("version_questions")


def keep_questions() -> None:
    """Keep each panel's questions, and for the statements above those of its versions."""
    sql = op.get_bind()
    versions = sa.table("panel_versions", sa.column("id"), sa.column("panel"), sa.column("spec", sa.JSON()))
    rows = [(row.id, row.panel, key_of(row.spec)) for row in sql.execute(sa.select(versions)).all()]
    of_versions = op.create_table(
        "version_questions",
        sa.Column("version_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("question_key", sa.Text(), nullable=False),
    )
    questions = sa.table("questions", sa.column("panel"), sa.column("wording"), sa.column("question_key"))
    op.bulk_insert(of_versions, [{"version_id": number, "question_key": key} for number, _, key in rows])
    kept = sorted({(panel, key) for _, panel, key in rows})
    op.bulk_insert(questions, [{"panel": panel, "wording": key, "question_key": key} for panel, key in kept])


def key_of(spec: dict) -> str:
    """The key of the question with its guideline, as programs of this schema make it."""
    return sha256(json.dumps([spec["question"], "guideline", spec["guideline"]]).encode()).hexdigest()[:16]
