"""The mail of a report with pictures: text first, images by content-id, and as before where they are not there."""

import os
from email.message import EmailMessage
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from stratawatch.engine.alarms.report_notices import LARGEST_PICTURE
from tests.support.alert_services import MailBackend
from tests.support.notices import notice

PNG = b"\x89PNG\r\n\x1a\n" + b"picture" * 20
FOLDER = "reports/spam/2026-01-12.pictures"
PAGE = "reports/spam/2026-01-12.html"
FINDINGS = ("All is well but <nb> & \"lr\": 70% 'so far'", "Precision of nb: 70%, below its floor of 80%.")


@pytest.fixture
def mail(tmp_path):
    backend = MailBackend(tmp_path)
    yield backend
    backend.close()


@pytest.fixture
def drawn(tmp_path):
    """The page with its pictures, as a report leaves them."""
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / PAGE).write_text("<!doctype html><p>spam</p>", encoding="utf-8")
    for name in ("overview.png", "classifier-nb.png", "classifier-lr.png"):
        (tmp_path / FOLDER / name).write_bytes(PNG + name.encode())
    return tmp_path / FOLDER


def named(*files):
    return [{"file": file, "finding": FINDINGS[at % 2]} for at, file in enumerate(files)]


BOTH = named(f"{FOLDER}/overview.png", f"{FOLDER}/classifier-nb.png")


def sent(mail, pictures, key="n1", **changes) -> EmailMessage:
    fields = {
        "severity": "update",
        "subject": "spam, 2026-01-12: BREACH",
        "body": "nb is broken.",
        "dedup_key": "stratawatch:spam:report:2026-W03",
        "facts": {"panel": "spam", "update": "report", "report_page": PAGE, "report_pictures": pictures},
    }
    mail.channel().send(notice(key, **(fields | changes)))
    return mail.mails[-1][1]


class Images(HTMLParser):
    """The images of a mail's HTML."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.found.append(dict(attrs))


def html_of(message):
    return message.get_body(("html",)).get_content()


def images(message):
    """What the HTML shows, and the parts that it can show, by content-id."""
    parts = {part["Content-ID"]: part for part in message.walk() if part.get_content_maintype() == "image"}
    return Images(html_of(message)).found, parts


class TestStructure:
    def test_is_text_first_then_html_with_its_pictures_and_the_page_as_a_file(self, mail, drawn):
        message = sent(mail, BOTH)
        kinds = [part.get_content_type() for part in message.walk()]
        assert kinds == [
            "multipart/mixed",
            "multipart/alternative",
            "text/plain",
            "multipart/related",
            "text/html",
            "image/png",
            "image/png",
            "text/html",
        ]
        (page,) = message.iter_attachments()
        assert page.get_filename() == "spam-2026-01-12.html"

    def test_every_image_leads_to_a_part_and_every_part_is_shown(self, mail, drawn):
        shown, parts = images(sent(mail, BOTH))
        assert [f"<{unquote(one['src'].removeprefix('cid:'))}>" for one in shown] == list(parts)
        assert len(parts) == 2
        contents = [part.get_payload(decode=True) for part in parts.values()]
        assert contents == [PNG + b"overview.png", PNG + b"classifier-nb.png"]
        assert {part.get_content_disposition() for part in parts.values()} == {"inline"}
        assert [part.get_filename() for part in parts.values()] == ["overview.png", "classifier-nb.png"]

    def test_the_words_of_each_picture_stand_for_it(self, mail, drawn):
        shown, _ = images(sent(mail, BOTH))
        assert [one["alt"] for one in shown] == list(FINDINGS)

    def test_ids_of_two_reports_are_different(self, mail, drawn):
        first, second = (set(images(sent(mail, BOTH, key))[1]) for key in ("a", "b"))
        assert first.isdisjoint(second)

    def test_the_text_is_the_same_with_and_without(self, mail, drawn):
        with_, without = (
            sent(mail, pictures, key).get_body(("plain",)).get_content() for key, pictures in (("a", BOTH), ("b", []))
        )
        assert with_.replace("key: a", "key: b") == without
        assert "nb is broken." in with_

    def test_loads_nothing_from_elsewhere(self, mail, drawn):
        shown, _ = images(sent(mail, BOTH))
        assert all(one["src"].startswith("cid:") for one in shown)
        assert "http" not in html_of(mail.mails[-1][1])


class TestAsBefore:
    """No picture, no word of one, and the page as a file."""

    def check(self, message):
        assert [part.get_content_type() for part in message.walk()] == [
            "multipart/mixed",
            "multipart/alternative",
            "text/plain",
            "text/html",
            "text/html",
        ]
        assert "<img" not in html_of(message)
        assert "cid:" not in html_of(message)

    @pytest.mark.parametrize(
        "pictures",
        [
            [],
            None,
            "overview.png",
            ["overview.png"],
            [{}],
            [{"file": "", "finding": ""}],
            named(f"{FOLDER}/deleted.png"),
            named(FOLDER),
            named("../secret.png"),
            named("/etc/hostname"),
            named(f"{FOLDER}/a\x00b.png"),
            named(f"{FOLDER}/{'x' * 3000}.png"),
        ],
    )
    def test_where_there_is_nothing_to_show(self, mail, drawn, tmp_path, pictures):
        (tmp_path.parent / "secret.png").write_bytes(PNG)
        self.check(sent(mail, pictures))

    def test_where_a_picture_is_large(self, mail, drawn):
        (drawn / "overview.png").write_bytes(PNG + b"x" * (LARGEST_PICTURE - len(PNG)))
        assert len(images(sent(mail, BOTH[:1], "a"))[1]) == 1
        (drawn / "overview.png").write_bytes(PNG + b"x" * (LARGEST_PICTURE - len(PNG) + 1))
        self.check(sent(mail, BOTH[:1], "b"))

    def test_where_something_else_lies_in_its_place(self, mail, drawn, tmp_path):
        (drawn / "overview.png").write_text("password = hunter2")
        self.check(sent(mail, BOTH[:1], "a"))
        (tmp_path.parent / "secret.png").write_bytes(PNG)
        (drawn / "link.png").symlink_to(tmp_path.parent / "secret.png")
        self.check(sent(mail, named(f"{FOLDER}/link.png"), "b"))
        os.mkfifo(drawn / "pipe.png")
        self.check(sent(mail, named(f"{FOLDER}/pipe.png"), "c"))

    def test_of_another_notification(self, mail, drawn):
        facts = {"panel": "spam", "report_page": PAGE, "report_pictures": BOTH}
        message = sent(mail, BOTH, facts=facts)
        assert images(message) == ([], {})


def test_one_that_is_left_is_shown_alone(mail, drawn):
    (drawn / "overview.png").unlink()
    shown, parts = images(sent(mail, BOTH))
    assert [one["alt"] for one in shown] == [FINDINGS[1]]
    assert len(parts) == 1


def test_never_more_than_two_are_shown(mail, drawn):
    three = named(*(f"{FOLDER}/{name}.png" for name in ("overview", "classifier-nb", "classifier-lr")))
    assert len(images(sent(mail, three))[1]) == 2
