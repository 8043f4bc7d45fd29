"""Predictions whose labels are known, in Parquet or CSV: what baselines are measured from."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from stratawatch.adapters.sources import call_sql
from stratawatch.adapters.sources.column_types import require, said_by
from stratawatch.adapters.sources.duckdb_session import Bounds, reading, session
from stratawatch.adapters.sources.file_set import FileSet, SourceFile, find_files, require_unchanged
from stratawatch.adapters.sources.packed_codes import LETTERS
from stratawatch.adapters.sources.quoting import identifier
from stratawatch.core.cells import Flags
from stratawatch.engine.baselines.baselines_from_labels import LabelledItems
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.errors import InputRefused, Unreachable

LABEL: Final = "label"
"""The column of the labels, where nobody names another."""
_LETTER: Final = (
    "CASE WHEN {c} IS NULL OR TRIM({c}) = '' THEN '-' WHEN LOWER(TRIM({c})) IN ('yes', 'true', '1', '1.0') THEN '1' "
    "WHEN LOWER(TRIM({c})) IN ('no', 'false', '0', '0.0') THEN '0' ELSE '!' END"
)


@dataclass(frozen=True)
class LabelledFiles:
    """One file, or several behind a pattern, with a row an item: its label and what the panel's classifiers said.

    Rows without a label are left out. Where the panel's item column is there, an item may be there once only.
    """

    path: str
    label: str = LABEL
    delimiter: str | None = None
    confined_to: Path | None = None

    def read(self, panel: PanelSpec) -> LabelledItems:
        """All labelled rows. Raises InputRefused or Unreachable."""
        files = find_files(self.path, self.delimiter, self.confined_to)
        for file in files.files:
            if file.bytes == 0:
                raise InputRefused(f"'{file.path}' is empty", expected="columns with their names, and rows with labels")
        try:
            return self._unchanged(panel, files)
        except Unreachable as trouble:  # nobody reads it again by itself
            again = "measure again; the file must be whole, and fit into memory"
            raise Unreachable(trouble.what, expected=trouble.expected, got=trouble.got, hint=again) from trouble

    def _unchanged(self, panel: PanelSpec, files: FileSet) -> LabelledItems:
        try:
            items = self._items(panel, files)
        except InputRefused:
            require_unchanged(files, may_grow=False)  # half a file has every fault there is
            raise
        require_unchanged(files, may_grow=False)  # the digest is of the rows that were read
        return items

    def _items(self, panel: PanelSpec, files: FileSet) -> LabelledItems:
        with session(Bounds()) as connection, reading(self.path):
            described = connection.execute(f"DESCRIBE SELECT * FROM {files.relation()}").fetchall()
            types = {row[0]: row[1] for row in described}
            segments = [name for name in panel.columns.segments if name in types]
            item = panel.columns.item if panel.columns.item in types else None
            self._require(panel, types)
            statement = _statement(panel, files.relation(), types, (self.label, item, segments))
            rows = connection.execute(statement).fetchnumpy()
            total = connection.execute(f"SELECT count(*) FROM {files.relation()}").fetchone()[0]
        self._check(rows, panel, item)
        said = {one.name: rows[f"letter_{i}"] for i, one in enumerate(panel.classifiers, 1)}
        return LabelledItems(
            truth=_are(rows["label"], "1"),
            calls={name: _are(letters, "1") for name, letters in said.items()},
            scored={name: ~_are(letters, "-") for name, letters in said.items()},
            segments={name: _texts(rows[f"segment_{i}"]) for i, name in enumerate(segments, 1)},
            source=_source(files.files),
            unlabelled=total - rows["label"].size,
        )

    def _require(self, panel: PanelSpec, types: Mapping[str, str]) -> None:
        where = "the labelled predictions"
        require(self.label, "the label", ("flag", "number", "text"), types, where=where)
        for one in panel.classifiers:
            for name, role, kinds in said_by(one):
                require(name, role, kinds, types, where=where)

    def _check(self, rows: Mapping[str, Any], panel: PanelSpec, item: str | None) -> None:
        """Every label and every call can be read, and no item counts twice."""
        if rows["label"].size == 0:
            raise InputRefused("the labelled predictions have no row with a label", got=self.path)
        columns = [("label", f"the label '{self.label}'")]
        columns += [(f"letter_{i}", f"what classifier '{one.name}' said") for i, one in enumerate(panel.classifiers, 1)]
        for column, words in columns:
            wrong = int(_are(rows[column], "!").sum())
            if wrong:
                raise InputRefused(
                    f"{words} cannot be read in {wrong} rows of the labelled predictions",
                    expected="yes or no, true or false, 1 or 0, and scores in their range",
                )
        if item is not None:
            again = rows["item"].size - len(set(_texts(rows["item"])))
            if again:
                raise InputRefused(
                    f"{again} rows of the labelled predictions are of an item that has one already",
                    expected=f"each '{item}' once",
                )


def _statement(
    panel: PanelSpec, relation: str, types: Mapping[str, str], columns: tuple[str, str | None, Sequence[str]]
) -> str:
    """A letter for the label and for each classifier, as in the census; then the item and its segments."""
    label, item, segments = columns
    many = list(enumerate(panel.classifiers, 1))
    named = [f"CAST({identifier(label)} AS VARCHAR) AS label_given"]
    named += [f"{identifier(one.call)} AS call_given_{i}" for i, one in many if one.call is not None]
    named += [f"{identifier(one.score)} AS score_given_{i}" for i, one in many if one.score is not None]
    named += [f"CAST({identifier(name)} AS VARCHAR) AS segment_{i}" for i, name in enumerate(segments, 1)]
    named += [] if item is None else [f"CAST({identifier(item)} AS VARCHAR) AS item"]
    scores = [(i, types[one.score]) for i, one in many if one.score is not None]
    scored = ["*", *(f"{call_sql.score_value(i, kind)} AS score_{i}" for i, kind in scores)]
    told = [f"{_LETTER.format(c='label_given')} AS label"]
    told += [f"SUBSTRING('{LETTERS}', ({call_sql.letter(i, one, types, 1)}) + 1, 1) AS letter_{i}" for i, one in many]
    told += [f"segment_{i}" for i, _ in enumerate(segments, 1)]
    told += [] if item is None else ["item"]
    return (
        f"WITH named AS (SELECT {', '.join(named)} FROM {relation}), "
        f"scored AS (SELECT {', '.join(scored)} FROM named) "
        f"SELECT * FROM (SELECT {', '.join(told)} FROM scored) WHERE label <> '-'"
    )


def _are(letters: Any, letter: str) -> Flags:
    return np.asarray(letters == letter, dtype=np.bool_)


def _texts(column: Any) -> tuple[str | None, ...]:
    """The values of a column, None where there is none."""
    missing = np.ma.getmaskarray(column)
    return tuple(None if gone else value for value, gone in zip(np.ma.getdata(column), missing, strict=True))


def _source(files: Sequence[SourceFile]) -> str:
    """The names, and a digest of what is in them: the same labels are the same evidence."""
    names = ", ".join(file.path.name for file in files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    return f"labelled predictions {names} (SHA-256 {_digest(file.path for file in files)[:16]})"


def _digest(paths: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        with path.open("rb") as handle:
            whole.update(hashlib.file_digest(handle, "sha256").digest())
    return whole.hexdigest()
