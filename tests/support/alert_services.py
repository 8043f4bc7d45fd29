"""What is on the other side of alert channels: servers that check what PagerDuty and Slack document, and a mail server."""

import json
import re
import threading
from collections.abc import Callable
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from pydantic import SecretStr

from stratawatch.adapters.alerts.mail import MailChannel, MailServer
from stratawatch.adapters.alerts.pagerduty import PagerDutyChannel
from stratawatch.adapters.alerts.sent_keys import SentKeys, SentMessages
from stratawatch.adapters.alerts.slack import SlackBotChannel, SlackWebhookChannel
from tests.support.free_ports import free_port

ROUTING_KEY = "R0123456789abcdef0123456789abcde"
BOT = "xoxb-hunter2"
PASSWORD = "hunter2"

Answer = tuple[int, Any]


class HttpService:
    """A server on loopback that answers each request with what `judge` says of path, headers and JSON; None of a GET."""

    def __init__(self, judge: Callable[[str, dict[str, str], Any], Answer]):
        service = self
        self.judge = judge
        self.broken: Answer | None = None
        """What it answers instead."""

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def do_GET(self):
                self.answer(None)

            def answer(self, content):
                status, answer = service.broken or service.judge(self.path, dict(self.headers), content)
                body = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class PagerDutyBackend:
    """The Events API of version 2, as far as it is documented: what it would refuse, and which incidents are open."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.events: list[dict] = []
        self.open: set[str] = set()
        self.service = HttpService(self._judged)

    def _judged(self, path, headers, event) -> Answer:
        faults = list(pagerduty_faults(event)) if path == "/v2/enqueue" else ["no such path"]
        if faults:
            return 400, {"status": "invalid event", "message": "Event object is invalid", "errors": faults}
        self.events.append(event)
        (self.open.add if event["event_action"] == "trigger" else self.open.discard)(event["dedup_key"])
        return 202, {"status": "success", "message": "Event processed", "dedup_key": event["dedup_key"]}

    def channel(self, key=ROUTING_KEY, **settings) -> PagerDutyChannel:
        sent = SentKeys.of_channel(self.folder, "pagerduty")
        return PagerDutyChannel(SecretStr(key), f"{self.service.url}/v2/enqueue", sent=sent, **settings)

    def received(self) -> list[str]:
        return [json.dumps(event) for event in self.events]

    def close(self):
        self.service.close()


def pagerduty_faults(event: dict):
    if not re.fullmatch(r"[0-9A-Za-z]{32}", str(event.get("routing_key"))):
        yield "routing_key has 32 characters"
    if event.get("event_action") not in ("trigger", "acknowledge", "resolve"):
        yield "event_action"
    if not 0 < len(event.get("dedup_key", "")) <= 255:
        yield "dedup_key has 1 to 255 characters"
    payload = event.get("payload", {})
    if not 0 < len(payload.get("summary", "")) <= 1024:
        yield "summary has 1 to 1024 characters"
    if payload.get("severity") not in ("critical", "warning", "error", "info"):
        yield "severity"
    if not payload.get("source"):
        yield "source"
    datetime.fromisoformat(payload["timestamp"])
    if any(not isinstance(payload.get(name, ""), str) for name in ("component", "group", "class")):
        yield "component, group and class are texts"
    if len(json.dumps(event)) > 512_000:
        yield "an event has 512 KB"


class SlackBackend:
    """An incoming webhook, which takes what Slack's blocks allow."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.messages: list[dict] = []
        self.service = HttpService(self._judged)

    def _judged(self, path, headers, message) -> Answer:
        if not path.startswith("/services/") or list(slack_faults(message)):
            return 400, "invalid_blocks"
        self.messages.append(message)
        return 200, "ok"

    def channel(self, **settings) -> SlackWebhookChannel:
        sent = SentKeys.of_channel(self.folder, "slack")
        return SlackWebhookChannel(SecretStr(f"{self.service.url}/services/T0/B0/hunter2"), sent=sent, **settings)

    def received(self) -> list[str]:
        return [json.dumps(message) for message in self.messages]

    def close(self):
        self.service.close()


