"""The only place where names and texts from outside become SQL: sqlglot quotes them."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from stratawatch.errors import ConfigError

NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")
"""A text that is a number to every engine."""


@cache
def identifier(name: str) -> str:
    """A column of the source as a quoted identifier of DuckDB.

    >>> identifier('a"b; drop')
    '"a""b; drop"'
    """
    from sqlglot import exp

    if not name or "\x00" in name:
        raise ConfigError(f"{name!r} cannot be a column's name")
    return exp.to_identifier(name, quoted=True).sql(dialect="duckdb")


def text(value: str) -> str:
    """A text as a quoted literal of DuckDB.

    >>> text("it's")
    "'it''s'"
    """
    from sqlglot import exp

    return exp.Literal.string(value).sql(dialect="duckdb")


def own_words(words: Iterable[str]) -> str:
    """Words of this program, without a quote in them, as the inside of a list of literals: sqlglot is not loaded.

    >>> own_words(["yes", "1"])
    "'yes', '1'"
    """
    return ", ".join(f"'{word}'" for word in words)


def number(value: str) -> str:
    """A text as a literal number; kept as it is written, so that no engine rounds it.

    >>> number("-2.5")
    '-2.5'
    """
    if not NUMBER.fullmatch(value):
        raise ConfigError(f"{value!r} is not a number")
    return value
