"""Apprise: its own JSON to a receiver here, and the card that it makes for Teams."""

import json
import logging
import traceback

import pytest
from pydantic import SecretStr

from stratawatch import extras
from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.alerts.apprise import AppriseChannel
from stratawatch.errors import ConfigError, NoAnswer, Unreachable
from stratawatch.extras import MissingExtra
from tests.support.event_services import AppriseBackend
from tests.support.free_ports import free_port
from tests.support.notices import notice

TEAMS = "workflows://prod-00.westeurope.logic.azure.com:443/s3cr3tworkflow/s3cr3tsignature/"
LARGEST_CARD = 28 * 1024
"""Bytes, of a message to a channel of Teams."""


@pytest.fixture
def apprise(tmp_path):
    backend = AppriseBackend(tmp_path)
    yield backend
    backend.close()


class TestAMessage:
    @pytest.mark.parametrize(
        ("severity", "kind", "head"),
        [("page", "failure", "PAGE"), ("warning", "warning", "WARNING"), ("resolved", "success", "RESOLVED")],
    )
    def test_has_the_kind_of_its_severity(self, apprise, severity, kind, head):
        apprise.channel().send(notice(severity=severity))
        (message,) = apprise.messages
        assert message["type"] == kind
        assert message["title"] == f"{head}: BREACH: precision of lr (spam)"
        assert message["message"].endswith("\n\nkey: stratawatch:spam:lr:precision:all:breach:6")

    def test_of_a_report_is_no_trouble(self, apprise):
        apprise.channel().send(notice(severity="update", facts={"panel": "spam", "update": "report"}))
        apprise.channel().send(notice("n2", severity="update", facts={"panel": "spam", "update": "reminder"}))
        assert [message["type"] for message in apprise.messages] == ["info", "warning"]

    def test_is_cut_to_what_the_service_takes_and_keeps_its_key(self):
        """A service of 160 characters without titles, as those that send to telephones."""
        channel = AppriseChannel(SecretStr("bulksms://user:password@+4930123456"))
        assert channel._service.title_maxlen == 0
        title, body = channel._words(notice(subject="s" * 30, body="word " * 600))
        assert len(title) + 2 + len(body) <= channel._service.body_maxlen
        assert "\n\nkey: stratawatch" in body

    def test_has_no_markdown_of_a_segments_name(self):
        channel = AppriseChannel(SecretStr(TEAMS))
        title, body = channel._words(notice(subject="*b*", body="x=[click](https://evil.example)\nsecond"))
        assert "](" not in body
        assert "*b*" not in title
        assert "\n\nsecond" in body