def slack_faults(message: dict):
    if not 0 < len(message["text"]) <= 4000:
        yield "text"
    longest = {"header": 150, "section": 3000, "context": 2000}
    if len(message["blocks"]) > 50:
        yield "blocks"
    for block in message["blocks"]:
        for text in block.get("elements", [block.get("text")]):
            if not 0 < len(text["text"]) <= longest[block["type"]] or text["type"] not in ("plain_text", "mrkdwn"):
                yield block["type"]
        if block["type"] == "header" and block["text"]["type"] != "plain_text":
            yield "header"


class SlackBotBackend:
    """The methods of Slack's API that a bot posts and updates by."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.posts: dict[str, dict] = {}
        """Messages as they stand now, by their time."""
        self.service = HttpService(self._judged)

    def _judged(self, path, headers, said) -> Answer:
        if headers.get("Authorization") != f"Bearer {BOT}":
            return 200, {"ok": False, "error": "invalid_auth"}
        if list(slack_faults(said)):
            return 200, {"ok": False, "error": "invalid_blocks"}
        if path == "/chat.update":
            if said["ts"] not in self.posts or said["channel"] != "C0":
                return 200, {"ok": False, "error": "message_not_found"}
            self.posts[said["ts"]] |= {name: said[name] for name in ("text", "blocks")}
            return 200, {"ok": True, "channel": "C0", "ts": said["ts"]}
        if said["channel"] not in ("#alerts", "C0"):
            return 200, {"ok": False, "error": "channel_not_found"}
        at = f"1700000000.{len(self.posts):06}"
        self.posts[at] = said
        return 200, {"ok": True, "channel": "C0", "ts": at}

    def channel(self, token=BOT, channel="#alerts", **settings) -> SlackBotChannel:
        return SlackBotChannel(
            SecretStr(token),
            channel,
            self.service.url,
            sent=SentKeys.of_channel(self.folder, "slack"),
            messages=SentMessages.of_channel(self.folder, "slack"),
            **settings,
        )

    def received(self) -> list[str]:
        return [json.dumps(post) for post in self.posts.values()]

    def close(self):
        self.service.close()


class MailBackend:
    """A mail server, which keeps what it takes."""

    def __init__(self, folder: Path, *, login: bool = False):
        self.folder = folder
        self.mails: list[tuple[list[str], EmailMessage]] = []
        self.refused: dict[str, str] = {}
        """Receivers that it does not take, and what it says."""
        self.busy: str | None = None
        """What it says instead of doing nothing."""
        asked = {"auth_required": True, "auth_require_tls": False, "authenticator": self._authenticated}
        self.port = free_port()
        self.server = Controller(self, hostname="127.0.0.1", port=self.port, **(asked if login else {}))
        self.server.start()

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802 - aiosmtpd's name
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_NOOP(self, server, session, envelope, arg):  # noqa: N802
        return self.busy or "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802
        self.mails.append((envelope.rcpt_tos, message_from_bytes(envelope.content, policy=policy.default)))
        return "250 OK"

    @staticmethod
    def _authenticated(server, session, envelope, mechanism, said):
        is_right = isinstance(said, LoginPassword) and (said.login, said.password) == (b"watch", PASSWORD.encode())
        return AuthResult(success=is_right, handled=is_right)

    def channel(self, login=None, to=("ops@example.org", "kim@example.org"), port=None) -> MailChannel:
        server = MailServer("127.0.0.1", port or self.port, "none", login, 5)
        sent = SentKeys.of_channel(self.folder, "mail")
        return MailChannel(server, "watch@example.com", to, sent=sent, folder=self.folder)

    def received(self) -> list[str]:
        return [f"{mail['Subject']}\n{mail.get_body(('plain',)).get_content()}" for _, mail in self.mails]

    def close(self):
        self.server.stop()
