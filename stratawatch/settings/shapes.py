"""Single values: what a name, a share, a length of time or a secret may look like."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from stratawatch.settings.durations import parse_duration
from stratawatch.settings.references import check_secret

_SECRET_KEY: Final = re.compile(
    r"(password|passwd|secret|token|(secret([._-]?access)?|private|account)[._-]?key)$|account\.(key|oauth2\.client\.secret)\.",
    re.IGNORECASE,
)
# Passwords also stand in addresses, of JDBC behind the question mark.
_SECRET_VALUE: Final = re.compile(r"[?&;](password|pwd)=|://[^/@\s]*:[^/@\s]+@", re.IGNORECASE)
LONGEST_LINK: Final = 300
_OWN_HEADERS: Final = frozenset(
    {
        "authorization",
        "cookie",
        "host",
        "origin",
        "referer",
        "user-agent",
        "forwarded",
        "via",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-port",
        "x-forwarded-proto",
        "x-real-ip",
    }
)
"""Headers in which no proxy says who it let in."""


class Shape(BaseModel):
    """A table of the file: unknown keys and wrong types are errors, never ignored or converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, hide_input_in_errors=True)


def _utc(value: Any) -> Any:
    if isinstance(value, datetime) and value.tzinfo is None:
        raise ValueError("has no offset from UTC; write 2026-01-05T00:00:00Z")
    if not isinstance(value, datetime):
        raise ValueError("is not a moment; write 2026-01-05T00:00:00Z without quotes")  # noqa: TRY004 - pydantic collects
    return value.astimezone(UTC)


def _positive(value: timedelta) -> timedelta:
    if value <= timedelta(0):
        raise ValueError("must be longer than nothing")
    return value


def _unpadded(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty")
    return value


def _named(value: str) -> str:
    """Names go into keys, file names and environment variables."""
    plain = value.replace("_", "a").replace("-", "a")
    if not (value[:1].isalnum() and plain.isalnum() and plain.isascii() and value == value.lower()):
        raise ValueError("is not a name: lower-case letters, digits, _ and -, beginning with a letter or digit")
    if len(value) > 64:
        raise ValueError("is longer than 64 characters")
    return value


def _check_secrets(values: object) -> object:
    """Let references through; refuse a secret that stands in the file, where its key tells that it is one."""
    if not isinstance(values, dict):
        return values
    for key, value in values.items():
        if _SECRET_KEY.search(key) or (isinstance(value, str) and _SECRET_VALUE.search(value)):
            try:
                check_secret(value)
            except ValueError as trouble:
                raise ValueError(f"has the key '{key}', whose value {trouble}") from None
    return {key: str(value) if isinstance(value, str) else value for key, value in values.items()}


def _folder_mode(text: str) -> str:
    """What `chmod` takes, with every right for the owner, who is this program."""
    if not re.fullmatch(r"0?[0-7]{3,4}", text) or int(text, 8) & 0o700 != 0o700:
        raise ValueError('is no mode of a folder that its owner may use, such as "0770"')
    return text


def _check_link(text: str) -> str:
    """People are shown it, and follow it: whole in every channel's markup, and without a login."""
    is_address = re.fullmatch(r"https?://(?!/)[^\s<>\"'|\\^`{}\[\]\x00-\x1f\x7f]+", text)
    if not is_address or len(text) > LONGEST_LINK:
        raise ValueError(f"is no address such as https://wiki.example.org/page, of at most {LONGEST_LINK} characters")
    if "@" in urlsplit(text).netloc:
        raise ValueError("holds a login: whoever is told of an incident is shown it")
    return text


def check_cron(text: str) -> str:
    """The expression itself, if it has five fields and comes to pass.

    >>> check_cron("*/5 * * * mon-fri")
    '*/5 * * * mon-fri'
    """
    from cronsim import CronSim, CronSimError

    try:
        fires = next(CronSim(text, datetime(2026, 1, 1, tzinfo=UTC)), None)
        reason = "" if fires else "it never comes to pass"
    except CronSimError as trouble:
        reason = str(trouble).lower()
    # Of six fields cronsim reads the first as seconds, and the scheduler the last.
    if reason or len(text.split()) != 5:
        reason = reason or "six fields"
        raise ValueError(f'is no cron expression of five fields as in "15 * * * *": {reason}')
    return text


def _header_name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}", text):
        raise ValueError('is no name of a header, such as "X-Forwarded-User"')
    if text.lower() in _OWN_HEADERS or text.lower().startswith(("accept", "sec-", "content-")):
        raise ValueError("is a header that says something else, or that visitors send themselves")
    return text


Text = Annotated[str, AfterValidator(_unpadded)]
Name = Annotated[str, AfterValidator(_named)]
HeaderName = Annotated[str, AfterValidator(_header_name)]
Link = Annotated[str, AfterValidator(_check_link)]
Moment = Annotated[datetime, BeforeValidator(_utc)]
Duration = Annotated[timedelta, BeforeValidator(parse_duration)]
PositiveDuration = Annotated[Duration, AfterValidator(_positive)]
Share = Annotated[float, Field(gt=0, lt=1)]
FolderMode = Annotated[str, AfterValidator(_folder_mode)]
Cron = Annotated[str, AfterValidator(check_cron)]
Secret = Annotated[SecretStr, BeforeValidator(check_secret), Field(strict=False)]
KeysAndSecrets = Annotated[dict[str, str], BeforeValidator(_check_secrets)]
