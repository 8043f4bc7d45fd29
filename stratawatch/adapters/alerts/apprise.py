"""Alerts through Apprise, which knows a hundred services by addresses of its own kind, Teams among them."""

import logging
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import SecretStr

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.alerts.alert_text import cut, headed, lines, link_lines, one_line
from stratawatch.adapters.alerts.sent_keys import SentKeys
from stratawatch.adapters.object_storage import LOOPBACK
from stratawatch.adapters.secret_address import STEP_TIMEOUT, TIMEOUT
from stratawatch.engine.model.alarm_records import Notification, Severity
from stratawatch.engine.model.label_events import Receipt
from stratawatch.errors import ConfigError, NoAnswer, Unreachable
from stratawatch.extras import require
from stratawatch.settings import shapes

if TYPE_CHECKING:
    from apprise import NotifyBase

LONGEST_TITLE: Final = 200
LONGEST_BODY: Final = 4000
LONGEST_KEY: Final = 200
_TYPES: Final[dict[Severity, str]] = {
    "page": "failure",
    "warning": "warning",
    "update": "warning",
    "resolved": "success",
}
_TYPE_OF_REPORT: Final = "info"
_STATUS: Final = re.compile(r"\berror=(\d{3})\b")
"""How Apprise logs what a service answered; it returns no more than whether all went well."""
_UNMARKED: Final = str.maketrans({sign: f"{sign}\N{WORD JOINER}" for sign in "*_~`[]"})
"""A word joiner behind a sign keeps it from being read as Markdown of ours or of a segment's name."""


class AppriseSettings(ChannelSettings):
    """kind = "apprise": one address of Apprise's, which holds passwords and is a secret."""

    kind: Literal["apprise"]
    name: shapes.Name = "apprise"
    url: shapes.Secret

    def build(self, context: BuildContext) -> "AppriseChannel":
        """The channel; its address is looked up now."""
        sent, timeout = SentKeys.of_channel(context.folder, self.name), self.timeout.total_seconds()
        return AppriseChannel(context.reveal(self.url), self.name, sent=sent, timeout=timeout)


class AppriseChannel:
    """Sends each notification once, as far as its file knows: what is behind Apprise need not notice a second one.

    Texts are cut to the length that the service takes; else Apprise would leave that to the service.
    """

    def __init__(
        self, url: SecretStr, name: str = "apprise", *, sent: SentKeys | None = None, timeout: float = TIMEOUT
    ) -> None:
        require("apprise")
        self.name = name
        self._sent = sent or SentKeys()
        with _muted():
            self._service = _service(url.get_secret_value(), name)
        self._service.socket_connect_timeout = self._service.socket_read_timeout = min(timeout, STEP_TIMEOUT)

    def send(self, notification: Notification) -> Receipt:
        """Send a notification, once."""
        from apprise import Apprise

        if notification.key in self._sent:
            return Receipt(notification.key, duplicate=True)
        sender, statuses = Apprise(asset=self._service.asset), _Statuses()
        sender.add(self._service)
        title, body = self._words(notification)
        kind = _TYPE_OF_REPORT if notification.is_report else _TYPES[notification.severity]
        with _muted(), statuses.collected():
            taken = sender.notify(body, title, kind, body_format="text")
        if not taken:
            raise self._failure(statuses.newest)
        self._sent.add(notification.key)
        return Receipt(notification.key)

    def _words(self, notification: Notification) -> tuple[str, str]:
        """Title and body, with links and the key at the end; without links where a service has room for a sentence.

        Where it has no titles, Apprise writes both into its body.
        """
        title = headed(notification, LONGEST_TITLE)
        title, is_apart = self._plain(title), self._service.title_maxlen > 0
        if is_apart:
            title = cut(title, self._service.title_maxlen)
        room = min(self._service.body_maxlen - (0 if is_apart else len(title) + 2), LONGEST_BODY)
        key = cut(self._plain(f"key: {one_line(notification.dedup_key, LONGEST_KEY)}"), max(room // 2, 10))
        break_ = "\n\n" if self._is_markdown else "\n"
        below = break_.join([*link_lines(notification), key])  # as they are: a link that is marked up leads nowhere
        below = below if len(below) <= max(room // 2, len(key)) else key
        text = break_.join(map(self._plain, lines(notification.body, LONGEST_BODY).splitlines()))
        return title, f"{cut(text, max(room - len(below) - 2, 10))}\n\n{below}"

    @property
    def _is_markdown(self) -> bool:
        return str(self._service.notify_format.value) == "markdown"

    def _plain(self, text: str) -> str:
        return text.translate(_UNMARKED) if self._is_markdown else text

    def _failure(self, status: str) -> Unreachable:
        what = f"the alert channel '{self.name}' did not take what was sent"
        if status:
            return Unreachable(what, expected="an answer of 2xx", got=f"HTTP {status}")
        # Apprise does not say whether it arrived.
        return NoAnswer(what, hint="see that the address is right and that this machine may connect to it")


def _service(url: str, name: str) -> "NotifyBase":
    from apprise import Apprise, AppriseAsset, NotifyBase

    # Nothing of the library's own: no pictures from its site, no files, no redirects, no threads.
    asset = AppriseAsset(
        app_id="stratawatch",
        app_desc="stratawatch",
        app_url="",
        image_url_mask="",
        image_url_logo="",
        async_mode=False,
        http_redirects=False,
        storage_mode="memory",
    )
    service = Apprise.instantiate(url, asset=asset)
    if not isinstance(service, NotifyBase):
        raise ConfigError(
            f"the url of the alert channel '{name}' is none that Apprise can use",
            expected="an address of Apprise, such as workflows://host/workflow/signature for Teams",
            hint="the value is a secret and is not shown here; some services need a package more",
        )
    scheme = url.partition("://")[0].lower()
    if service.secure_protocol and scheme in _all(service.protocol) and service.host not in LOOPBACK:
        raise ConfigError(
            f"the url of the alert channel '{name}' would be reached unencrypted",
            expected=f"{_all(service.secure_protocol)[0]}://",
            got=f"{scheme}://",
            hint="that is for this machine only (localhost)",
        )
    return service


def _all(protocols: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return (protocols,) if isinstance(protocols, str) else tuple(protocols or ())


class _Statuses(logging.Handler):
    """The statuses that services answered in this thread, out of what Apprise logs."""

    def __init__(self) -> None:
        super().__init__()
        self.newest = ""
        self._thread = get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        """Look for a status in a record, and keep nothing else of it."""
        found = _STATUS.search(record.getMessage()) if record.thread == self._thread else None
        self.newest = found[1] if found else self.newest

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Listen for a while."""
        logger = logging.getLogger("apprise")
        logger.addHandler(self)
        try:
            yield
        finally:
            logger.removeHandler(self)


@contextmanager
def _muted() -> Iterator[None]:
    """Keep this thread out of all logs: addresses and what is sent are written down by Apprise, and by its clients."""
    mine = get_ident()

    def of_others(record: logging.LogRecord) -> bool:
        return record.thread != mine or record.name.startswith("stratawatch")

    known: list[Any] = [logging.root, *logging.root.manager.loggerDict.values()]
    handlers = {handler for logger in known for handler in getattr(logger, "handlers", ())}
    handlers |= {logging.lastResort} if logging.lastResort else set()
    with ExitStack() as after:
        for handler in handlers:
            handler.addFilter(of_others)
            after.callback(handler.removeFilter, of_others)
        yield
