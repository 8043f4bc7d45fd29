"""The statements of sql/population, filled in for one panel and one window.

The text is written for DuckDB; another engine's text is the same text transpiled by sqlglot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from string import Template
from typing import Final

from stratawatch.adapters.sources import call_and_score_sql, packed_codes, window_times
from stratawatch.adapters.sources.call_and_score_sql import NumberedScorer
from stratawatch.adapters.sources.column_types import kind_of
from stratawatch.adapters.sources.kept_digests import DigestBound
from stratawatch.adapters.sources.quoting import identifier, text
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, PanelSpec, Window

SOURCE: Final = "duckdb"
"""The dialect that the text is written in."""
BAD_ROWS_SHOWN: Final = 20
SINGLE_SCAN, QUOTAS, IDS = "stratawatch_single_scan", "stratawatch_quotas", "stratawatch_ids"
"""Tables of our own. Inside of views they hide all tables of these names, hence the prefix."""
INDENT: Final = ",\n        "
# What flags an item that stands for several rows, by the policy on duplicates.
_IF_REPEATED: Final = {"refuse": "", "latest": "WHEN repeated THEN {code} "}


@dataclass(frozen=True)
class Statements:
    """Renders the queries on `relation`, whose columns have these SQL types."""

    panel: PanelSpec
    relation: str
    types: Mapping[str, str]
    dialect: str = SOURCE
    copies: str | None = None  # the column that counts the rows an item was made of, where rows were pivoted

    def census(self, window: Window) -> str:
        """Count the window by pattern and bin, whole and per segment."""
        return self._render("census", classified=self._classified(window), **self._grouping())

    @property
    def allows_single_scan(self) -> bool:
        """Whether `single_scan` is correct: a row is an item, and no row takes the place of another."""
        return self.dialect == SOURCE and self.panel.duplicates == "refuse"

    def single_scan(self, window: Window, kept: DigestBound) -> str:
        """Count the window as `census` does and keep the items likely to be drawn; fills the table SINGLE_SCAN."""
        return self._render(
            "single_scan",
            classified=self._classified(window),
            seed=text(self.panel.seed_of(window)),
            below=str(kept.below),
            **self._grouping("kept_item"),
        )

    def single_scan_segment_values(self) -> str:
        """Count the values of the segment column that has the most of them."""
        return f"""\
