"""Alerts by HTTP, against a real receiver on loopback."""

import logging
import re
import socket
import threading
import time
import traceback
from hashlib import sha256

import pytest
from pydantic import SecretStr

from stratawatch.adapters.alerts.alert_text import notification_name
from stratawatch.adapters.alerts.webhook import WebhookChannel
from stratawatch.errors import ConfigError, NoAnswer, NoConnection, Unreachable
from tests.contracts.alerts.conftest import WebhookBackend
from tests.support.dripping_server import dripping
from tests.support.notices import notice
from tests.support.programs import loaded


@pytest.fixture
def receiver():
    backend = WebhookBackend()
    yield backend
    backend.close()


class TestRequest:
    def test_the_body_has_what_a_receiver_needs(self, receiver):
        receiver.channel().send(notice(severity="warning"))
        ((headers, body),) = receiver.requests
        assert headers["Idempotency-Key"] == sha256(b"n1").hexdigest()
        assert headers["Content-Type"] == "application/json"
        assert body == {
            "key": "n1",
            "dedup_key": "stratawatch:spam:lr:precision:all:breach:6",
            "event": "trigger",
            "severity": "warning",
            "subject": "BREACH: precision of lr (spam)",
            "body": notice().body,
            "facts": {"panel": "spam", "value": 0.712},
            "created_at": "2026-02-23T03:00:00+00:00",
        }

    def test_resolved_ends_what_page_and_warning_began(self, receiver):
        for key, severity in [("a", "page"), ("b", "warning"), ("c", "resolved")]:
            receiver.channel().send(notice(key, severity=severity))
        assert [body["event"] for _, body in receiver.requests] == ["trigger", "trigger", "resolve"]

    def test_an_update_is_an_event_of_its_own(self, receiver):
        receiver.channel().send(notice(severity="update", facts={"update": "reminder"}))
        ((_, body),) = receiver.requests
        assert (body["event"], body["severity"], body["facts"]) == ("update", "update", {"update": "reminder"})

    def test_headers_are_sent_and_the_idempotency_key_is_never_theirs(self, receiver):
        headers = {"Authorization": SecretStr("Bearer abc"), "Idempotency-Key": SecretStr("mine")}
        receiver.channel(headers=headers).send(notice())
        sent = receiver.requests[0][0]
        assert (sent["Authorization"], sent["Idempotency-Key"]) == ("Bearer abc", notification_name(notice()))

    @pytest.mark.parametrize("key", ["Ärger/\U0001f642", "two\r\nlines\0", "x" * 100_000])
    def test_the_header_stays_short_and_plain_and_the_body_has_the_whole_key(self, receiver, key):
        receiver.channel().send(notice(key))
        ((headers, body),) = receiver.requests
        assert re.fullmatch("[0-9a-f]{64}", headers["Idempotency-Key"])
        assert body["key"] == key

    def test_a_url_may_come_from_a_function(self, receiver):
        WebhookChannel(SecretStr(receiver.url)).send(notice())
        assert len(receiver.requests) == 1

    def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(self, receiver, monkeypatch):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        receiver.channel().send(notice())
        assert len(receiver.requests) == 1


