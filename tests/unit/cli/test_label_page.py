"""The label page by command: who is invited, and what is refused."""

import asyncio
from datetime import UTC, datetime

import httpx
import pytest

from stratawatch.adapters.queues.page_book import PageBook
from stratawatch.cli.web import serve
from tests.support.programs import loaded
from tests.unit.cli.conftest import NOW


@pytest.fixture
def paged(fresh):
    """An installation whose people label at the page, with its first batches out."""
    fresh.configure(more='\n[queue]\nkind = "page"\n')
    fresh.run("advance")
    return fresh


def test_an_annotator_gets_a_link_that_is_not_kept(paged):
    found = paged.json("labels", "invite", "ann", "--url", "https://label.example.org/")
    link = found["link"]
    assert link.startswith("https://label.example.org/enter/")
    book = PageBook(paged.folder / "queue")
    assert book.who(link.rpartition("/")[2]) == ("ann", False)
    assert link.rpartition("/")[2].encode() not in book.path.read_bytes()
    assert "ann: 0 answers" in paged.run("labels", "annotators").stdout
    paged.run("labels", "revoke", "ann")
    assert paged.json("labels", "annotators") == {"annotators": [{"name": "ann", "open": False, "answers": 0}]}


def test_a_person_has_one_name_at_the_page(paged):
    first = paged.json("labels", "invite", "Ann")["link"]
    second = paged.json("labels", "invite", " ann ")
    assert second["annotator"] == "Ann"
    book = PageBook(paged.folder / "queue")
    assert book.who(first.rpartition("/")[2]) is None
    assert book.who(second["link"].rpartition("/")[2]) == ("Ann", False)
    assert [one["name"] for one in paged.json("labels", "annotators")["annotators"]] == ["Ann"]
    paged.run("labels", "revoke", "ANN")
    assert paged.json("labels", "annotators")["annotators"][0]["open"] is False


def test_answers_at_the_page_are_labels(paged):
    paged.run("open", "--now", NOW)
    paged.run("advance", "--now", NOW)
    book = PageBook(paged.folder / "queue")
    now = datetime(2026, 1, 12, 7, tzinfo=UTC)
    asked = []
    while question := book.next_question("ann", 1, now):
        asked.append(question.item_key)
        assert book.answer("ann", question.item_key, "yes", 1, now, f"e{len(asked)}")
    assert 0 < len(asked) <= 60
    assert f"labels: {len(asked)} new" in paged.run("advance", "--now", "2026-01-12T08:00:00+00:00").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["labels", "invite", "a\nb"], "no name for an annotator"),
        (["labels", "invite", "a\u200bn"], "no name for an annotator"),
        (["labels", "invite", ""], "no name for an annotator"),
        (["labels", "revoke", "nobody"], "there is no annotator 'nobody'"),
        (["web", "--host", "203.0.113.7"], "would send their tokens to 203.0.113.7 unprotected"),
    ],
)
def test_what_cannot_be_done_is_said(paged, arguments, said):
    done = paged.run(*arguments, code=2)
    assert said in done.stderr


@pytest.mark.parametrize(
    "host", ["https://example.org", "example.org/a", "*.example.org", "a b.org", "example", "x.org; y"]
)
def test_what_is_no_host_is_refused(fresh, host):
    fresh.configure(more=f'\n[queue]\nkind = "page"\nimage_hosts = ["{host}"]\n')
    assert "is not the name of a host" in fresh.run("check", "--now", NOW, code=1).stdout


def test_another_queue_is_no_page(fresh):
    assert 'kind = "page" in [queue]' in fresh.run("labels", "invite", "ann", code=2).stderr


def test_a_page_without_a_file_says_what_makes_it(fresh):
    fresh.configure(more='\n[queue]\nkind = "page"\n')
    assert "`stratawatch advance` makes it" in fresh.run("labels", "invite", "ann", code=2).stderr


def test_the_commands_load_no_web_server():
    assert loaded("import stratawatch.cli.app", ["starlette", "uvicorn", "jinja2"]) == set()


TOKEN = '\n[web]\nmetrics_token = "${env:METRICS_TOKEN}"\n'


def test_numbers_are_served_beside_the_page_with_the_token_of_the_configuration(paged, monkeypatch):
    monkeypatch.setenv("METRICS_TOKEN", "0123456789abcdef")
    paged.config.write_text(paged.config.read_text() + TOKEN)
    answers = asked_of(paged.config, "/metrics", "/readyz", "/")
    assert [status for status, _ in answers] == [200, 200, 401]
    assert answers[0][1].startswith("# HELP stratawatch_build_info")
    assert "Who are you?" in answers[2][1]


def test_numbers_are_served_alone_with_another_queue(fresh, monkeypatch):
    monkeypatch.setenv("METRICS_TOKEN", "0123456789abcdef")
    fresh.config.write_text(fresh.config.read_text() + TOKEN)
    assert [status for status, _ in asked_of(fresh.config, "/metrics", "/readyz", "/")] == [200, 200, 404]
    (fresh.folder / "stratawatch.db").write_bytes(b"no database")
    assert [status for status, _ in asked_of(fresh.config, "/metrics", "/readyz", "/healthz")] == [503, 503, 200]


@pytest.mark.parametrize(
    ("token", "said"),
    [("short", "metrics_token of [web] is too short"), ("  ", "METRICS_TOKEN"), (None, "METRICS_TOKEN is not set")],
)
def test_a_token_that_guards_nothing_is_refused(paged, token, said):
    paged.config.write_text(paged.config.read_text() + TOKEN)
    paged.environment = {"METRICS_TOKEN": token} if token is not None else {}
    assert said in paged.run("web", code=2).stderr


def test_a_token_that_stands_in_the_file_is_refused(paged):
    paged.config.write_text(paged.config.read_text() + '\n[web]\nmetrics_token = "0123456789abcdef"\n')
    assert "is a secret written into the file" in paged.run("check", "--now", NOW, code=1).stdout


def asked_of(config, *paths):
    """What `stratawatch web` answers to whoever has the token: status and text of each path."""
    app = serve(config).app

    async def sent():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://ours", headers=AUTHORIZED) as client:
            return [(answer.status_code, answer.text) for answer in [await client.get(path) for path in paths]]

    return asyncio.run(sent())


AUTHORIZED = {"authorization": "Bearer 0123456789abcdef"}
