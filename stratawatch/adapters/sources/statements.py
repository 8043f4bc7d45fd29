"""The statements of sql/population, filled in for one panel and one window.

The text is written for DuckDB; another engine's text is the same text transpiled by sqlglot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from string import Template
from typing import Final

from stratawatch.adapters.sources import expressions
from stratawatch.adapters.sources.column_types import kind_of
from stratawatch.adapters.sources.dialects import SOURCE, translate
from stratawatch.adapters.sources.quoting import identifier, text
from stratawatch.engine.records import AuxiliarySpec, ClassifierSpec, PanelSpec, Window

BAD_ROWS_SHOWN: Final = 20
_INDENT: Final = ",\n        "


@dataclass(frozen=True)
class Statements:
    """Renders the queries on `relation`, whose columns have these SQL types."""

    panel: PanelSpec
    relation: str
    types: Mapping[str, str]
    dialect: str = SOURCE

    def census(self, window: Window) -> str:
        """Count the window by pattern and bin, whole and per segment."""
        segments = [f"segment_{i}" for i, _ in enumerate(self.panel.columns.segments, 1)]
        sets = ["(pattern, marks, bin)", *(f"(pattern, marks, bin, {one})" for one in segments)]
        return self._render(
            "census",
            observed=self._observed(window),
            segment_number=_first_grouped(segments, [str(i) for i, _ in enumerate(segments, 1)], "0"),
            segment_value=_first_grouped(segments, segments, "CAST(NULL AS VARCHAR)"),
            grouping_sets=", ".join(sets),
        )

    def candidates(self, window: Window) -> str:
        """Fetch the items under the ceilings of the table `wanted`, ranked per stratum, with what later steps need."""
        carried = [f"drawn.{name}" for name in self._carried()]
        return self._render(
            "candidates",
            observed=self._observed(window, payload=True),
            seed=text(self.panel.seed),
            carried="".join(f",\n    {name}" for name in carried),
        )

    def bad_rows(self, window: Window) -> str:
        """Show some rows that the census left out."""
        given = [f"CAST({name} AS VARCHAR) AS {name}" for name, _ in self._given()]
        return self._render(
            "bad_rows", observed=self._observed(window), given=",\n    ".join(given), most=str(BAD_ROWS_SHOWN)
        )

    def extent(self) -> str:
        """Count all rows, whatever their time; the first and the last time as text."""
        time = identifier(self.panel.columns.time)
        return self._translated(
            f"SELECT COUNT(*), CAST(MIN({time}) AS VARCHAR), CAST(MAX({time}) AS VARCHAR) FROM {self.relation}"
        )

    def given_names(self) -> tuple[str, ...]:
        """The source's names of the columns that `bad_rows` shows, in its order."""
        return tuple(name for _, name in self._given())

    def _render(self, name: str, **parts: str) -> str:
        return self._translated(_template(name).substitute(parts))

    def _translated(self, sql: str) -> str:
        return sql if self.dialect == SOURCE else translate(sql, self.dialect)

    def _observed(self, window: Window, *, payload: bool = False) -> str:
        columns, many, types = self.panel.columns, self.panel.classifiers, self.types
        scoring = [(i, one) for i, one in self._speakers() if one.score is not None]
        judged = [f"{expressions.letter(i, one, types)} AS letter_{i}" for i, one in enumerate(many, 1)]
        judged += [f"{expressions.leaning(i, one)} AS letter_{i}" for i, one in self._helpers()]
        judged += [f"{expressions.mark(i, one)} AS mark_{i}" for i, one in enumerate(many, 1)]
        judged += [f"{expressions.linked(i, one)} AS linked_{i}" for i, one in scoring]
        time_type = types[columns.time]
        return _template("observed").substitute(
            named=_INDENT.join(self._named(payload=payload)),
            population=self.relation,
            time=_time(time_type),
            scored=_INDENT.join(["*", *(self._score(i, one) for i, one in scoring)]),
            within=_within(time_type, window),
            judged=_INDENT.join(["*", *judged]),
            pattern=" || ".join(f"letter_{i}" for i, _ in self._speakers()),
            marks=" || ".join(f"mark_{i}" for i, _ in enumerate(many, 1)),
            mean=expressions.mean(
                [f"linked_{i}" for i, _ in scoring if i <= len(many)],
                [f"linked_{i}" for i, _ in self._helpers()],
            ),
        )

    def _helpers(self) -> list[tuple[int, AuxiliarySpec]]:
        """The auxiliary scores, numbered after the classifiers."""
        return list(enumerate(self.panel.auxiliary, len(self.panel.classifiers) + 1))

    def _speakers(self) -> list[tuple[int, ClassifierSpec | AuxiliarySpec]]:
        """Everyone with a letter in the pattern, in its order."""
        return [*enumerate(self.panel.classifiers, 1), *self._helpers()]

    def _score(self, position: int, one: ClassifierSpec | AuxiliarySpec) -> str:
        return f"{expressions.score_value(position, self.types[str(one.score)])} AS score_{position}"

    def _named(self, *, payload: bool) -> list[str]:
        columns = self.panel.columns
        named = [f"{identifier(columns.item)} AS item_given", f"{identifier(columns.time)} AS time_given"]
        named += [f"{identifier(name)} AS {ours}" for ours, name in self._given()]
        named += [f"{_bytes_of(name)} AS segment_{i}" for i, name in enumerate(columns.segments, 1)]
        if payload:
            named += [f"{identifier(name)} AS payload_{i}" for i, name in enumerate(columns.payload, 1)]
            if columns.cluster is not None:
                named.append(f"CAST({identifier(columns.cluster)} AS VARCHAR) AS cluster")
        return named

    def _given(self) -> list[tuple[str, str]]:
        calls = [(f"call_given_{i}", one.positive) for i, one in enumerate(self.panel.classifiers, 1)]
        scores = [(f"score_given_{i}", one.score) for i, one in self._speakers()]
        return [(ours, name) for ours, name in (*calls, *scores) if name is not None]

    def _carried(self) -> list[str]:
        columns = self.panel.columns
        names = [f"segment_{i}" for i, _ in enumerate(columns.segments, 1)]
        names += [f"payload_{i}" for i, _ in enumerate(columns.payload, 1)]
        return names + (["cluster"] if columns.cluster is not None else [])


