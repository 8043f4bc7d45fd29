"""What a Label Studio queue says when the server refuses, or is none. What it does is in tests/live/label_studio."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from pydantic import SecretStr

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.queues import label_studio_api
from stratawatch.adapters.queues.label_studio import LabelStudioQueue, LabelStudioSettings
from stratawatch.adapters.queues.label_studio_api import LabelStudioApi
from stratawatch.adapters.queues.label_studio_book import LabelStudioBook, Project, Reading
from stratawatch.errors import ConfigError, StratawatchError, Unreachable
from tests.support.batches import batch

TOKEN = "hunter2hunter2"


@pytest.fixture
def answers():
    """What the server answers: a status and a body."""
    return {"status": 200, "body": b"{}"}


@pytest.fixture
def queue(tmp_path, answers):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(answers["status"])
            self.send_header("Content-Length", str(len(answers["body"])))
            self.end_headers()
            self.wfile.write(answers["body"])

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        api = LabelStudioApi(f"http://127.0.0.1:{server.server_address[1]}", SecretStr(TOKEN), 5)
        queue = LabelStudioQueue(tmp_path / "queue", api)
        queue.adopt("ours")
        yield queue
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, b'{"detail": "Invalid token."}', "HTTP 401: Invalid token.*token is right"),
        (403, b"{}", "HTTP 403.*allowed to create projects"),
        (404, b"<html>", "HTTP 404.*project was deleted"),
        (413, b"", "HTTP 413.*payload be smaller"),
        (200, b"<html>welcome</html>", "did not answer GET /api/projects/ with JSON.*release 1.23"),
        (502, b"", "HTTP 502"),
        (302, b"", "redirects are not followed"),
    ],
)
def test_a_refusal_is_one_sentence_that_says_what_to_do(queue, answers, status, body, words):
    answers.update(status=status, body=body)
    with pytest.raises(StratawatchError, match=f"(?s){words}") as caught:
        queue.publish(batch())
    assert TOKEN not in str(caught.value)


ONE_PROJECT = """
CREATE TABLE place (id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL);
CREATE TABLE project (id INTEGER PRIMARY KEY CHECK (id = 1), title TEXT NOT NULL, number INTEGER);
CREATE TABLE reading (
    id INTEGER PRIMARY KEY CHECK (id = 1), reached TEXT, reconciled TEXT, since TEXT, after INTEGER
);
CREATE TABLE batches (
    key TEXT PRIMARY KEY, state TEXT NOT NULL CHECK (state IN ('out', 'cancelled', 'done')), digest TEXT,
    published INTEGER NOT NULL DEFAULT 0, cleared INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE annotations (
    id INTEGER PRIMARY KEY, task INTEGER NOT NULL, item_key TEXT, annotator TEXT NOT NULL, value TEXT NOT NULL,
    event_id TEXT NOT NULL
);
CREATE INDEX annotations_by_task ON annotations (task);
CREATE TABLE answers (id INTEGER PRIMARY KEY AUTOINCREMENT, said TEXT NOT NULL);
INSERT INTO place VALUES (1, 'ours');
INSERT INTO project VALUES (1, 'stratawatch 0123', 7);
INSERT INTO reading VALUES (1, '2026-01-05T08:00:00+00:00', '2026-01-05T07:00:00+00:00', NULL, 120);
INSERT INTO batches VALUES ('one', 'out', 'd1', 1, 0), ('one-v2-ab', 'out', 'd2', 1, 0);
INSERT INTO annotations VALUES (1, 11, 'one-0', 'user 3', 'yes', '1.aa');
"""
"""A file as release 0.1 made it, in use: one project for everything."""


def made_by_an_earlier_release(root):
    root.mkdir()
    with closing(sqlite3.connect(root / LabelStudioBook.file)) as sql:
        sql.executescript(ONE_PROJECT)


def test_a_file_with_one_project_is_brought_up_to_date_and_goes_on_where_it_was(tmp_path):
    made_by_an_earlier_release(tmp_path / "queue")
    book = LabelStudioBook(tmp_path / "queue")
    assert book.projects() == [Project(1, "stratawatch 0123", 7)]
    reached = datetime(2026, 1, 5, 8, tzinfo=UTC)
    assert book.begin_reading(1, reached) == Reading(1, None, 120, reached)
    assert book.project(2) == Project(2, "stratawatch 0123 vote 2", None)
    with book.reading() as sql:
        assert sql.execute("SELECT DISTINCT vote, votes FROM batches").fetchall() == [(1, 1)]


def test_an_earlier_file_has_the_tables_and_indices_of_a_new_one(tmp_path):
    made_by_an_earlier_release(tmp_path / "old")
    LabelStudioBook(tmp_path / "new").create()
    tables = []
    for place in ("old", "new"):
        book = LabelStudioBook(tmp_path / place)
        assert book.is_made()
        with book.reading() as sql:
            names = [name for (name,) in sql.execute("SELECT name FROM sqlite_master ORDER BY name")]
            tables.append({name: sql.execute(f"PRAGMA table_info({name})").fetchall() for name in names})
    assert tables[0] == tables[1]


def test_a_file_of_a_newer_release_is_refused(tmp_path):
    book = LabelStudioBook(tmp_path)
    book.create()
    with book.writing() as sql:
        sql.execute("PRAGMA user_version = 99")
    with pytest.raises(StratawatchError, match="newer release of stratawatch"):
        book.projects()


def test_an_answer_without_end_is_not_read(queue, answers, monkeypatch):
    monkeypatch.setattr(label_studio_api, "MOST_BYTES", 1000)
    answers["body"] = b" " * 1001
    with pytest.raises(Unreachable, match="more than 1,000 bytes"):
        queue.describe()


def test_an_address_without_encryption_is_refused(monkeypatch):
    monkeypatch.setenv("LS_TOKEN", TOKEN)
    settings = LabelStudioSettings(kind="label_studio", url="http://labels.example.org", token="${env:LS_TOKEN}")
    with pytest.raises(ConfigError, match="unencrypted"):
        settings.build(BuildContext(Path()))


def test_a_token_in_the_configuration_itself_is_refused():
    with pytest.raises(ValueError, match="token"):
        LabelStudioSettings(kind="label_studio", url="https://labels.example.org", token=TOKEN)
