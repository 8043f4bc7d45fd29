"""Alerts to Slack: posts by an incoming webhook, or by a bot whose message about an incident says when it is over."""

import json
from typing import Any, Final, Literal

from pydantic import SecretStr, model_validator

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.alerts.alert_text import cut, headed, incident_name, is_acknowledgement, lines, one_line
from stratawatch.adapters.alerts.sent_keys import SentKeys, SentMessages
from stratawatch.adapters.secret_address import TIMEOUT, SecretAddress
from stratawatch.engine.model.alarm_records import Notification
from stratawatch.engine.model.label_events import Receipt
from stratawatch.engine.model.panel_links import LEADS, WORDS, links_of
from stratawatch.errors import StratawatchError, Unreachable
from stratawatch.settings import shapes

API: Final = "https://slack.com/api"
LONGEST_HEADER: Final = 150
LONGEST_KEY: Final = 200
LONGEST: Final = 1490
"""Characters that people read of a message, breaks between its blocks aside, which are fewer than 1,500 with these."""
LONGEST_SECTION: Final = 3000
"""Slack's own limit, as it counts what is escaped; of a header it is 150."""
MOST_BYTES: Final = 1_000_000
_LATER: Final = ("ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout")
"""What Slack calls refusals that are about the moment."""


class SlackSettings(ChannelSettings):
    """kind = "slack": `url` of an incoming webhook, or `token` of a bot with `channel`."""

    kind: Literal["slack"]
    name: shapes.Name = "slack"
    url: shapes.Secret | None = None
    token: shapes.Secret | None = None
    channel: shapes.Text | None = None
    api: shapes.Text = API

    @model_validator(mode="after")
    def _one_way(self) -> "SlackSettings":
        if (self.url is None) == (self.token is None) or (self.token is None) != (self.channel is None):
            raise ValueError("needs either `url` of an incoming webhook, or `token` of a bot and its `channel`")
        return self

    def build(self, context: BuildContext) -> "SlackWebhookChannel | SlackBotChannel":
        """The channel; secrets are looked up now."""
        sent, timeout = SentKeys.of_channel(context.folder, self.name), self.timeout.total_seconds()
        if self.url is not None:
            return SlackWebhookChannel(context.reveal(self.url), name=self.name, sent=sent, timeout=timeout)
        if self.token is None or self.channel is None:
            raise AssertionError("the settings were validated")
        messages = SentMessages.of_channel(context.folder, self.name)
        return SlackBotChannel(
            context.reveal(self.token), self.channel, self.api, self.name, sent=sent, messages=messages, timeout=timeout
        )


class SlackWebhookChannel:
    """Posts to one channel. Slack does not notice what it has already: a file of ours does."""

    def __init__(
        self, url: SecretStr, *, name: str = "slack", sent: SentKeys | None = None, timeout: float = TIMEOUT
    ) -> None:
        self.name = name
        self._sent = sent or SentKeys()
        self._address = SecretAddress(f"the alert channel '{name}'", url, timeout=timeout)

    def send(self, notification: Notification) -> Receipt:
        """Post a notification, once."""
        if notification.key in self._sent:
            return Receipt(notification.key, duplicate=True)
        status = self._address.post(slack_message(notification))
        self._sent.add(notification.key)
        return Receipt(f"HTTP {status} {notification.key}")


