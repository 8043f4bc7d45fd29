"""Mail, to a server that takes it."""

import re
import socket

import pytest
from pydantic import SecretStr, ValidationError

from stratawatch.adapters.alerts.mail import MailSettings
from stratawatch.adapters.alerts.report_page import LARGEST_PAGE
from stratawatch.errors import NoConnection, StratawatchError, Unreachable
from tests.support.alert_services import PASSWORD, MailBackend
from tests.support.notices import notice


@pytest.fixture
def mail(tmp_path):
    backend = MailBackend(tmp_path)
    yield backend
    backend.close()


@pytest.fixture
def guarded_mail(tmp_path):
    backend = MailBackend(tmp_path, login=True)
    yield backend
    backend.close()


class TestMessage:
    def test_has_text_and_html_with_the_same_words(self, mail):
        mail.channel().send(notice(body="precision < 80% & falling\nLook: stratawatch report"))
        ((to, message),) = mail.mails
        assert to == ["ops@example.org", "kim@example.org"]
        assert message["Subject"] == "[stratawatch] PAGE: BREACH: precision of lr (spam)"
        assert message["Auto-Submitted"] == "auto-generated"
        assert message["Date"].datetime.isoformat() == "2026-02-23T03:00:00+00:00"
        plain = message.get_body(("plain",)).get_content().replace("\r\n", "\n")
        html = message.get_body(("html",)).get_content()
        assert "precision < 80% & falling\nLook: stratawatch report" in plain
        assert "<p>precision &lt; 80% &amp; falling</p>" in html
        assert "src=" not in html
        assert "href" not in html

    def test_says_once_that_it_is_over(self, mail):
        mail.channel().send(notice(severity="resolved", subject="RESOLVED: precision of lr (spam)"))
        ((_, message),) = mail.mails
        assert message["Subject"] == "[stratawatch] RESOLVED: precision of lr (spam)"

    def test_is_of_one_thread_with_others_of_its_incident(self, mail):
        channel = mail.channel()
        channel.send(notice("a"))
        channel.send(notice("b", severity="resolved"))
        channel.send(notice("c", dedup_key="another"))
        first, second, third = (message for _, message in mail.mails)
        assert first["References"] == second["References"] != third["References"]
        assert len({one["Message-ID"] for one in (first, second, third)}) == 3

    def test_has_the_same_name_whoever_sends_it(self, mail, tmp_path):
        mail.channel().send(notice())
        (tmp_path / ".stratawatch" / "sent-mail").unlink()
        mail.channel().send(notice())
        first, second = (message["Message-ID"] for _, message in mail.mails)
        assert first == second
        assert first.endswith("@example.com>")

    def test_takes_no_header_from_a_subject(self, mail):
        mail.channel().send(notice(subject="A\r\nBcc: evil@example.org\r\n\r\nbody"))
        ((to, message),) = mail.mails
        assert message["Bcc"] is None
        assert message["Subject"] == "[stratawatch] PAGE: A Bcc: evil@example.org  body"
        assert "evil@example.org" not in to


CHART = {
    "chart": {
        "since": "2026-02-16T00:00:00+00:00",
        "floor": 0.788,
        "windows": [
            {"start": "2026-02-09T00:00:00+00:00", "value": 0.843, "low": 0.805, "high": 0.874},
            {"start": "2026-02-16T00:00:00+00:00", "value": 0.705, "low": 0.672, "high": 0.736},
        ],
    }
}


