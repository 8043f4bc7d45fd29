"""The statements of sql/population, filled in for one panel and one window.

The text is written for DuckDB; another engine's text is the same text transpiled by sqlglot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from string import Template
from typing import Final

from stratawatch.adapters.sources import call_sql, packed_codes, window_times
from stratawatch.adapters.sources.column_types import kind_of
from stratawatch.adapters.sources.dialects import SOURCE, translate
from stratawatch.adapters.sources.quoting import identifier, text
from stratawatch.adapters.sources.single_scan import Gathering
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, PanelSpec, Window

BAD_ROWS_SHOWN: Final = 20
GATHERED, WANTED = "stratawatch_gathered", "stratawatch_wanted"
"""Tables of ours that hide, inside of views, all of those names."""
INDENT: Final = ",\n        "
_REPEATED: Final = {"refuse": "", "latest": "WHEN repeated THEN {code} "}
"""What sets the mark of an item that stands for several rows, by the policy on duplicates."""


@dataclass(frozen=True)
class Statements:
    """Renders the queries on `relation`, whose columns have these SQL types."""

    panel: PanelSpec
    relation: str
    types: Mapping[str, str]
    dialect: str = SOURCE
    copies: str | None = None  # the column that says of how many rows an item was made, where rows were put together

    def census(self, window: Window) -> str:
        """Count the window by pattern and bin, whole and per segment."""
        return self._render("census", observed=self._observed(window), **self._grouped())

    @property
    def gathers(self) -> bool:
        """Whether `gather` may be asked: where a row is an item, and none takes the place of another."""
        return self.dialect == SOURCE and self.panel.duplicates == "refuse"

    def gather(self, window: Window, gathering: Gathering) -> str:
        """Count the window as `census` does and keep the items that are likely to be drawn, for the table GATHERED."""
        return self._render(
            "gather",
            observed=self._observed(window),
            seed=text(self.panel.seed),
            below=str(gathering.below),
            **self._grouped("kept"),
        )

    def gathered_values(self) -> str:
        """How many values the segment column with the most of them has."""
        return f"""\