class TestTeams:
    @pytest.fixture
    def posted(self, monkeypatch):
        """What would go to Microsoft: nothing does."""
        posted = []

        class Answer:
            status_code, content = 202, b""

        def post(url, **content):
            posted.append((url, content))
            return Answer()

        monkeypatch.setattr("apprise.plugins.workflows.requests.post", post)
        return posted

    @pytest.mark.parametrize("size", [10, 3000])
    def test_gets_a_card_in_its_schema_without_pictures_of_others(self, posted, size):
        AppriseChannel(SecretStr(TEAMS)).send(notice(body="word " * (size // 5)))
        ((url, content),) = posted
        assert url.startswith(
            "https://prod-00.westeurope.logic.azure.com:443/workflows/s3cr3tworkflow/triggers/manual/"
        )
        assert content["allow_redirects"] is False
        message = json.loads(content["data"])
        assert len(content["data"]) < LARGEST_CARD
        (attachment,) = message["attachments"]
        assert message["type"] == "message"
        assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
        card = attachment["content"]
        assert card["type"] == "AdaptiveCard"
        assert "precision of lr" in json.dumps(card["body"])
        assert "github" not in content["data"]

    def test_may_be_given_as_microsoft_shows_it(self, posted):
        url = (
            "https://prod-00.westeurope.logic.azure.com:443/workflows/s3cr3t/triggers/manual/paths/invoke"
            "?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=s3cr3t"
        )
        AppriseChannel(SecretStr(url)).send(notice())
        assert len(posted) == 1


class TestTrouble:
    @pytest.mark.parametrize("status", [400, 404, 429, 500, 503])
    def test_a_refusal_is_one_that_did_not_arrive(self, apprise, status):
        apprise.service.broken = status, "no"
        with pytest.raises(Unreachable, match=f"got HTTP {status}") as refused:
            apprise.channel().send(notice())
        assert type(refused.value) is Unreachable
        apprise.service.broken = None
        assert not apprise.channel().send(notice()).duplicate

    def test_what_did_not_answer_may_have_arrived(self):
        channel = AppriseChannel(SecretStr(f"json://127.0.0.1:{free_port()}/s3cr3t"))
        with pytest.raises(NoAnswer, match="the alert channel 'apprise' did not take what was sent"):
            channel.send(notice())

    def test_an_answer_that_does_not_come_is_not_waited_for(self):
        from socket import create_server

        with create_server(("127.0.0.1", 0)) as silent:
            channel = AppriseChannel(SecretStr(f"json://127.0.0.1:{silent.getsockname()[1]}/"), timeout=0.3)
            with pytest.raises(NoAnswer):
                channel.send(notice())

    @pytest.mark.parametrize("url", ["", "s3cr3t", "nosuch://s3cr3t", "workflows://s3cr3t", "json://"])
    def test_an_address_that_is_none_is_refused_without_being_shown(self, url):
        with pytest.raises(ConfigError, match="none that Apprise can use") as refused:
            AppriseChannel(SecretStr(url), "ops")
        assert "s3cr3t" not in str(refused.value)

    @pytest.mark.parametrize("url", ["json://example.org/s3cr3t", "mailto://s3cr3t:s3cr3t@example.org"])
    def test_another_host_is_reached_encrypted_only(self, url):
        with pytest.raises(ConfigError, match="unencrypted") as refused:
            AppriseChannel(SecretStr(url))
        assert "s3cr3t" not in str(refused.value)

    def test_without_the_package_the_extra_is_named(self, monkeypatch):
        monkeypatch.setattr(extras, "find_spec", lambda name: None)
        with pytest.raises(MissingExtra, match=r"stratawatch\[apprise\]"):
            AppriseChannel(SecretStr("json://localhost/"))


class TestSecrets:
    @pytest.mark.parametrize("broken", [None, (500, "no"), (302, "elsewhere")])
    def test_are_in_no_log_error_or_traceback(self, apprise, caplog, broken):
        caplog.set_level(0)
        apprise.service.broken = broken
        said, page = "", notice(body="c4nary")
        try:
            apprise.channel().send(page)
        except Unreachable:
            said = traceback.format_exc()
        assert (broken is None) == (said == "")
        assert "s3cr3t" not in said + caplog.text
        assert "c4nary" not in said + caplog.text

    def test_logs_of_other_threads_go_on(self, apprise, caplog):
        from threading import Thread

        def other():
            logging.getLogger("apprise").warning("of another thread")

        judge = apprise.service.judge

        def meanwhile(*request):
            thread = Thread(target=other)
            thread.start()
            thread.join()
            return judge(*request)

        apprise.service.judge = meanwhile
        apprise.channel().send(notice())
        assert caplog.text.count("of another thread") == 1
        assert "s3cr3t" not in caplog.text

    def test_the_address_comes_by_reference(self, apprise, tmp_path, monkeypatch):
        monkeypatch.setenv("APPRISE_URL", apprise.url)
        table = {"kind": "apprise", "url": "${env:APPRISE_URL}"}
        ChannelSettings.model_validate(table).build(BuildContext(tmp_path)).send(notice())
        assert len(apprise.messages) == 1