@cache
def _template(name: str) -> Template:
    return Template((files("stratawatch.sql") / "population" / f"{name}.sql").read_text(encoding="utf-8").rstrip())


def _bytes_of(column: str) -> str:
    """A column as text that differs where its bytes do, whatever collation the column has."""
    return f'CAST({identifier(column)} AS VARCHAR) COLLATE "C"'


def _first_grouped(segments: list[str], values: list[str], otherwise: str) -> str:
    if not segments:
        return otherwise
    cases = [f"WHEN GROUPING({one}) = 0 THEN {value}" for one, value in zip(segments, values, strict=True)]
    return f"CASE {' '.join(cases)} ELSE {otherwise} END"


def _time(type_name: str) -> str:
    """The time as a UTC timestamp without zone. Naive times in files are UTC; so is text without an offset."""
    kind = kind_of(type_name)
    if kind == "zoned":
        return "time_given AT TIME ZONE 'UTC'"
    if kind == "text":
        return "TRY_CAST(time_given AS TIMESTAMPTZ) AT TIME ZONE 'UTC'"
    return "CAST(time_given AS TIMESTAMP)"


def _within(type_name: str, window: Window) -> str:
    """Inside [start, end), or without a time: such rows belong to no window, and are counted as bad in each.

    Typed columns are compared as they are, so that the engine can skip files and row groups by their statistics.
    """
    kind = kind_of(type_name)
    column = "time" if kind == "text" else "time_given"
    start, end = (_moment(at, kind, type_name) for at in (window.start, window.end))
    return f"({column} >= {start} AND {column} < {end}) OR {column} IS NULL"


def _moment(at: datetime, kind: str, type_name: str) -> str:
    utc = at.astimezone(UTC)
    if kind == "zoned":
        zoned = "TIMESTAMPTZ_NS" if type_name.upper() == "TIMESTAMPTZ_NS" else "TIMESTAMPTZ"
        return f"CAST({text(utc.isoformat(sep=' '))} AS {zoned})"
    finest = "TIMESTAMP_NS" if type_name.upper() == "TIMESTAMP_NS" else "TIMESTAMP"
    return f"CAST({text(utc.replace(tzinfo=None).isoformat(sep=' '))} AS {finest})"
