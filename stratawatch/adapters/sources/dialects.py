"""The queries in other dialects: sqlglot translates, and this module adds what sqlglot cannot know about an engine."""

from collections.abc import Callable
from typing import Any, Final

import sqlglot
from sqlglot import exp

from stratawatch.adapters.sources.statements import SOURCE

# The collation that compares bytes, where a column may have another one.
_BINARY: Final = {"postgres": '"C"', "spark": "UTF8_BINARY"}
# Each uses the columns of the step before it many times over.
_FENCED_STEPS: Final = ("called", "checked", "flagged", "averaged", "folded", "stepped")
# Tables beside the population that are sent to every worker, so that the population stays where it is.
_SMALL_TABLES: Final = ("quotas", "drawn")


def translate(sql: str, dialect: str) -> str:
    """A statement of DuckDB in another dialect.

    >>> print(translate('SELECT MD5(item) COLLATE "C" FROM t', "trino").replace(chr(10), " "))
    SELECT   LOWER(TO_HEX(MD5(TO_UTF8(CAST(item AS VARCHAR))))) FROM t
    """
    tree = sqlglot.parse_one(sql, read=SOURCE)
    for change in (_compare_bytes, _drop_materialized, *_CHANGES.get(dialect, ())):
        tree = tree.transform(lambda node, change=change: change(node, dialect), copy=False)
    return tree.sql(dialect=dialect, pretty=True, comments=False, copy=False)


def _compare_bytes(node: Any, dialect: str) -> Any:
    """The collation "C" by the engine's own name; left out where bytes are all that is ever compared."""
    if not isinstance(node, exp.Collate):
        return node
    if dialect not in _BINARY:
        return node.this
    return exp.Collate(this=node.this, expression=exp.Var(this=_BINARY[dialect]))


def _drop_materialized(node: Any, dialect: str) -> Any:
    """AS MATERIALIZED means something to PostgreSQL, and nothing or an error elsewhere."""
    if isinstance(node, exp.CTE) and dialect != "postgres":
        node.set("materialized", None)
    return node


def _guard_casts(node: Any, dialect: str) -> Any:
    """PostgreSQL has no TRY_CAST; from release 16 on it has a function that says whether a text could be cast."""
    if not isinstance(node, exp.TryCast):
        return node
    valid = exp.Anonymous(
        this="PG_INPUT_IS_VALID", expressions=[node.this.copy(), exp.Literal.string(node.to.sql(dialect=dialect))]
    )
    return exp.Case(ifs=[exp.If(this=valid, true=exp.Cast(this=node.this, to=node.to))])


def _compare_with_nan(node: Any, dialect: str) -> Any:  # noqa: ARG001
    """PostgreSQL has no ISNAN; there NaN equals itself, in every type that has one."""
    if isinstance(node, exp.IsNan):
        return exp.EQ(this=node.this, expression=exp.Literal.string("NaN"))
    return node


def _fence(node: Any, dialect: str) -> Any:  # noqa: ARG001 - one signature for all changes
    """OFFSET 0 keeps PostgreSQL from merging the steps and computing the same numbers hundreds of times a row."""
    if isinstance(node, exp.CTE) and node.alias in _FENCED_STEPS:
        node.set("this", node.this.offset(0))
    return node


def _without_zone(node: Any, dialect: str) -> Any:  # noqa: ARG001
    """AT TIME ZONE 'UTC' as a cast: the session's zone is UTC, so that Spark only drops the zone."""
    if isinstance(node, exp.AtTimeZone):
        return exp.Cast(this=node.this, to=exp.DataType.build("TIMESTAMP_NTZ", dialect="spark"))
    return node


def _broadcast(node: Any, dialect: str) -> Any:  # noqa: ARG001
    """Spark cannot know the size of these tables: a hint says that they are small."""
    if isinstance(node, exp.Select):
        joined = [node.args.get("from_"), *(node.args.get("joins") or ())]
        named = [one.this.alias_or_name for one in joined if one is not None]
        small = [name for name in named if name in _SMALL_TABLES]
        if small and not node.args.get("hint"):
            node.set(
                "hint",
                exp.Hint(expressions=[exp.Anonymous(this="BROADCAST", expressions=[exp.column(s) for s in small])]),
            )
    return node


def _hash_text(node: Any, dialect: str) -> Any:  # noqa: ARG001
    """MD5 takes bytes in Trino (translated only); sqlglot encodes what it knows to be text, so ids are cast to it."""
    if isinstance(node, exp.MD5) and isinstance(node.this, exp.Column):
        node.set("this", exp.Cast(this=node.this, to=exp.DataType.build("VARCHAR")))
    return node


_CHANGES: Final[dict[str, tuple[Callable[[Any, str], Any], ...]]] = {
    "postgres": (_guard_casts, _compare_with_nan, _fence),
    "spark": (_without_zone, _broadcast),
    "trino": (_hash_text,),
}
