"""The label page by command: who is invited, and what is refused."""

from datetime import UTC, datetime

import pytest

from stratawatch.adapters.queues.page_book import PageBook
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