SELECT COALESCE(MAX(number), 0)
FROM (SELECT COUNT(DISTINCT segment_value) AS number FROM {SINGLE_SCAN} GROUP BY segment_number) AS counted"""

    def single_scan_census(self) -> str:
        """Make the census from the table SINGLE_SCAN."""
        return self._render("single_scan_census", single_scan=SINGLE_SCAN, words=", ".join(self._words()))

    def single_scan_ranges(self) -> str:
        """Find the ranges of times and scores in the table SINGLE_SCAN."""
        ranges = "".join(f",\n    {extreme}({name}) AS {name}" for name, extreme, _ in self._ranges())
        return self._render(
            "single_scan_ranges", single_scan=SINGLE_SCAN, words=", ".join(self._flag_words()), ranges=ranges
        )

    def single_scan_candidates(self, window: Window) -> str:
        """Fetch items as `candidates` does, from the table SINGLE_SCAN."""
        attributes = "".join(f",\n    attributes.{name}" for name in self._attribute_names())
        return self._render(
            "single_scan_candidates",
            single_scan=SINGLE_SCAN,
            quotas=QUOTAS,
            same_cell=self._same_cell("single_scan"),
            seed=text(self.panel.seed_of(window)),
            is_valid=packed_codes.all_codes_valid_sql([f"single_scan.{name}" for name in self._words()]),
            scores=self._drawn_scores(),
            scores_of_one="".join(
                f",\n        single_scan.low_{i} AS score_{i}" for i, _ in self._scored_classifiers()
            ),
            drawn_attributes=",\n" + self._drawn_attributes(window) if attributes else "",
            attributes=attributes,
            join_attributes="\nINNER JOIN attributes ON attributes.item = drawn.item" if attributes else "",
        )

    def _drawn_scores(self) -> str:
        """The classifiers' own scores of what was drawn."""
        return "".join(f",\n    drawn.score_{i}" for i, _ in self._scored_classifiers())

    def _drawn_attributes(self, window: Window) -> str:
        columns, types = self.panel.columns, self.types
        return template("drawn_attributes").substitute(
            renamed=INDENT.join([f"{identifier(columns.item)} AS item_given", *self._times(), *self._attributes()]),
            population=window_times.in_partitions(self.relation, columns, types, window),
            times=INDENT.join(window_times.time_columns(columns, types)),
            in_window=window_times.in_window(columns, types, window),
        )

    def candidates(self, window: Window) -> str:
        """Fetch the items with the smallest digests, as many a stratum as the table QUOTAS says."""
        return self._render(
            "candidates",
            classified=self._classified(window, drawing=True),
            quotas=QUOTAS,
            same_cell=self._same_cell("classified"),
            current=self._current(),
            copies="COUNT(*)" if self.copies is None else "CAST(SUM(copies_given) AS BIGINT)",
            scores=self._drawn_scores(),
            attributes="".join(f",\n    drawn.{name}" for name in self._attribute_names()),
        )

    def items_by_id(self, window: Window) -> str:
        """Fetch the items whose ids are in the table IDS, in the cells that the table QUOTAS has."""
        return self._by_id(window, drawing=False)

    def shown_by_id(self, window: Window) -> str:
        """Fetch the same items with what labellers are shown of them, and the cluster."""
        return self._by_id(window, drawing=True)

    def _by_id(self, window: Window, *, drawing: bool) -> str:
        return self._render(
            "items_by_id",
            classified=self._classified(window, drawing=drawing, among=IDS),
            quotas=QUOTAS,
            same_cell=self._same_cell("classified"),
            attributes="".join(f",\n    classified.{name}" for name in self._attribute_names(drawing=drawing)),
        )

    def bad_rows(self, window: Window) -> str:
        """Show some rows that the census left out."""
        given = [f"CAST({name} AS VARCHAR) AS {name}" for name, _ in self._given()]
        return self._render(
            "bad_rows",
            classified=self._classified(window),
            pattern=packed_codes.unpack_sql("calls_", [packed_codes.CALL_LETTERS] * len(self._scorers())),
            flags=self._flag_text(),
            unreadable_time=window_times.unreadable_time_text(self.panel.columns),
            given=",\n    ".join(given),
            most=str(BAD_ROWS_SHOWN),
        )

    def extent(self, *, has_time: bool = True) -> str:
        """Count all rows, whatever their time; if there is a time, find the first and the last one as text."""
        time = identifier(self.panel.columns.time)
        times = f", CAST(MIN({time}) AS VARCHAR), CAST(MAX({time}) AS VARCHAR)" if has_time else ""
        return self._translated(f"SELECT COUNT(*){times} FROM {self.relation}")

    def row_count(self, window: Window) -> str:
        """Count the rows dated inside a window."""
        columns = self.panel.columns
        return self._render(
            "row_count",
            times=INDENT.join(window_times.time_columns(columns, self.types)),
            renamed=INDENT.join(self._times()),
            population=window_times.in_partitions(self.relation, columns, self.types, window),
            in_window=window_times.in_window(columns, self.types, window),
        )

    def bad_row_columns(self) -> tuple[str, ...]:
        """The source's names of the columns that `bad_rows` shows, in its order."""
        return tuple(name for _, name in self._given())

    def _render(self, name: str, **parts: str) -> str:
        return self._translated(template(name).substitute(parts))

    def _translated(self, sql: str) -> str:
        if self.dialect == SOURCE:
            return sql
        from stratawatch.adapters.sources.dialects import translate

        return translate(sql, self.dialect)

    def _classified(self, window: Window, *, drawing: bool = False, among: str | None = None) -> str:
        """Every row of the window with calls and bin, or those `among` the ids of a table."""
        columns, types = self.panel.columns, self.types
        in_window = window_times.in_window(columns, types, window)
        scored_classifiers = self._scored_classifiers()
        scored = [*scored_classifiers, *self._auxiliary()]
        probabilities = [f"{call_and_score_sql.as_probability(i, one)} AS probability_{i}" for i, one in scored]
        calls = zip(self._call_words(), packed_codes.pack(self._call_codes()), strict=True)
        flags = zip(self._flag_words(), packed_codes.pack(self._flag_codes(window)), strict=True)
        row_is_clean = ["NOT item IS NULL", window_times.has_clean_time(columns, window)]
        row_is_clean += ["NOT repeated"] if self.panel.duplicates == "latest" else []
        return template("classified").substitute(
            renamed=INDENT.join(self._renamed(drawing=drawing)),
            population=window_times.in_partitions(self.relation, columns, types, window),
            times=INDENT.join(window_times.time_columns(columns, types)),
            scores=INDENT.join(["*", *(self._score(i, one) for i, one in scored)]),
            in_window=in_window
            if among is None
            else f"({in_window}) AND item IN (SELECT ids.item FROM {among} AS ids)",
            newest_rows=self._newest_rows(drawing=drawing),
            current=self._current(),
            probabilities=INDENT.join(["*", *probabilities]),
            calls=INDENT.join(
                [
                    "*",
                    *(f"{code} AS {name}" for name, code in calls),
                    f"{call_and_score_sql.total_score(scored_classifiers)} AS total_score",
                ]
            ),
            hashed=template("hashed").substitute(seed=text(self.panel.seed_of(window))) + "\n" if drawing else "",
            called="hashed" if drawing else "called",
            is_clean=call_and_score_sql.is_clean(row_is_clean, scored_classifiers),
            flags=INDENT.join(["*", *(f"CASE WHEN is_clean THEN 0 ELSE {code} END AS {name}" for name, code in flags)]),
            mean_score=call_and_score_sql.mean_score(
                scored_classifiers, self._auxiliary(), packed_codes.all_codes_valid_sql(self._flag_words())
            ),
            is_valid=packed_codes.all_codes_valid_sql(self._words()),
        )

    def _grouping(self, *keys: str) -> dict[str, str]:
        """The columns by which rows are counted, and what is computed of every group."""
        segments = [f"segment_{i}" for i, _ in enumerate(self.panel.columns.segments, 1)]
        cell = ", ".join([*self._words(), "bin"])
        sets = [", ".join([cell, *keys]), *(f"{cell}, {one}" for one in segments)]
        return {
            "words": ", ".join(self._words()),
            "segment_number": _by_grouped_segment(segments, [str(i) for i, _ in enumerate(segments, 1)], "0"),
            "segment_value": _by_grouped_segment(segments, segments, "CAST(NULL AS VARCHAR)"),
            "ranges": "".join(f",\n        {extreme}({of}) AS {name}" for name, extreme, of in self._ranges()),
            "grouping_sets": ", ".join(f"({one})" for one in sets),
        }

    def _same_cell(self, rows: str) -> str:
        return " AND ".join(f"quotas.{one} = {rows}.{one}" for one in [*self._call_words(), "bin"])

    def _call_codes(self) -> list[packed_codes.CodeSql]:
        """The code of every call in the pattern."""
        auxiliary = [partial(call_and_score_sql.auxiliary_call, i, one) for i, one in self._auxiliary()]
        return [*(partial(call_and_score_sql.call, i, one, self.types) for i, one in self._classifiers()), *auxiliary]

    def _flag_codes(self, window: Window) -> list[packed_codes.CodeSql]:
        """The flags of the row itself, then one a classifier."""

        def item(unit: int) -> str:
            repeated = _IF_REPEATED[self.panel.duplicates].format(code=packed_codes.REPEATED * unit)
            return f"CASE WHEN item IS NULL THEN {packed_codes.INVALID * unit} {repeated}ELSE 0 END"

        time = partial(window_times.time_flag, self.panel.columns, window)
        return [
            item,
            time,
            *(partial(call_and_score_sql.score_flag, i, one, self.types) for i, one in self._classifiers()),
        ]

    def _call_words(self) -> list[str]:
        """The columns that hold the calls of a pattern."""
        return [f"calls_{i + 1}" for i in range(packed_codes.word_count(len(self._scorers())))]

    def _flag_words(self) -> list[str]:
        """The columns that hold the flags."""
        flags = packed_codes.ROW_FLAGS + len(self.panel.classifiers)
        return [f"flags_{i + 1}" for i in range(packed_codes.word_count(flags))]

    def _words(self) -> list[str]:
        return [*self._call_words(), *self._flag_words()]

    def _flag_text(self) -> str:
        """The flags as text."""
        no_score, score = packed_codes.NO_SCORE_FLAGS, packed_codes.SCORE_FLAGS
        scores = [no_score if one.score is None else score for one in self.panel.classifiers]
        return packed_codes.unpack_sql("flags_", [packed_codes.ITEM_FLAGS, packed_codes.TIME_FLAGS, *scores])

    def _classifiers(self) -> list[tuple[int, ClassifierSpec]]:
        return list(enumerate(self.panel.classifiers, 1))

    def _scored_classifiers(self) -> list[NumberedScorer]:
        """The classifiers that have a score."""
        return [(i, one) for i, one in self._classifiers() if one.score is not None]

    def _auxiliary(self) -> list[tuple[int, AuxiliarySpec]]:
        """The auxiliary scores, numbered after the classifiers."""
        return list(enumerate(self.panel.auxiliary, len(self.panel.classifiers) + 1))

    def _scorers(self) -> list[NumberedScorer]:
        """Classifiers and auxiliary scores, in the order of the pattern."""
        return [*self._classifiers(), *self._auxiliary()]

    def _score(self, position: int, scorer: ClassifierSpec | AuxiliarySpec) -> str:
        return f"{call_and_score_sql.score_as_double(position, self.types[str(scorer.score)])} AS score_{position}"

    def _renamed(self, *, drawing: bool) -> list[str]:
        """The source's columns under names of our own."""
        columns = self.panel.columns
        renamed = [f"{identifier(columns.item)} AS item_given", *self._times()]
        renamed += [f"{identifier(name)} AS {ours}" for ours, name in self._given()]
        if drawing and self.copies is not None:
            renamed.append(f"{identifier(self.copies)} AS copies_given")
        return [*renamed, *self._attributes(drawing=drawing)]

    def _attributes(self, *, drawing: bool = True) -> list[str]:
        """Segments, and for a draw the payload and the cluster, under names of our own."""
        given = zip(self._attribute_names(drawing=drawing), self._attribute_columns(drawing=drawing), strict=True)
        return [f"{column} AS {name}" for name, column in given]

    def _attribute_columns(self, *, drawing: bool) -> list[str]:
        columns = self.panel.columns
        segments = [bytewise_text(identifier(name)) for name in columns.segments]
        cluster = [] if columns.cluster is None else [f"CAST({identifier(columns.cluster)} AS VARCHAR)"]
        return [*segments, *map(identifier, columns.payload), *cluster] if drawing else segments

    def _attribute_names(self, *, drawing: bool = True) -> list[str]:
        columns = self.panel.columns
        segments = [f"segment_{i}" for i, _ in enumerate(columns.segments, 1)]
        payload = [f"payload_{i}" for i, _ in enumerate(columns.payload, 1)]
        return [*segments, *payload, *(["cluster"] if columns.cluster else [])] if drawing else segments

    def _times(self) -> list[str]:
        columns = self.panel.columns
        renamed = [f"{identifier(columns.time)} AS time_given"]
        return renamed if columns.ingested is None else [*renamed, f"{identifier(columns.ingested)} AS arrived_given"]

    def _ranges(self) -> list[tuple[str, str, str]]:
        """Name, aggregate and column of the ends of every classifier's scores: a change of scale shows there."""
        extremes = (("low", "MIN"), ("high", "MAX"))
        return [
            (f"{name}_{i}", extreme, f"score_{i}") for i, _ in self._scored_classifiers() for name, extreme in extremes
        ]

    def _current(self) -> str:
        """The step whose rows are counted and drawn."""
        return "current_rows" if self.panel.duplicates == "latest" else "scored"

    def _newest_rows(self, *, drawing: bool) -> str:
        if self.panel.duplicates != "latest":
            return ""
        return template("newest_rows").substitute(newest_first=", ".join(self._newest_first(drawing=drawing))) + "\n"

    def _newest_first(self, *, drawing: bool) -> list[str]:
        """An order of rows that share an id, equal on every engine: by arrival, time, then all values that are counted.

        For a draw the attributes decide last: of rows that are counted alike, one must be shown to people.
        """
        names = (["arrived"] if self.panel.columns.ingested is not None else []) + ["time"]
        for ours, name in self._given():
            names.append(bytewise_text(ours) if kind_of(self.types[name]) == "text" else ours)
        names += [bytewise_text(name) for name in self._attribute_names(drawing=drawing)]
        return [f"{name} DESC NULLS LAST" for name in names]

    def _given(self) -> list[tuple[str, str]]:
        """Our names and the source's names of the columns of calls and scores."""
        calls = [(f"call_given_{i}", one.call) for i, one in enumerate(self.panel.classifiers, 1)]
        scores = [(f"score_given_{i}", one.score) for i, one in self._scorers()]
        return [(ours, name) for ours, name in (*calls, *scores) if name is not None]


@cache
def template(name: str) -> Template:
    """A text of sql/population."""
    return Template((files("stratawatch.sql") / "population" / f"{name}.sql").read_text(encoding="utf-8").rstrip())


def bytewise_text(expression: str) -> str:
    """An expression as text that is compared by its bytes, whatever collation the column has."""
    return f'CAST({expression} AS VARCHAR) COLLATE "C"'


def _by_grouped_segment(segments: list[str], values: list[str], otherwise: str) -> str:
    if not segments:
        return otherwise
    cases = [f"WHEN GROUPING({one}) = 0 THEN {value}" for one, value in zip(segments, values, strict=True)]
    return f"CASE {' '.join(cases)} ELSE {otherwise} END"
