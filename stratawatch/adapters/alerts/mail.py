"""Alerts by mail: text and HTML over SMTP, the messages about one incident in one thread."""

import smtplib
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import format_datetime
from html import escape
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import quote

from pydantic import AfterValidator, Field, SecretStr, model_validator

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.alerts.alert_text import (
    headed,
    incident_name,
    lines,
    link_lines,
    notification_name,
    one_line,
)
from stratawatch.adapters.alerts.mail_chart import chart_html, chart_text
from stratawatch.adapters.alerts.report_page import ReportPicture, page_of, pictures_of
from stratawatch.adapters.alerts.sent_keys import SentKeys
from stratawatch.adapters.object_storage import LOOPBACK
from stratawatch.adapters.secret_address import STEP_TIMEOUT, TIMEOUT
from stratawatch.engine.model.alarm_records import Notification
from stratawatch.engine.model.label_events import Receipt
from stratawatch.engine.model.panel_links import WORDS, is_clickable, links_of
from stratawatch.errors import NoAnswer, NoConnection, StratawatchError, Unreachable
from stratawatch.formatting import printable
from stratawatch.settings import shapes

LONGEST_SUBJECT: Final = 200
LONGEST_BODY: Final = 20_000
_PICTURE_WIDTH: Final = 520
"""Pixels at most; the file has half as many more, for screens that are finer."""
Security = Literal["tls", "starttls", "none"]
_PORTS: Final[dict[Security, int]] = {"tls": 465, "starttls": 587, "none": 25}


def _address(text: str) -> str:
    name, at, domain = text.rpartition("@")
    if not (name and at and domain) or any(sign.isspace() or sign in '<>,;:\\"()[]' for sign in text):
        raise ValueError("is no mail address; write it like ops@example.org")
    return text


Address = Annotated[str, AfterValidator(_address)]


class MailSettings(ChannelSettings):
    """kind = "mail": a mail server, from whom and to whom."""

    kind: Literal["mail"]
    name: shapes.Name = "mail"
    host: shapes.Text
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """465 with "tls", 587 with "starttls", 25 with "none"."""
    security: Security = "starttls"
    user: shapes.Text | None = None
    password: shapes.Secret | None = None
    sender: Address
    to: Annotated[list[Address], Field(min_length=1)]

    @model_validator(mode="after")
    def _safe(self) -> "MailSettings":
        if (self.user is None) != (self.password is None):
            raise ValueError("`user` and `password` belong together")
        if self.security == "none" and self.host not in LOOPBACK:
            raise ValueError('security = "none" is for a mail server on this machine; write "starttls" or "tls"')
        return self

    def build(self, context: BuildContext) -> "MailChannel":
        """The channel; its password is looked up now."""
        server = MailServer(
            self.host,
            self.port or _PORTS[self.security],
            self.security,
            None if self.user is None or self.password is None else (self.user, context.reveal(self.password)),
            self.timeout.total_seconds(),
        )
        sent = SentKeys.of_channel(context.folder, self.name)
        return MailChannel(server, self.sender, self.to, self.name, sent=sent, folder=context.folder)


