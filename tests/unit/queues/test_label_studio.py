"""What a Label Studio queue says when the server refuses, or is none. What it does is in tests/live/label_studio."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from pydantic import SecretStr

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.queues import label_studio_api
from stratawatch.adapters.queues.answer_book import BookQueue
from stratawatch.adapters.queues.label_studio import LabelStudioQueue, LabelStudioSettings
from stratawatch.adapters.queues.label_studio_api import LabelStudioApi
from stratawatch.adapters.queues.label_studio_book import LabelStudioBook, Project, Reading
from stratawatch.errors import ConfigError, StratawatchError, Unreachable
from tests.support.batches import batch
from tests.support.label_studio import annotation

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
    assert book.begin_reading(1, datetime.now(UTC)) == Reading(1, None, 120, reached, reached)
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


MONDAY = datetime(2026, 1, 5, 13, tzinfo=UTC)


def minute(number):
    return MONDAY + timedelta(minutes=number)


def task(number, *said, item="item-1"):
    """A task as the server gives it: of each annotation its id, its word and the minute of its last change."""
    annotations = [
        {"id": one, "completed_by": 7, "updated_at": minute(at).isoformat(), **annotation(value)}
        for one, value, at in said
    ]
    newest = max([at for _, _, at in said], default=0)
    data = {"item_key": item}
    return {"id": number, "data": data, "updated_at": minute(newest).isoformat(), "annotations": annotations}


class TestWhatStands:
    """Of the answers that one person gave about one item, by the times that the engine goes by."""

    @pytest.fixture
    def book(self, queue):
        queue._file.project(2)
        return queue._file

    @pytest.fixture
    def read(self, book):
        def read(vote, at, *tasks):
            book.keep(book.begin_reading(vote, minute(at)), list(tasks), minute(at), ended=True)

        return read

    @pytest.fixture
    def stands(self, queue):
        def stands():
            events = BookQueue.poll(queue, {}).events
            assert len({event.event_id for event in events}) == len(events)
            return max(reversed(events), key=lambda event: event.at).value  # of one time, what came last

        return stands

    def test_is_the_new_answer_where_the_former_was_deleted_before_it(self, read, stands):
        read(1, 0, task(1, (11, "yes", 0)))
        read(1, 15, task(1, (12, "no", 3)))
        assert stands() == "no"

    def test_is_the_answer_in_another_project_where_the_first_was_deleted(self, read, stands):
        read(1, 0, task(1, (11, "yes", 0)))
        read(1, 15, task(1))
        read(2, 15, task(2, (12, "no", 3)))
        assert stands() == "no"

    def test_is_the_changed_answer_where_the_other_was_deleted(self, read, stands):
        read(1, 0, task(1, (11, "yes", 0)))
        read(2, 0, task(2, (12, "no", 1)))
        read(1, 15, task(1))
        read(2, 15, task(2, (12, "yes", 10)))
        assert stands() == "yes"

    def test_is_the_newer_answer_though_the_older_one_is_read_later(self, read, stands):
        read(1, 15, task(1, (11, "yes", 5)))
        read(2, 15, task(2, (12, "no", 1)))
        assert stands() == "yes"

    def test_is_said_again_after_a_reader_kept_an_old_page(self, read, stands):
        read(1, 3, task(1, (11, "yes", 0)))
        read(1, 4, task(1))
        assert stands() == "retract"
        read(1, 5, task(1, (11, "yes", 0)))
        assert stands() == "yes"

    def test_is_nothing_where_all_were_deleted_or_are_no_answers(self, read, stands, queue):
        read(1, 0, task(1, (11, "yes", 0)))
        read(1, 15, task(1, (11, "perhaps", 5)))
        assert stands() == "retract"
        assert len(BookQueue.poll(queue, {}).rejected) == 1

    def test_of_an_earlier_file_goes_on_from_what_it_had(self, tmp_path):
        made_by_an_earlier_release(tmp_path / "old")
        with closing(sqlite3.connect(tmp_path / "old" / LabelStudioBook.file)) as sql:
            sql.execute("INSERT INTO annotations VALUES (2, 12, 'one-0', 'user 7', 'no', '2.bb')")
            sql.execute("INSERT INTO annotations VALUES (3, 12, 'one-0', 'user 7', 'yes', '3.cc')")
            sql.commit()
        book = LabelStudioBook(tmp_path / "old")
        assert book.is_made()
        book.keep(book.begin_reading(1, minute(0)), [task(12, (2, "no", -9), item="one-0")], minute(0), ended=True)
        with book.reading() as sql:
            ((said,),) = sql.execute("SELECT said FROM answers").fetchall()
        assert json.loads(said) == {**json.loads(said), "value": "no", "at": minute(0).isoformat()}


def test_what_changed_while_later_tasks_were_read_is_read_next_time(queue):
    book = queue._file
    reading = book.keep(book.begin_reading(1, minute(0)), [task(1), task(2)], minute(0), ended=False)
    assert book.begin_reading(1, minute(15)) == reading
    book.keep(reading, [task(3, (31, "yes", 14))], minute(15), ended=True)
    assert book.begin_reading(1, minute(30)).since <= minute(0)


def test_two_workers_who_make_a_project_at_once_go_on_with_one(queue, answers):
    results = [{"id": 8, "title": queue._file.project(1).title}, {"id": 7, "title": queue._file.project(1).title}]
    answers["body"] = json.dumps({"results": results}).encode()
    assert queue.project() == 7
    assert queue._file.note_project(1, 8) == 7


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