class SlackBotChannel:
    """Posts as a bot. The end of an incident is written into the message of its beginning, and below it as an answer.

    Updates are answers; a reminder is shown in the channel too.

    Who only looks sees at once that it is over; the answer tells those who follow the message.
    """

    def __init__(
        self,
        token: SecretStr,
        channel: str,
        api: str = API,
        name: str = "slack",
        *,
        sent: SentKeys | None = None,
        messages: SentMessages | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        self.name = name
        self._channel, self._sent, self._messages = channel, sent or SentKeys(), messages or SentMessages()
        bearer = {"Authorization": SecretStr(f"Bearer {token.get_secret_value()}")}
        self._address = SecretAddress(f"the alert channel '{name}'", SecretStr(api), bearer, timeout)

    def send(self, notification: Notification) -> Receipt:
        """Post a notification, once; the end of an incident into the message of its beginning too."""
        if notification.key in self._sent:
            return Receipt(notification.key, duplicate=True)
        message, incident = slack_message(notification), incident_name(notification)
        opening = None if notification.is_opening else self._messages.of(incident)
        if opening is None:
            posted = self._call("chat.postMessage", {"channel": self._channel, **message})
            self._messages.add(incident, {"channel": str(posted["channel"]), "ts": str(posted["ts"])})
        else:
            if notification.severity == "resolved":
                self._call("chat.update", {**opening, **message})
            elif not is_acknowledgement(notification):
                message["reply_broadcast"] = True
            posted = self._call(
                "chat.postMessage", {"channel": opening["channel"], "thread_ts": opening["ts"], **message}
            )
        self._sent.add(notification.key)
        return Receipt(f"{posted.get('channel')} {posted.get('ts')}")

    def _call(self, method: str, content: dict[str, Any]) -> dict[str, Any]:
        status, body = self._address.exchange("POST", f"/{method}", {}, {"json": content}, MOST_BYTES)
        try:
            answer = json.loads(body)
        except ValueError:
            answer = {}
        if isinstance(answer, dict) and answer.get("ok") is True:
            return answer
        reason = one_line(str(answer.get("error") if isinstance(answer, dict) else ""), 100) or f"HTTP {status}"
        if reason in _LATER:
            raise Unreachable(f"Slack cannot take what the alert channel '{self.name}' sends now", got=reason)
        raise StratawatchError(
            f"Slack refused what the alert channel '{self.name}' sent",
            got=reason,
            hint="see that the bot has the scope chat:write and was invited to the channel, and that token is right",
        )


def slack_message(notification: Notification) -> dict[str, Any]:
    """A message in blocks, with the same words as the text that a telephone shows."""
    header = headed(notification, LONGEST_HEADER)
    foot = f"{notification.created_at:%Y-%m-%d %H:%M} +00:00 {one_line(notification.dedup_key, LONGEST_KEY)}"
    body = _body(notification, LONGEST - len(header) - len(foot) - _links_read(notification))
    links = [{"type": "mrkdwn", "text": text, "verbatim": True} for text in _links(notification)]
    return {
        "text": _escaped(f"{header}\n{cut(body, 300)}"),
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": header, "emoji": False}},
            {"type": "section", "text": {"type": "mrkdwn", "text": _escaped(body) or "-", "verbatim": True}},
            *([{"type": "context", "elements": links}] if links else []),
            {"type": "context", "elements": [{"type": "plain_text", "text": foot, "emoji": False}]},
        ],
        "unfurl_links": False,
        "unfurl_media": False,
    }


def _body(notification: Notification, longest: int) -> str:
    """The body cut to the characters that are left for it; to fewer where it is full of what has to be escaped."""
    body = lines(notification.body, longest)
    return body if len(_escaped(body)) <= LONGEST_SECTION else cut(body, LONGEST_SECTION // len("&amp;"))


def _links_read(notification: Notification) -> int:
    """How many characters people read of the links: of an address only its word."""
    said = links_of(notification.facts)
    return sum(
        len(WORDS[name]) if name in LEADS else len(f"{WORDS[name]}: {one_line(text, 200)}")
        for name, text in said.items()
    )


def _links(notification: Notification) -> list[str]:
    return [
        f"<{_entities(said)}|{WORDS[name]}>" if name in LEADS else f"{WORDS[name]}: {_escaped(one_line(said, 200))}"
        for name, said in links_of(notification.facts).items()
    ]


def _escaped(text: str) -> str:
    """Text in which Slack sees no link, no mention and no markup of ours or of a segment's name."""
    return _entities(text).translate(_UNMARKED)


def _entities(text: str) -> str:
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, name)
    return text


_UNMARKED: Final = str.maketrans({sign: f"{sign}\N{WORD JOINER}" for sign in "*_~`"})
"""A word joiner behind a sign keeps Slack from reading it as bold, italics, strike or code."""