SELECT COALESCE(MAX(number), 0)
FROM (SELECT COUNT(DISTINCT segment_value) AS number FROM {GATHERED} GROUP BY segment_number) AS counted"""

    def gathered_census(self) -> str:
        """Count what was gathered."""
        return self._render("gathered_census", gathered=GATHERED, words=", ".join(self._words()))

    def gathered_ranges(self) -> str:
        """Tell the extremes of times and scores in what was gathered."""
        ranges = "".join(f",\n    {extreme}({name}) AS {name}" for name, extreme, _ in self._ranges())
        return self._render("gathered_ranges", gathered=GATHERED, words=", ".join(self._marked()), ranges=ranges)

    def gathered_candidates(self, window: Window) -> str:
        """Fetch items as `candidates` does, out of what was gathered."""
        carried = "".join(f",\n    found.{name}" for name in self._carried())
        return self._render(
            "gathered_candidates",
            gathered=GATHERED,
            wanted=WANTED,
            matching=self._matching("gathered"),
            seed=text(self.panel.seed),
            sound=packed_codes.readable([f"gathered.{name}" for name in self._words()]),
            found=",\n" + self._found(window) if carried else "",
            carried=carried,
            shown="\nINNER JOIN found ON found.item = drawn.item" if carried else "",
        )

    def _found(self, window: Window) -> str:
        columns, types = self.panel.columns, self.types
        return template("found").substitute(
            named=INDENT.join([f"{identifier(columns.item)} AS item_given", *self._moments(), *self._shown()]),
            population=self.relation,
            times=INDENT.join(window_times.times(columns, types)),
            within=window_times.within(columns, types, window),
        )

    def candidates(self, window: Window) -> str:
        """Fetch the items under the ceilings of the table `wanted`, ranked per stratum, with what later steps need."""
        return self._render(
            "candidates",
            observed=self._observed(window, drawing=True),
            wanted=WANTED,
            matching=self._matching("observed"),
            standing=self._standing(),
            copies="COUNT(*)" if self.copies is None else "CAST(SUM(copies_given) AS BIGINT)",
            carried="".join(f",\n    drawn.{name}" for name in self._carried()),
        )

    def bad_rows(self, window: Window) -> str:
        """Show some rows that the census left out."""
        given = [f"CAST({name} AS VARCHAR) AS {name}" for name, _ in self._given()]
        return self._render(
            "bad_rows",
            observed=self._observed(window),
            pattern=self._pattern(),
            marks=self._marks(),
            unread=window_times.unread(self.panel.columns),
            given=",\n    ".join(given),
            most=str(BAD_ROWS_SHOWN),
        )

    def extent(self) -> str:
        """Count all rows, whatever their time; the first and the last time as text."""
        time = identifier(self.panel.columns.time)
        return self._translated(
            f"SELECT COUNT(*), CAST(MIN({time}) AS VARCHAR), CAST(MAX({time}) AS VARCHAR) FROM {self.relation}"
        )

    def rows(self, window: Window) -> str:
        """Count the rows dated inside a window."""
        columns = self.panel.columns
        return self._render(
            "rows",
            times=INDENT.join(window_times.times(columns, self.types)),
            named=INDENT.join(self._moments()),
            population=self.relation,
            within=window_times.within(columns, self.types, window),
        )

    def given_names(self) -> tuple[str, ...]:
        """The source's names of the columns that `bad_rows` shows, in its order."""
        return tuple(name for _, name in self._given())

    def _render(self, name: str, **parts: str) -> str:
        return self._translated(template(name).substitute(parts))

    def _translated(self, sql: str) -> str:
        return sql if self.dialect == SOURCE else translate(sql, self.dialect)

    def _observed(self, window: Window, *, drawing: bool = False) -> str:
        columns, types = self.panel.columns, self.types
        linked = [f"{call_sql.linked(i, one)} AS linked_{i}" for i, one in self._scored()]
        spoken = [
            f"{code} AS {name}" for name, code in zip(self._said(), packed_codes.words(self._letters()), strict=True)
        ]
        marked = zip(self._marked(), packed_codes.words(self._codes(window)), strict=True)
        scoring = self._scoring()
        usual = ["NOT item IS NULL", window_times.usual(columns, window)]
        usual += ["NOT repeated"] if self.panel.duplicates == "latest" else []
        return template("observed").substitute(
            named=INDENT.join(self._named(payload=drawing)),
            population=self.relation,
            times=INDENT.join(window_times.times(columns, types)),
            scored=INDENT.join(["*", *(self._score(i, one) for i, one in self._scored())]),
            within=window_times.within(columns, types, window),
            latest=self._latest(drawing=drawing),
            standing=self._standing(),
            linked=INDENT.join(["*", *linked]),
            spoken=INDENT.join(["*", *spoken, f"{call_sql.total(scoring)} AS total"]),
            hashed=template("hashed").substitute(seed=text(self.panel.seed)) + "\n" if drawing else "",
            judged="hashed" if drawing else "spoken",
            plain=call_sql.plain(usual, scoring),
            marked=INDENT.join(["*", *(f"CASE WHEN plain THEN 0 ELSE {code} END AS {name}" for name, code in marked)]),
            mean=call_sql.mean(scoring, self._helpers(), packed_codes.readable(self._marked())),
            sound=packed_codes.readable(self._words()),
        )

    def _grouped(self, *keys: str) -> dict[str, str]:
        """By what rows are counted, and what is said of every group."""
        segments = [f"segment_{i}" for i, _ in enumerate(self.panel.columns.segments, 1)]
        cell = ", ".join([*self._words(), "bin"])
        sets = [", ".join([cell, *keys]), *(f"{cell}, {one}" for one in segments)]
        return {
            "words": ", ".join(self._words()),
            "segment_number": _first_grouped(segments, [str(i) for i, _ in enumerate(segments, 1)], "0"),
            "segment_value": _first_grouped(segments, segments, "CAST(NULL AS VARCHAR)"),
            "ranges": "".join(f",\n        {extreme}({of}) AS {name}" for name, extreme, of in self._ranges()),
            "grouping_sets": ", ".join(f"({one})" for one in sets),
        }

    def _matching(self, rows: str) -> str:
        return " AND ".join(f"wanted.{one} = {rows}.{one}" for one in [*self._said(), "bin"])

    def _letters(self) -> list[packed_codes.Code]:
        """The letter of everyone in the pattern."""
        helpers = [partial(call_sql.leaning, i, one) for i, one in self._helpers()]
        return [*(partial(call_sql.letter, i, one, self.types) for i, one in self._classifiers()), *helpers]

    def _codes(self, window: Window) -> list[packed_codes.Code]:
        """The marks of the row itself, then one a classifier."""

        def item(unit: int) -> str:
            repeated = _REPEATED[self.panel.duplicates].format(code=packed_codes.REPEATED * unit)
            return f"CASE WHEN item IS NULL THEN {packed_codes.BAD * unit} {repeated}ELSE 0 END"

        time = partial(window_times.mark, self.panel.columns, window)
        return [item, time, *(partial(call_sql.mark, i, one) for i, one in self._classifiers())]

    def _said(self) -> list[str]:
        """The names of the pattern's words."""
        return [f"said_{i + 1}" for i in range(packed_codes.count(len(self._speakers())))]

    def _marked(self) -> list[str]:
        """The names of the marks' words."""
        return [
            f"marked_{i + 1}" for i in range(packed_codes.count(packed_codes.ROW_MARKS + len(self.panel.classifiers)))
        ]

    def _words(self) -> list[str]:
        return [*self._said(), *self._marked()]

    def _pattern(self) -> str:
        """The pattern as text."""
        return packed_codes.spelled("said_", [packed_codes.LETTERS] * len(self._speakers()))

    def _marks(self) -> str:
        """The marks as text."""
        scores = [
            packed_codes.NOTHING if one.score is None else packed_codes.SCORE_MARKS for one in self.panel.classifiers
        ]
        return packed_codes.spelled("marked_", [packed_codes.ITEM_MARKS, packed_codes.TIME_MARKS, *scores])

    def _classifiers(self) -> list[tuple[int, ClassifierSpec]]:
        return list(enumerate(self.panel.classifiers, 1))

    def _scoring(self) -> list[call_sql.Speaker]:
        """The classifiers that have a score."""
        return [(i, one) for i, one in self._classifiers() if one.score is not None]

    def _scored(self) -> list[call_sql.Speaker]:
        """Everyone that has a score."""
        return [*self._scoring(), *self._helpers()]

    def _helpers(self) -> list[tuple[int, AuxiliarySpec]]:
        """The auxiliary scores, numbered after the classifiers."""
        return list(enumerate(self.panel.auxiliary, len(self.panel.classifiers) + 1))

    def _speakers(self) -> list[call_sql.Speaker]:
        """Everyone with a letter in the pattern, in its order."""
        return [*self._classifiers(), *self._helpers()]

    def _score(self, position: int, one: ClassifierSpec | AuxiliarySpec) -> str:
        return f"{call_sql.score_value(position, self.types[str(one.score)])} AS score_{position}"

    def _named(self, *, payload: bool) -> list[str]:
        columns = self.panel.columns
        named = [f"{identifier(columns.item)} AS item_given", *self._moments()]
        named += [f"{identifier(name)} AS {ours}" for ours, name in self._given()]
        if payload and self.copies is not None:
            named.append(f"{identifier(self.copies)} AS copies_given")
        return [*named, *self._shown(payload=payload)]

    def _shown(self, *, payload: bool = True) -> list[str]:
        """Segments; and what people are shown, and the cluster."""
        columns = self.panel.columns
        named = [f"{_bytes_in(name)} AS segment_{i}" for i, name in enumerate(columns.segments, 1)]
        if payload:
            named += [f"{identifier(name)} AS payload_{i}" for i, name in enumerate(columns.payload, 1)]
            if columns.cluster is not None:
                named.append(f"CAST({identifier(columns.cluster)} AS VARCHAR) AS cluster")
        return named

    def _moments(self) -> list[str]:
        columns = self.panel.columns
        named = [f"{identifier(columns.time)} AS time_given"]
        return named if columns.ingested is None else [*named, f"{identifier(columns.ingested)} AS arrived_given"]

    def _ranges(self) -> list[tuple[str, str, str]]:
        """Names and expressions of the extremes of every classifier's score: a change of scale shows there."""
        extremes = (("low", "MIN"), ("high", "MAX"))
        return [(f"{name}_{i}", extreme, f"score_{i}") for i, _ in self._scoring() for name, extreme in extremes]

    def _standing(self) -> str:
        """The step whose rows are judged."""
        return "standing" if self.panel.duplicates == "latest" else "scored"

    def _latest(self, *, drawing: bool) -> str:
        if self.panel.duplicates != "latest":
            return ""
        return template("latest").substitute(newest=", ".join(self._newest_first(shown=drawing))) + "\n"

    def _newest_first(self, *, shown: bool) -> list[str]:
        """An order of rows that share an id, equal on every engine: what came later first, then by what was said.

        Where it matters what people are shown, that decides last: of rows that are counted alike one must be drawn.
        """
        names = (["arrived"] if self.panel.columns.ingested is not None else []) + ["time"]
        for ours, name in self._given():
            names.append(bytes_of(ours) if kind_of(self.types[name]) == "text" else ours)
        names += [bytes_of(f"segment_{i}") for i, _ in enumerate(self.panel.columns.segments, 1)]
        if shown:
            names += [bytes_of(f"payload_{i}") for i, _ in enumerate(self.panel.columns.payload, 1)]
            names += [] if self.panel.columns.cluster is None else [bytes_of("cluster")]
        return [f"{name} DESC NULLS LAST" for name in names]

    def _given(self) -> list[tuple[str, str]]:
        calls = [(f"call_given_{i}", one.call) for i, one in enumerate(self.panel.classifiers, 1)]
        scores = [(f"score_given_{i}", one.score) for i, one in self._speakers()]
        return [(ours, name) for ours, name in (*calls, *scores) if name is not None]

    def _carried(self) -> list[str]:
        columns = self.panel.columns
        names = [f"segment_{i}" for i, _ in enumerate(columns.segments, 1)]
        names += [f"payload_{i}" for i, _ in enumerate(columns.payload, 1)]
        return names + (["cluster"] if columns.cluster is not None else [])


@cache
def template(name: str) -> Template:
    """A text of sql/population."""
    return Template((files("stratawatch.sql") / "population" / f"{name}.sql").read_text(encoding="utf-8").rstrip())


def _bytes_in(column: str) -> str:
    """A column as text that differs where its bytes do, whatever collation the column has."""
    return bytes_of(identifier(column))


def bytes_of(given: str) -> str:
    """An expression as text that is compared by its bytes."""
    return f'CAST({given} AS VARCHAR) COLLATE "C"'


def _first_grouped(segments: list[str], values: list[str], otherwise: str) -> str:
    if not segments:
        return otherwise
    cases = [f"WHEN GROUPING({one}) = 0 THEN {value}" for one, value in zip(segments, values, strict=True)]
    return f"CASE {' '.join(cases)} ELSE {otherwise} END"