class TestChart:
    @pytest.fixture
    def parts(self, mail):
        mail.channel().send(notice(facts=CHART))
        ((_, message),) = mail.mails
        plain, html = (message.get_body((kind,)).get_content() for kind in ("plain", "html"))
        return plain.replace("\r\n", "\n"), html

    def test_is_text_that_says_which_windows_are_outside(self, parts):
        before, since = (line for line in parts[0].splitlines() if line.startswith("2026-02-") and "[" in line)
        assert before.startswith("2026-02-09  84.3% (80.5 to 87.4)  [")
        assert before.endswith("]")
        assert since.endswith("] since, outside")
        # A place is 1/31 of what is shown: the floor stands at the same one, left of one window and right of the other.
        assert before.index("|") == since.index("|")
        assert before.index("|") < before.index("-", 30) < before.index("o", 30) < before.rindex("-")
        assert since.index("x") < since.index("o", 30) < since.rindex("x") < since.index("|")
        assert "floor 78.8%" in parts[0]

    def test_is_a_table_that_loads_nothing_and_fills_its_width(self, parts):
        html = parts[1]
        assert not re.search("src=|<img|<svg|url\\(", html)
        bars = re.findall(r'<table [^>]*width="260"><tr>(.*?)</tr></table>', html)
        assert [sum(map(int, re.findall(r'<td width="(\d+)"', bar))) for bar in bars] == [260, 260]
        assert "since, outside" in html

    def test_shows_what_the_text_speaks_of(self, mail):
        mail.channel().send(notice(facts={**CHART, "metric": "precision"}))
        ((_, message),) = mail.mails
        plain = message.get_body(("plain",)).get_content().replace("\r\n", "\n")
        before, since = (line for line in plain.splitlines() if line.startswith("2026-02-") and "[" in line)
        assert before.startswith("2026-02-09  15.7% (12.6 to 19.5)  [")
        assert since.startswith("2026-02-16  29.5% (26.4 to 32.8)  [")
        assert since.endswith("] since, outside")
        assert before.rindex("-") < before.index("|", 36) == since.index("|", 36) < since.index("x")
        caption = "By window what share of its flags are wrong, with intervals; at most 21.2% allowed."
        assert caption in " ".join(plain.split())

    def test_of_a_metric_of_errors_is_as_it_is(self, mail):
        mail.channel().send(notice(facts={**CHART, "metric": "false_omission_rate"}))
        ((_, message),) = mail.mails
        plain = " ".join(message.get_body(("plain",)).get_content().split())
        assert "2026-02-16 70.5% (67.2 to 73.6) [" in plain
        assert "False omission rate by window, with intervals; floor 78.8%." in plain

    def test_is_not_there_where_nothing_is_to_be_drawn(self, mail):
        mail.channel().send(notice())
        ((_, message),) = mail.mails
        assert "<table" not in message.get_body(("html",)).get_content()


class TestLinks:
    def test_can_be_clicked_where_they_are_addresses(self, mail):
        runbook = "https://wiki.example.org/spam?a=1&b=2"
        mail.channel().send(notice(facts={"owner": "<b>spam team</b>", "runbook": runbook}))
        ((_, message),) = mail.mails
        html = message.get_body(("html",)).get_content()
        assert 'Runbook: <a href="https://wiki.example.org/spam?a=1&amp;b=2">' in html
        assert "Owner: &lt;b&gt;spam team&lt;/b&gt;" in html
        assert f"Runbook: {runbook}" in message.get_body(("plain",)).get_content()

    def test_that_would_run_something_cannot(self, mail):
        mail.channel().send(notice(facts={"runbook": "javascript:alert(1)"}))
        ((_, message),) = mail.mails
        html = message.get_body(("html",)).get_content()
        assert "href" not in html
        assert "Runbook: javascript:alert(1)" in html


class TestServer:
    def test_lets_in_who_has_the_password(self, guarded_mail):
        guarded_mail.channel(("watch", SecretStr(PASSWORD))).send(notice())
        assert len(guarded_mail.mails) == 1

    def test_refuses_another_and_the_password_is_not_told(self, guarded_mail):
        with pytest.raises(StratawatchError, match=r"does not let us in.*user and password") as refused:
            guarded_mail.channel(("watch", SecretStr("hunter3"))).send(notice())
        assert "hunter3" not in str(refused.value)

    def test_that_refuses_one_receiver_is_no_trouble_for_the_other(self, mail):
        mail.refused = {"kim@example.org": "550 nobody here"}
        mail.channel().send(notice())
        assert [to for to, _ in mail.mails] == [["ops@example.org"]]

    def test_that_refuses_all_is_tried_again(self, mail):
        mail.refused = dict.fromkeys(("ops@example.org", "kim@example.org"), "451 later")
        with pytest.raises(Unreachable, match=r"did not take the message.*451"):
            mail.channel().send(notice())
        mail.refused = {}
        assert not mail.channel().send(notice()).duplicate

    def test_that_is_away_cannot_be_reached(self, mail):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        with pytest.raises(NoConnection, match="cannot be reached"):
            mail.channel(port=port).send(notice())

    def test_that_is_no_mail_server_is_said(self, mail):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            channel = mail.channel(port=silent.getsockname()[1])
            channel._server._timeout = 0.3
            with pytest.raises(Unreachable, match="did not answer as one"):
                channel.send(notice())


