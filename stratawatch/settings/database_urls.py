"""Where the store is: an SQLite file beside the configuration, or a PostgreSQL database."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit, urlunsplit

from stratawatch.errors import ConfigError
from stratawatch.settings.confined_paths import confined
from stratawatch.settings.connection_options import with_options
from stratawatch.settings.references import REMEDY, EnvironmentText, is_reference, resolve
from stratawatch.settings.revealed_secrets import remember_secret

SQLITE: Final = "sqlite:///"
DRIVER: Final = "postgresql+psycopg"
PORT: Final = "5432"
"""Where PostgreSQL listens unless it is told otherwise."""
NO_OPTIONS: Final[Mapping[str, str]] = MappingProxyType({})
_POSTGRES: Final = ("postgresql", DRIVER)
# What PostgreSQL's client reads a password from when it stands behind the question mark.
_SECRET_OPTIONS: Final = ("password", "sslpassword")
_A_STORE: Final = ("a store", '"sqlite:///stratawatch.db" or "postgresql+psycopg://user@host/database"')
# Whose address it is, and how one is written.
_A_SOURCE: Final = ("PostgreSQL", '"postgresql://user@host/database"')


def check_store_url(value: object) -> object:
    """Refuse what is no store, and a password that stands in the file."""
    return value if isinstance(value, str) and value.startswith(SQLITE) else _checked(value, *_A_STORE)


def check_postgres_url(value: object) -> object:
    """Refuse what is no address of PostgreSQL, and a password that stands in the file."""
    return _checked(value, *_A_SOURCE)


def postgres_url(folder: Path, url: str, password: str | None, options: Mapping[str, str] = NO_OPTIONS) -> str:
    """The address of a source to connect to, every reference resolved. It may hold a password: never print it."""
    whole = _with_password(folder, resolve(url, folder), password, "the source's url", *_A_SOURCE)
    return with_options(whole, options)


def host_and_database(url: str) -> str:
    """Database, host and port of an address, without its user, its password or its options.

    >>> host_and_database("postgresql://me:secret@db.example.org/predictions?sslmode=require")
    'predictions at db.example.org:5432'
    >>> host_and_database("${env:PREDICTIONS_URL}")
    '${env:PREDICTIONS_URL}'
    """
    if is_reference(url):
        return url
    parts = urlsplit(url)
    options = parse_qsl(parts.query)
    behind = [value for name, value in options if name in ("host", "hostaddr")]
    host = parts.netloc.rpartition("@")[2] or ", ".join(behind) or "the local socket"
    port = next((value for name, value in options if name == "port"), PORT)
    named = host if (not parts.netloc and not behind) or re.search(r":\d+$", host) else f"{host}:{port}"
    return f"{unquote(parts.path.strip('/'))} at {named}"


def store_url(folder: Path, url: str, password: str | None, options: Mapping[str, str] = NO_OPTIONS) -> str:
    """The address to connect to, every reference resolved. It may hold a password: never print it."""
    url = resolve(url, folder)
    if url.startswith(SQLITE):
        return SQLITE + str(_sqlite_file(folder, url.removeprefix(SQLITE)))
    return with_options(_with_password(folder, url, password, "the store's url", *_A_STORE), options)


def _checked(value: object, what: str, example: str) -> object:
    if isinstance(value, str) and not is_reference(value):
        _check(value, what, example)
        if _has_password(value) and not isinstance(value, EnvironmentText):
            raise ValueError(f"has a password written into the file; leave it out and set `password`: {REMEDY}")
    return value


def _with_password(folder: Path, url: str, password: str | None, name: str, what: str, example: str) -> str:
    try:
        _check(url, what, example)
    except ValueError as trouble:
        raise ConfigError(f"{name} {trouble}") from None
    parts = urlsplit(url)
    netloc = parts.netloc
    _remember_passwords(parts)
    if password:
        revealed = resolve(password, folder)
        remember_secret(revealed)  # the environment may have brought it as it is
        user, _, host = netloc.rpartition("@")
        netloc = f"{user.partition(':')[0]}:{quote(revealed, safe='')}@{host}"
    return urlunsplit((DRIVER, netloc, parts.path, parts.query, ""))


def _remember_passwords(parts: SplitResult) -> None:
    """Hide the passwords of an address that was looked up, wherever it shows them."""
    options = [value for name, value in parse_qsl(parts.query) if name.strip().casefold() in _SECRET_OPTIONS]
    for password in (parts.password or "", *options):
        remember_secret(password)
        remember_secret(unquote(password))


def _has_password(url: str) -> bool:
    parts = urlsplit(url)
    options = parse_qsl(parts.query)  # without those that are empty, as no password is
    return bool(parts.password) or any(name.strip().casefold() in _SECRET_OPTIONS for name, _ in options)


def _sqlite_file(folder: Path, text: str) -> Path:
    if not text or text.startswith(":memory:"):
        raise ConfigError("a store in memory forgets everything", hint='write "sqlite:///stratawatch.db"')
    if "?" in text:
        raise ConfigError("the store's file takes no options", got=text, hint="leave out what follows the ?")
    try:
        return confined(folder, text)
    except ConfigError as trouble:
        raise ConfigError(f"the store's file {trouble}") from None


def _check(url: str, what: str, example: str) -> None:
    try:
        parts = urlsplit(url)
        whole = parts.scheme in _POSTGRES and bool(parts.path.strip("/"))
    except ValueError:
        whole = False
    if not whole:
        raise ValueError(f"is no address of {what}; write {example}")