class TestAnswer:
    @pytest.mark.parametrize("status", [200, 201, 202, 204])
    def test_any_2xx_is_success(self, receiver, status):
        receiver.status = status
        assert str(status) in receiver.channel().send(notice()).reference

    def test_409_says_that_it_is_there_already(self, receiver):
        receiver.status = 409
        assert receiver.channel().send(notice()).duplicate

    @pytest.mark.parametrize("status", [301, 307, 400, 401, 404, 429, 500, 503])
    def test_anything_else_is_unreachable_with_its_status(self, receiver, status):
        receiver.status = status
        with pytest.raises(Unreachable, match=f"HTTP {status} from http://127.0.0.1:"):
            receiver.channel().send(notice())

    def test_redirects_are_not_followed(self, receiver):
        other = WebhookBackend()
        receiver.status = 307
        receiver.answer_headers = {"Location": other.url}
        with pytest.raises(Unreachable, match="redirects are not followed"):
            receiver.channel().send(notice())
        other.close()
        assert other.requests == []

    def test_an_endless_answer_is_not_read(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            url = f"http://127.0.0.1:{server.getsockname()[1]}/"
            sent = []

            def pour():
                connection, _ = server.accept()
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
                try:
                    while sum(sent) < 200 << 20:
                        sent.append(connection.send(b"x" * 65536))
                except OSError:
                    pass
                connection.close()

            thread = threading.Thread(target=pour)
            thread.start()
            assert not WebhookChannel(SecretStr(url)).send(notice()).duplicate
            thread.join(timeout=20)
        assert not thread.is_alive()
        assert sum(sent) < 50 << 20

    def test_headers_without_end_are_not_read(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            url = f"http://127.0.0.1:{server.getsockname()[1]}/"
            sent = []

            def pour():
                connection, _ = server.accept()
                connection.recv(65536)
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                    while sum(sent) < 50 << 20:
                        sent.append(connection.send(b"x" * 65536))
                except OSError:
                    pass
                connection.close()

            thread = threading.Thread(target=pour)
            thread.start()
            with pytest.raises(NoAnswer, match="RemoteProtocolError"):
                WebhookChannel(SecretStr(url)).send(notice())
            thread.join(timeout=20)
        assert sum(sent) < 20 << 20

    def test_silence_is_unreachable_after_the_timeout(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            url = f"http://127.0.0.1:{server.getsockname()[1]}/"
            began = time.monotonic()
            with pytest.raises(Unreachable, match="Timeout"):
                WebhookChannel(SecretStr(url), timeout=0.3).send(notice())
        assert time.monotonic() - began < 5

    @pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n", b""])
    def test_an_answer_that_drips_is_unreachable_after_the_timeout(self, head):
        """Each byte comes in time for the client, and all of them never: the wait is for the whole."""
        with dripping(head) as url:
            began = time.monotonic()
            with pytest.raises(NoAnswer, match=r"Timeout of 0.5 seconds"):
                WebhookChannel(SecretStr(url), timeout=0.5).send(notice())
        assert time.monotonic() - began < 5

    def test_a_receiver_that_hangs_up_may_have_taken_it(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            url = f"http://127.0.0.1:{server.getsockname()[1]}/"

            def hang_up():
                connection, _ = server.accept()
                connection.recv(65536)
                connection.close()

            thread = threading.Thread(target=hang_up)
            thread.start()
            with pytest.raises(NoAnswer):
                WebhookChannel(SecretStr(url)).send(notice())
            thread.join(timeout=20)

    def test_nobody_there_is_unreachable(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        with pytest.raises(NoConnection, match="ConnectError"):
            WebhookChannel(SecretStr(f"http://localhost:{port}/")).send(notice())


class TestAddress:
    @pytest.mark.parametrize(
        "url",
        [
            "http://example.com/hook",
            "http://10.0.0.5/hook",
            "http://localhost.example.com/",
            "http://127.0.0.1.nip.io/",
        ],
    )
    def test_http_is_for_this_machine_only(self, url):
        with pytest.raises(ConfigError, match="unencrypted"):
            WebhookChannel(SecretStr(url))

    @pytest.mark.parametrize(
        "url", ["https://example.com/h", "http://localhost:1/", "http://[::1]:1/", "http://127.9.9.9/"]
    )
    def test_https_and_loopback_are_fine(self, url):
        assert WebhookChannel(SecretStr(url), name="ops").name == "ops"

    @pytest.mark.parametrize(
        "url", ["", "s3cr3t", "ftp://s3cr3t/", "https://", "https://h:99999/s3cr3t", "https://[s3cr3t/"]
    )
    def test_what_is_no_web_address_is_refused_without_being_shown(self, url):
        with pytest.raises(ConfigError, match="not a web address") as caught:
            WebhookChannel(SecretStr(url))
        assert "s3cr3t" not in str(caught.value)


class TestSecrets:
    @pytest.mark.parametrize("status", [202, 302, 500])
    def test_neither_log_nor_error_nor_traceback_shows_address_or_headers(self, receiver, caplog, status):
        receiver.status = status
        receiver.answer_headers = {"Location": receiver.url}
        caplog.set_level(logging.DEBUG)
        channel = receiver.channel(headers={"X-Token": SecretStr("s3cr3t-header")})
        said = ""
        try:
            channel.send(notice())
        except Unreachable:
            said = traceback.format_exc()
        assert (status == 202) == (said == "")
        assert "s3cr3t" not in said + caplog.text + repr(channel) + str(vars(channel))

    def test_a_header_that_http_forbids_is_not_shown(self, receiver):
        channel = receiver.channel(headers={"X-Token": SecretStr("s3cr3t\r\nX-Evil: 1")})
        with pytest.raises(Unreachable) as caught:
            channel.send(notice())
        assert type(caught.value) is Unreachable  # nothing was sent, and the channel is there
        assert "s3cr3t" not in "".join(traceback.format_exception(caught.value))

    def test_other_threads_calls_are_still_logged(self, receiver, caplog):
        caplog.set_level(logging.INFO)
        receiver.channel().send(notice())
        import httpx

        with httpx.Client(trust_env=False) as client:
            client.post(receiver.url, json={}, headers={"Idempotency-Key": "x"})
        assert caplog.text.count("HTTP Request") == 1


def test_loading_the_channel_does_not_load_httpx():
    assert loaded("import stratawatch.adapters.alerts.webhook", ["httpx"]) == set()


def test_a_report_has_an_event_of_its_own(receiver):
    receiver.channel().send(notice(severity="update", facts={"panel": "spam", "update": "report"}))
    ((_, body),) = receiver.requests
    assert body["event"] == "report"
