"""Labelled predictions in Parquet or CSV, from which baselines are measured."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from stratawatch.adapters.sources import call_and_score_sql
from stratawatch.adapters.sources.column_types import require
from stratawatch.adapters.sources.duckdb_session import DuckDBLimits, column_types, duckdb_errors, duckdb_session
from stratawatch.adapters.sources.file_set import FileSet, SourceFile, find_files
from stratawatch.adapters.sources.packed_codes import CALL_LETTERS
from stratawatch.adapters.sources.quoting import identifier, own_words
from stratawatch.answer_words import NO, YES
from stratawatch.core.cells import Flags
from stratawatch.engine.baselines.baselines_from_labels import LabelledItems
from stratawatch.engine.model.panel_spec import PanelSpec, RequiredColumn
from stratawatch.errors import InputRefused, Unreachable

LABEL: Final = "label"
"""The default name of the column of labels."""
MOST_ROWS: Final = 10_000_000
MOST_TEXT: Final = 1 << 30
"""Rows, and bytes of their items and segments, that are read at once: a small file can decompress to a lot."""
_LABEL_LETTER: Final = (
    f"CASE WHEN {{c}} IS NULL OR TRIM({{c}}) = '' THEN '-' WHEN LOWER(TRIM({{c}})) IN ({own_words(YES)}) THEN '1' "
    f"WHEN LOWER(TRIM({{c}})) IN ({own_words(NO)}) THEN '0' ELSE '!' END"
)


@dataclass(frozen=True)
class LabelledFiles:
    """One file, or several that match a pattern, with a row an item: its label and the panel's classifiers' calls.

    Rows without a label are left out. Where the files have the panel's item column, an item may occur once only.
    """

    path: str
    label: str = LABEL
    delimiter: str | None = None
    confined_to: Path | None = None

    def read(self, panel: PanelSpec) -> LabelledItems:
        """Read all labelled rows. Raises InputRefused or Unreachable."""
        files = find_files(self.path, self.delimiter, self.confined_to)
        for file in files.files:
            if file.bytes == 0:
                raise InputRefused(f"'{file.path}' is empty", expected="columns with their names, and rows with labels")
        try:
            with files.unchanged(may_grow=False):  # the digest is of the rows that were read
                return self._items(panel, files)
        except Unreachable as error:  # no later advance reads it again
            again = "measure again; the file must be whole, and fit into memory"
            raise Unreachable(error.what, expected=error.expected, got=error.got, hint=again) from error

    def _items(self, panel: PanelSpec, files: FileSet) -> LabelledItems:
        with duckdb_session(DuckDBLimits()) as connection, duckdb_errors(self.path):
            types = column_types(connection, files.relation())
            segments = [name for name in panel.columns.segments if name in types]
            item = panel.columns.item if panel.columns.item in types else None
            self._require(panel, types)
            statement = _statement(panel, files.relation(), types, (self.label, item, segments))
            self._require_size(connection, statement, [*(["item"] if item else []), *_segment_names(segments)])
            rows = connection.execute(statement).fetchnumpy()
            total = connection.execute(f"SELECT count(*) FROM {files.relation()}").fetchone()[0]
        self._check(rows, panel, item)
        calls = {one.name: rows[f"letter_{i}"] for i, one in enumerate(panel.classifiers, 1)}
        return LabelledItems(
            truth=_equal(rows["label"], "1"),
            calls={name: _equal(letters, "1") for name, letters in calls.items()},
            scored={name: ~_equal(letters, "-") for name, letters in calls.items()},
            segments={name: _texts(rows[as_]) for name, as_ in zip(segments, _segment_names(segments), strict=True)},
            source=_source(files.files),
            unlabelled=total - rows["label"].size,
        )

    def _require(self, panel: PanelSpec, types: Mapping[str, str]) -> None:
        where = "the labelled predictions"
        require(RequiredColumn(self.label, "label", "the label", ()), types, where=where)
        for one in panel.classifiers:
            for role in one.column_roles():
                require(role, types, where=where)

    def _require_size(self, connection: Any, statement: str, texts: Sequence[str]) -> None:
        """Refuse what would not fit into memory: it is counted as a stream first, and only as far as the limit."""
        lengths = " + ".join(f"COALESCE(STRLEN({name}), 0)" for name in texts) or "0"
        counted = f"SELECT COUNT(*), SUM({lengths}) FROM (SELECT * FROM ({statement}) LIMIT {MOST_ROWS + 1})"
        ((rows, text),) = connection.execute(counted).fetchall()
        if rows > MOST_ROWS or (text or 0) > MOST_TEXT:
            raise InputRefused(
                f"'{self.path}' holds more labelled predictions than are read at once",
                expected=f"at most {MOST_ROWS:,} rows with a label, and {MOST_TEXT:,} bytes of items and segments",
                hint="split it, or leave rows out",
            )

    def _check(self, rows: Mapping[str, Any], panel: PanelSpec, item: str | None) -> None:
        """Every label and every call can be read, and no item counts twice."""
        if rows["label"].size == 0:
            raise InputRefused("the labelled predictions have no row with a label", got=self.path)
        columns = [("label", f"the label '{self.label}'")]
        columns += [(f"letter_{i}", f"what classifier '{one.name}' said") for i, one in enumerate(panel.classifiers, 1)]
        for column, description in columns:
            wrong = int(_equal(rows[column], "!").sum())
            if wrong:
                raise InputRefused(
                    f"{description} cannot be read in {wrong} rows of the labelled predictions",
                    expected="yes or no, true or false, 1 or 0, and scores in their range",
                )
        if item is not None:
            repeated = rows["item"].size - len(set(_texts(rows["item"])))
            if repeated:
                raise InputRefused(
                    f"{repeated} rows of the labelled predictions are of an item that has one already",
                    expected=f"each '{item}' once",
                )


def _statement(
    panel: PanelSpec, relation: str, types: Mapping[str, str], columns: tuple[str, str | None, Sequence[str]]
) -> str:
    """Select a letter for the label and for each classifier, as in patterns; then the segments and the item."""
    label, item, segments = columns
    classifiers = list(enumerate(panel.classifiers, 1))
    renamed = [f"CAST({identifier(label)} AS VARCHAR) AS label_given"]
    renamed += [f"{identifier(one.call)} AS call_given_{i}" for i, one in classifiers if one.call is not None]
    renamed += [f"{identifier(one.score)} AS score_given_{i}" for i, one in classifiers if one.score is not None]
    renamed += [f"CAST({identifier(name)} AS VARCHAR) AS segment_{i}" for i, name in enumerate(segments, 1)]
    renamed += [] if item is None else [f"CAST({identifier(item)} AS VARCHAR) AS item"]
    scores = [(i, types[one.score]) for i, one in classifiers if one.score is not None]
    scored = ["*", *(f"{call_and_score_sql.score_as_double(i, kind)} AS score_{i}" for i, kind in scores)]
    selected = [f"{_LABEL_LETTER.format(c='label_given')} AS label"]
    selected += [
        f"SUBSTRING('{CALL_LETTERS}', ({call_and_score_sql.call(i, one, types, 1)}) + 1, 1) AS letter_{i}"
        for i, one in classifiers
    ]
    selected += _segment_names(segments)
    selected += [] if item is None else ["item"]
    return (
        f"WITH renamed AS (SELECT {', '.join(renamed)} FROM {relation}), "
        f"scored AS (SELECT {', '.join(scored)} FROM renamed) "
        f"SELECT * FROM (SELECT {', '.join(selected)} FROM scored) WHERE label <> '-'"
    )


def _segment_names(segments: Sequence[str]) -> list[str]:
    return [f"segment_{i}" for i, _ in enumerate(segments, 1)]


def _equal(letters: Any, letter: str) -> Flags:
    return np.asarray(letters == letter, dtype=np.bool_)


def _texts(column: Any) -> tuple[str | None, ...]:
    """The values of a column, None where there is none."""
    missing = np.ma.getmaskarray(column)
    return tuple(None if gone else value for value, gone in zip(np.ma.getdata(column), missing, strict=True))


def _source(files: Sequence[SourceFile]) -> str:
    """The files' names and a digest of their contents, by which the same labels are recognised."""
    names = ", ".join(file.path.name for file in files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    return f"labelled predictions {names} (SHA-256 {_digest(file.path for file in files)[:16]})"


def _digest(paths: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        with path.open("rb") as handle:
            whole.update(hashlib.file_digest(handle, "sha256").digest())
    return whole.hexdigest()
