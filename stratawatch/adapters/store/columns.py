"""Columns that mean the same on SQLite and PostgreSQL: aware times, any text, wide keys."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import JSON, BigInteger, CheckConstraint, Column, DateTime, ForeignKey, Integer, Text, text
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DontWrapMixin
from sqlalchemy.types import TypeDecorator

from stratawatch.errors import StratawatchError

MARK: Final = "\N{SYMBOL FOR NULL}"
_UNSTORABLE: Final = re.compile(f"[\0{MARK}\ud800-\udfff]")
_STORED: Final = re.compile(f"{MARK}({MARK}|0|d[89a-f][0-9a-f]{{2}})")

LONGEST_KEY: Final = 200
"""Longer segments are keyed by their hash: PostgreSQL indexes no value above about 2,700 bytes."""


class NaiveTimeError(StratawatchError, DontWrapMixin):
    """A time without its offset from UTC reached the store."""


class UtcTime(TypeDecorator[datetime]):
    """Aware times in and out, UTC inside; SQLite keeps no offset, so it is put back when reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Refuse a naive time; turn any other into UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise NaiveTimeError(
                "the store takes no time without its offset from UTC",
                got=value.isoformat(),
                hint="say which zone is meant",
            )
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """An aware time in UTC."""
        if value is None or value.tzinfo is not None:
            return value and value.astimezone(UTC)
        return value.replace(tzinfo=UTC)


class AnyText(TypeDecorator[str]):
    """Text that may hold what PostgreSQL refuses: NUL and lone surrogates are kept escaped, nothing is lost.

    An item id is the customer's, a label file anybody's; refusing one of them would stop a whole queue.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """The storable form."""
        return value if value is None else escaped(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """The text as it was."""
        return value if value is None else unescaped(value)


def escaped(text: str) -> str:
    r"""Write NUL as ␀0, a lone surrogate as ␀ and its four hex digits, and ␀ itself twice.

    >>> escaped("a\0b")
    'a␀0b'
    """
    return text if text.isascii() and "\0" not in text else _UNSTORABLE.sub(_escape, text)


def unescaped(text: str) -> str:
    r"""Undo `escaped`.

    >>> unescaped("a␀0b")
    'a\x00b'
    """
    return _STORED.sub(_unescape, text) if MARK in text else text


def _escape(found: re.Match[str]) -> str:
    sign = found.group()
    return MARK + {"\0": "0", MARK: MARK}.get(sign, f"{ord(sign):04x}")


def _unescape(found: re.Match[str]) -> str:
    code = found.group(1)
    return {"0": "\0", MARK: MARK}.get(code) or chr(int(code, 16))


def segment_key(segment: str | None) -> str:
    """What makes a nullable segment unique: the empty text for none, a hash for very long ones."""
    if segment is None:
        return ""
    return segment if 0 < len(segment) <= LONGEST_KEY else hashed("segment", segment)


def hashed(*parts: str) -> str:
    """One short name for parts of any length."""
    text = "\0".join(f"{len(part)}:{part}" for part in parts)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def row_id_type() -> Any:
    """Keys of 64 bits: refused duplicates use up sequence numbers on PostgreSQL."""
    return BigInteger().with_variant(Integer, "sqlite")


Document = JSON
"""JSON kept as text on SQLite and as json (not jsonb, which refuses escaped NULs) on PostgreSQL."""


def one_of(column: str, values: Iterable[str]) -> CheckConstraint:
    """Check that the column holds one of the values."""
    return CheckConstraint(f"{column} IN ({', '.join(repr(str(value)) for value in values)})", name=column)


def segment_matches_its_key() -> CheckConstraint:
    """Check that a row's segment is null exactly where its key is empty."""
    return CheckConstraint("(segment IS NULL) = (segment_key = '')", name="segment")


def id_column() -> Column[Any]:
    """Number the rows."""
    return Column("id", row_id_type(), primary_key=True)


def text_column(name: str, *, nullable: bool = False) -> Column[Any]:
    """A column of any text."""
    return Column(name, AnyText, nullable=nullable)


def text_or_empty(name: str) -> Column[Any]:
    """A column of any text, empty unless set."""
    return Column(name, AnyText, nullable=False, server_default=text("''"))


def reference(target: str, *, primary_key: bool = False) -> Column[Any]:
    """A column that refers to a row of another table."""
    name = {"cycles.id": "cycle_id", "rounds.id": "round_id", "revisions.id": "revision_id"}.get(target, "version_id")
    return Column(name, row_id_type(), ForeignKey(target), primary_key=primary_key, nullable=False, autoincrement=False)
