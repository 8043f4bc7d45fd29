"""Options of a connection to PostgreSQL that stand in its address, beside those of its client.

Some are set by this program at the beginning of each transaction: poolers keep no session, and refuse start-up options.
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

SCHEMA: Final = "stratawatch_schema"
LOCK_TIMEOUT: Final = "stratawatch_lock_timeout"
STATEMENT_TIMEOUT: Final = "stratawatch_statement_timeout"
OWN: Final = (SCHEMA, LOCK_TIMEOUT, STATEMENT_TIMEOUT)
CONNECT_SECONDS: Final = 10
# A server that vanished is noticed after a minute and a half, and not by a reader who waits for hours.
_KEEPALIVE: Final = {
    "keepalives_idle": 60,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 90_000,  # milliseconds
}


def with_options(url: str, options: Mapping[str, str]) -> str:
    """The address with more options behind the question mark; they win over those that it has."""
    if not options:
        return url
    parts = urlsplit(url)
    there = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name not in options]
    return urlunsplit(parts._replace(query=urlencode([*there, *options.items()])))


def without_own(url: str) -> tuple[str, dict[str, str]]:
    """An address that PostgreSQL's client takes, and the options in it that are this program's."""
    parts = urlsplit(url)
    options = parse_qsl(parts.query, keep_blank_values=True)
    own = {name: value for name, value in options if name in OWN}
    if not own:
        return url, {}
    return urlunsplit(parts._replace(query=urlencode([pair for pair in options if pair[0] not in own]))), own


def client_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of the client that are not among these options of an address."""
    arguments = {"connect_timeout": CONNECT_SECONDS, **_KEEPALIVE}
    return {name: value for name, value in arguments.items() if name not in options}


def local_settings(own: Mapping[str, str]) -> list[str]:
    """The statements that begin a transaction under this program's own options."""
    found = []
    if SCHEMA in own:
        quoted = own[SCHEMA].replace('"', '""')
        found.append(f'SET LOCAL search_path = "{quoted}"')
    for option, setting in ((LOCK_TIMEOUT, "lock_timeout"), (STATEMENT_TIMEOUT, "statement_timeout")):
        if option in own:
            found.append(f"SET LOCAL {setting} = {int(own[option])}")  # milliseconds
    return found