class TestAsk:
    def test_logs_in_and_sends_nothing(self, guarded_mail, mail):
        channel = guarded_mail.channel(("watch", SecretStr(PASSWORD)))
        assert channel.ask() == "the mail server answers, and lets us in"
        assert mail.channel().ask() == "the mail server answers"
        assert mail.mails == guarded_mail.mails == []

    def test_raises_where_nobody_is_let_in(self, guarded_mail):
        with pytest.raises(StratawatchError, match="does not let us in"):
            guarded_mail.channel(("watch", SecretStr("hunter3"))).ask()

    def test_raises_where_nothing_is_taken_now(self, mail):
        mail.busy = "421 later"
        with pytest.raises(Unreachable, match="takes nothing now; got 421 later"):
            mail.channel().ask()


RIGHT = {"kind": "mail", "host": "mail.example.org", "sender": "watch@example.org", "to": ["ops@example.org"]}


class TestSettings:
    def test_are_encrypted_unless_the_server_is_here(self):
        assert MailSettings.model_validate(RIGHT).security == "starttls"
        with pytest.raises(ValidationError, match="on this machine"):
            MailSettings.model_validate({**RIGHT, "security": "none"})
        assert MailSettings.model_validate({**RIGHT, "host": "localhost", "security": "none"})

    @pytest.mark.parametrize(
        "wrong",
        [
            {"to": []},
            {"to": ["ops"]},
            {"to": ["a@b, c@d"]},
            {"sender": "Ops <ops@example.org>"},
            {"sender": "ops@example.org\nBcc: x@y"},
            {"user": "watch"},
            {"password": "${env:P}"},
            {"port": 0},
            {"security": "plain"},
        ],
    )
    def test_that_cannot_be_right_are_refused(self, wrong):
        with pytest.raises(ValidationError):
            MailSettings.model_validate({**RIGHT, **wrong})


REPORT = {"severity": "update", "subject": "spam, 2026-01-12: OK", "dedup_key": "stratawatch:spam:report:2026-W03"}


class TestReport:
    def sent(self, mail, page):
        facts = {"panel": "spam", "update": "report", "report_page": page}
        mail.channel().send(notice(facts=facts, body="Nothing needs attention.", **REPORT))
        ((_, message),) = mail.mails
        return message

    def test_has_its_page_as_a_file(self, mail, tmp_path):
        (tmp_path / "reports" / "spam").mkdir(parents=True)
        (tmp_path / "reports" / "spam" / "2026-01-12.html").write_text("<!doctype html><p>spam é</p>", encoding="utf-8")
        message = self.sent(mail, "reports/spam/2026-01-12.html")
        assert message["Subject"] == "[stratawatch] REPORT: spam, 2026-01-12: OK"
        assert "Nothing needs attention." in message.get_body(("plain",)).get_content()
        (page,) = message.iter_attachments()
        assert (page.get_filename(), page.get_content_type()) == ("spam-2026-01-12.html", "text/html")
        assert page.get_payload(decode=True).decode() == "<!doctype html><p>spam é</p>"

    @pytest.mark.parametrize(
        ("page", "why"),
        [
            ("reports/spam/2026-01-12.html", "The page was deleted and is not attached: reports/spam/2026-01-12.html"),
            ("reports", "The page cannot be read (IsADirectoryError) and is not attached: reports"),
            ("large.html", "The page is too large to attach: large.html"),
            (
                "../elsewhere.html",
                "The page is not below the folder of the configuration and not attached: ../elsewhere.html",
            ),
        ],
    )
    def test_says_why_one_is_missing(self, mail, tmp_path, page, why):
        (tmp_path.parent / "elsewhere.html").write_text("secret")
        (tmp_path / "reports").mkdir()
        (tmp_path / "large.html").write_bytes(b"x" * (LARGEST_PAGE + 1))
        message = self.sent(mail, page)
        assert list(message.iter_attachments()) == []
        assert why in message.get_body(("plain",)).get_content()
        assert why.rpartition(": ")[2] in message.get_body(("html",)).get_content()

    def test_says_nothing_of_a_page_that_it_has_or_that_none_was_written(self, mail, tmp_path):
        (tmp_path / "page.html").write_text("x")
        for page in ("page.html", ""):
            mail.channel().send(
                notice(
                    page,
                    facts={"panel": "spam", "update": "report", "report_page": page},
                    body="All is well.",
                    **REPORT,
                )
            )
        for _, message in mail.mails:
            assert "attach" not in message.get_body(("plain",)).get_content()

    def test_no_other_notification_has_a_file(self, mail, tmp_path):
        (tmp_path / "page.html").write_text("x")
        mail.channel().send(notice(facts={"panel": "spam", "report_page": "page.html"}))
        ((_, message),) = mail.mails
        assert list(message.iter_attachments()) == []
