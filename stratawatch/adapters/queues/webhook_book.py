"""The file of a webhook queue: which batches were sent, which deliveries came, and the labels in them."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from stratawatch.adapters.queues.answer_book import AnswerBook

_SCHEMA = """
CREATE TABLE place (id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL);
CREATE TABLE batches (
    key TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('out', 'cancelled', 'done', 'recalled')),
    digest TEXT,
    sent_state TEXT NOT NULL DEFAULT '',
    turn INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE deliveries (id TEXT PRIMARY KEY, digest TEXT NOT NULL, received TEXT NOT NULL);
CREATE TABLE answers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    said TEXT NOT NULL,
    delivery TEXT NOT NULL REFERENCES deliveries (id),
    received TEXT NOT NULL
);
"""


class WebhookBook(AnswerBook):
    """`sent_state` is the state of a batch that the service knows; `turn` counts how often a withdrawal was undone."""

    file = "webhook.sqlite3"
    schema = _SCHEMA
    what = "the webhook queue"

    def receive(self, delivery: str, body: bytes, labels: Sequence[str], now: datetime) -> bool:
        """Keep a delivery's labels, lines of JSON, once; False where this id came with another body."""
        with self.writing() as sql:
            return keep_delivery(sql, delivery, body, labels, now)


def keep_delivery(sql: sqlite3.Connection, delivery: str, body: bytes, labels: Sequence[str], now: datetime) -> bool:
    """Keep a delivery's labels once; False where its id is there with another body."""
    digest, received = sha256(body).hexdigest(), now.isoformat()
    row = sql.execute("SELECT digest FROM deliveries WHERE id = ?", (delivery,)).fetchone()
    if row is not None:
        return bool(row[0] == digest)
    sql.execute("INSERT INTO deliveries (id, digest, received) VALUES (?, ?, ?)", (delivery, digest, received))
    sql.executemany(
        "INSERT INTO answers (said, delivery, received) VALUES (?, ?, ?)",
        [(label, delivery, received) for label in labels],
    )
    return True