class MailServer:
    """Takes a message over SMTP. Errors name the server and what it said, and nothing of the password."""

    def __init__(
        self, host: str, port: int, security: Security, login: tuple[str, SecretStr] | None, timeout: float = TIMEOUT
    ) -> None:
        self._host, self._port, self._security, self._login = host, port, security, login
        self._timeout = min(timeout, STEP_TIMEOUT)

    def send(self, message: EmailMessage) -> None:
        """Hand a message over. One that some of its receivers cannot get is sent to the others, and is no error."""
        with self._connected() as server:
            server.send_message(message)

    def ask(self) -> str:
        """Connect, and log in where there is a login. Raises as `send` does."""
        with self._connected() as server:
            code, said = server.noop()
        if code >= 400:
            raise Unreachable(
                f"the mail server {self._host}:{self._port} takes nothing now",
                got=one_line(f"{code} {said.decode(errors='replace')}", 200),
            )
        return f"the mail server answers{'' if self._login is None else ', and lets us in'}"

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        where = f"{self._host}:{self._port}"
        try:
            with self._opened() as server:
                if self._security == "starttls":
                    server.starttls(context=ssl.create_default_context())
                if self._login is not None:
                    server.login(self._login[0], self._login[1].get_secret_value())
                yield server
        except smtplib.SMTPAuthenticationError as refused:
            raise StratawatchError(
                f"the mail server {where} does not let us in",
                got=f"{refused.smtp_code}",
                hint="see that user and password are right",
            ) from None
        except (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as refused:
            raise Unreachable(
                f"the mail server {where} did not take the message",
                got=one_line(_said(refused), 200),
                hint="see that sender and to are addresses that it takes",
            ) from None
        except smtplib.SMTPNotSupportedError as refused:
            raise StratawatchError(f"the mail server {where} cannot do that", got=one_line(str(refused), 200)) from None
        except (ConnectionError, smtplib.SMTPConnectError) as trouble:
            raise NoConnection(
                f"the mail server {where} cannot be reached",
                got=type(trouble).__name__,
                hint="see that host, port and security are right and that this machine may connect to it",
            ) from None
        except (smtplib.SMTPException, OSError) as trouble:
            raise NoAnswer(
                f"the mail server {where} did not answer as one",
                got=type(trouble).__name__,
                hint="see that host, port and security are right",
            ) from None

    def _opened(self) -> smtplib.SMTP:
        if self._security == "tls":
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(self._host, self._port, timeout=self._timeout, context=context)
        return smtplib.SMTP(self._host, self._port, timeout=self._timeout)


class MailChannel:
    """Mails each notification once, as far as its file knows: mail itself notices no second one.

    Message-ID and References follow from the keys, so that a program for mail shows one that came twice once, and
    beginning and end of an incident as one thread.
    """

    def __init__(
        self,
        server: MailServer,
        sender: str,
        to: Sequence[str],
        name: str = "mail",
        *,
        sent: SentKeys | None = None,
        folder: Path | None = None,
    ) -> None:
        self.name, self._folder = name, folder
        self._server, self._sender, self._to, self._sent = server, sender, tuple(to), sent or SentKeys()

    def send(self, notification: Notification) -> Receipt:
        """Mail a notification, once."""
        if notification.key in self._sent:
            return Receipt(notification.key, duplicate=True)
        message = self._message(notification)
        self._server.send(message)
        self._sent.add(notification.key)
        return Receipt(str(message["Message-ID"]))

    def ask(self) -> str:
        """Ask the mail server how it is; no mail is sent."""
        return self._server.ask()

    def _message(self, notification: Notification) -> EmailMessage:
        domain = self._sender.rpartition("@")[2]
        message = EmailMessage()
        message["Subject"] = f"[stratawatch] {headed(notification, LONGEST_SUBJECT)}"
        message["From"], message["To"] = self._sender, ", ".join(self._to)
        message["Date"] = format_datetime(notification.created_at)
        message["Message-ID"] = f"<{notification_name(notification)[:40]}@{domain}>"
        message["References"] = f"<incident.{incident_name(notification)[:40]}@{domain}>"
        message["In-Reply-To"] = message["References"]
        message["Auto-Submitted"] = "auto-generated"
        if notification.severity == "page":
            message["Importance"] = "high"
        body, links = lines(notification.body, LONGEST_BODY), links_of(notification.facts)
        key = one_line(notification.dedup_key, 1000)
        when = f"{notification.created_at:%Y-%m-%d %H:%M} +00:00"
        subject = headed(notification, LONGEST_SUBJECT)
        page = page_of(notification, self._folder)
        body = "\n".join(filter(None, [body, page.why_not]))
        parts = [f"{subject}\n{when}", body, chart_text(notification.facts), "\n".join(link_lines(notification))]
        message.set_content("\n\n".join([*filter(None, parts), f"key: {key}"]) + "\n")
        paragraphs = "".join(f"<p>{escape(line)}</p>\n" for line in body.splitlines())
        below = "".join(f"<p>{WORDS[name]}: {_link(said)}</p>\n" for name, said in links.items())
        pictures = _with_ids(
            pictures_of(notification, self._folder), f"{notification_name(notification)[:40]}@{domain}"
        )
        message.add_alternative(
            f'<!doctype html><html><body><h1 style="font-size:1.2em">{escape(subject)}</h1>\n<p>{when}</p>\n'
            f"{paragraphs}{''.join(map(_shown, pictures))}{chart_html(notification.facts)}{below}"
            f"<p><small>key: {escape(key)}</small></p></body></html>\n",
            subtype="html",
        )
        _add_pictures(message, pictures)
        if page.name:
            message.add_attachment(page.content, maintype="text", subtype="html", filename=page.name)
        return message


@dataclass(frozen=True)
class _Inline:
    """A picture, and the id by which the HTML of a mail shows it."""

    picture: ReportPicture
    content_id: str


def _with_ids(pictures: Sequence[ReportPicture], of: str) -> list[_Inline]:
    return [_Inline(picture, f"picture{place}.{of}") for place, picture in enumerate(pictures, start=1)]


def _shown(one: _Inline) -> str:
    """An image that is as wide as the screen allows; programs that hold pictures back show its words."""
    source, words = escape(f"cid:{quote(one.content_id, safe='@')}"), escape(one.picture.finding)
    look = "max-width:100%;height:auto;border:0"
    return f'<p><img src="{source}" alt="{words}" width="{_PICTURE_WIDTH}" style="{look}"></p>\n'


def _add_pictures(message: EmailMessage, pictures: Sequence[_Inline]) -> None:
    """Put pictures beside the HTML part, which becomes multipart/related; the text part stays the first."""
    html = message.get_body(("html",))
    if html is None:  # there always is one
        return
    for one in pictures:
        html.add_related(
            one.picture.content,
            "image",
            "png",
            cid=f"<{one.content_id}>",
            filename=one.picture.name,
            disposition="inline",
        )


def _link(said: str) -> str:
    """The address of a link, escaped; it can be clicked on only if a mail program opens it safely."""
    text = escape(printable(said))
    return f'<a href="{text}">{text}</a>' if is_clickable(said) else text


def _said(refused: smtplib.SMTPException) -> str:
    if isinstance(refused, smtplib.SMTPRecipientsRefused):
        return ", ".join(f"{to}: {code}" for to, (code, _) in refused.recipients.items())
    return str(getattr(refused, "smtp_code", refused))
