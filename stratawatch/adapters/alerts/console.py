"""Prints alerts on the terminal, as plain text in 60 columns."""

import sys
from collections.abc import Iterator
from textwrap import wrap
from typing import Final, Literal, TextIO

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.alerts.alert_text import head_of, link_lines
from stratawatch.adapters.alerts.sent_keys import SentKeys
from stratawatch.engine.model.alarm_records import Notification, Severity
from stratawatch.engine.model.label_events import Receipt
from stratawatch.errors import Unreachable
from stratawatch.formatting import printable
from stratawatch.settings.shapes import Name

WIDTH: Final = 60
COLOURS: Final[dict[Severity, str]] = {
    "page": "\033[1;31m",
    "warning": "\033[1;33m",
    "update": "\033[1;33m",
    "resolved": "\033[1;32m",
}
PLAIN: Final = "\033[0m"


class ConsoleSettings(ChannelSettings):
    """kind = "console": the terminal."""

    kind: Literal["console"]
    name: Name = "console"

    def build(self, context: BuildContext) -> "ConsoleChannel":
        """The channel."""
        return ConsoleChannel(self.name, sent=SentKeys.of_channel(context.folder, self.name))


class ConsoleChannel:
    """Writes to standard error, or to `stream`. The channel remembers what it sent: a terminal keeps nothing."""

    def __init__(self, name: str = "console", *, stream: TextIO | None = None, sent: SentKeys | None = None) -> None:
        self.name = name
        self._stream = stream
        self._sent = sent or SentKeys()

    def send(self, notification: Notification) -> Receipt:
        """Print a notification, once."""
        if notification.key in self._sent:
            return Receipt(notification.key, duplicate=True)
        # Looked up now: standard error may have been replaced since the channel was built.
        stream = self._stream or sys.stderr
        try:
            text = "\n".join(_lines(notification, coloured=stream.isatty())) + "\n"
            # A terminal that knows only ASCII must not stop a page.
            encoding = stream.encoding or "utf-8"
            stream.write(text.encode(encoding, "replace").decode(encoding))
            stream.flush()
        except (OSError, ValueError) as trouble:
            raise Unreachable("the console cannot be written", got=type(trouble).__name__) from trouble
        self._sent.add(notification.key)
        return Receipt(notification.key)


def _lines(notification: Notification, *, coloured: bool) -> Iterator[str]:
    head = head_of(notification)
    when = f"{notification.created_at:%Y-%m-%d %H:%M} +00:00"
    before, after = (COLOURS[notification.severity], PLAIN) if coloured else ("", "")
    yield "=" * WIDTH
    yield f"{before}{head}{after}{when.rjust(WIDTH - len(head))}"
    yield from _wrapped(notification.subject)
    yield ""
    for line in notification.body.splitlines():
        yield from _wrapped(line)
    for line in link_lines(notification):
        yield from _wrapped(line, break_long_words=False)  # an address in two parts cannot be followed
    yield from _wrapped(f"key: {notification.dedup_key}")
    yield "=" * WIDTH


def _wrapped(line: str, *, break_long_words: bool = True) -> list[str]:
    return wrap(
        printable(line), WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=break_long_words
    )
