"""Files that people write by hand, JSONL or CSV: labels with item, value, annotator and time, and gold items."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from stratawatch.adapters.queues.label_line import annotator_of, json_object, time_of, word
from stratawatch.adapters.queues.label_values import InvalidError, label_value
from stratawatch.cli.csv_cells import without_mark
from stratawatch.engine.labels.import_labels import HandLabel
from stratawatch.engine.model.gold import GoldItem
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text, shortened

LABEL_COLUMNS: Final = ("item", "value", "annotator", "at")
SHOWN: Final = 10
LARGEST: Final = 200_000_000

Line = TypeVar("Line")


def read_labels(path: Path) -> tuple[HandLabel, ...]:
    """Every label of a file; raises with the bad lines and keeps nothing when one is wrong."""
    return _read(path, _label)


def read_gold(path: Path, payload: Sequence[str]) -> tuple[tuple[GoldItem, ...], tuple[str, ...]]:
    """The gold items of a file with what labellers are shown of each, and the items that are to be gold no more.

    An item has one truth: a line that says another one than a line before is a bad one.
    """
    said: dict[str, str] = {}
    lines = _read(path, partial(_gold, payload=payload, said=said), ("item", "value", *payload))
    last = {item.item if isinstance(item, GoldItem) else item: item for item in lines}
    return (
        tuple(one for one in last.values() if isinstance(one, GoldItem)),
        tuple(one for one in last.values() if isinstance(one, str)),
    )


def _read(path: Path, read: Callable[[Any], Line], columns: Sequence[str] = LABEL_COLUMNS) -> tuple[Line, ...]:
    """Every line of a file; raises with the bad ones. `columns` are those of the first line of a CSV."""
    lines, bad = [], []
    for number, line in _lines(path, _text(path), columns):
        try:
            lines.append(read(line))
        except ValueError as reason:
            bad.append(f"line {number}: {reason}")
    if bad:
        more = f"\n... and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
        listing = "\n".join(bad[:SHOWN])
        counted = count_text(len(bad), "bad line")
        raise StratawatchError(f"{path.name} has {counted}, so nothing was imported\n{listing}{more}")
    return tuple(lines)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise StratawatchError(f"{path.name} is too large", expected=f"at most {LARGEST:,} bytes", hint="split it")
        with path.open(encoding="utf-8-sig", newline="") as handle:
            return handle.read()
    except OSError as trouble:
        raise StratawatchError(f"{path} cannot be read", got=trouble.strerror or type(trouble).__name__) from None
    except UnicodeDecodeError:
        raise StratawatchError(f"{path.name} is not text in UTF-8", hint="save it as UTF-8") from None


def _lines(path: Path, text: str, columns: Sequence[str]) -> Iterator[tuple[int, Any]]:
    match path.suffix.lower():
        case ".csv":
            yield from _csv_lines(path, text, columns)
        case ".jsonl" | ".ndjson":
            for number, line in enumerate(text.split("\n"), start=1):
                if line.strip():
                    yield number, line
        case other:
            raise StratawatchError(f"{path.name} is no label file", expected=".csv or .jsonl", got=other or "no ending")


def _csv_lines(path: Path, text: str, columns: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    usual = csv.field_size_limit(LARGEST)  # a cell of an export may hold a whole document
    try:
        yield from _csv_rows(path, text, columns)
    finally:
        csv.field_size_limit(usual)


def _csv_rows(path: Path, text: str, columns: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    _require_single(path, reader.fieldnames or ())
    missing = {"item", "value"} - set(reader.fieldnames or ())
    if missing:
        raise StratawatchError(
            f"{path.name} has no column '{min(missing)}'",
            expected=f"a first line {','.join(columns)}",
            got=",".join(reader.fieldnames or ()) or "an empty file",
        )
    try:
        for row in reader:
            # An empty field and one that a short row lacks say nothing; null, which is a skip, is JSON's word.
            cells = {name: without_mark(cell) for name, cell in row.items() if cell and name is not None}
            yield reader.line_num, _TooLong(cells) if any(row.get(None) or ()) else cells
    except csv.Error as trouble:
        raise StratawatchError(f"{path.name} is not CSV at line {reader.line_num}", got=str(trouble)) from None


class _TooLong(dict[str, str]):
    """A line of a CSV that has more cells than there are columns: nobody can tell which is which."""


def _require_single(path: Path, columns: Sequence[str]) -> None:
    """Refuse a first line that names a column twice: of its cells the last one would count."""
    doubled = [name for name, number in Counter(columns).items() if number > 1 and name]
    if doubled:
        raise StratawatchError(f"{path.name} has the column '{doubled[0]}' twice, so nothing was imported")


def _fields(line: Any) -> Mapping[str, Any]:
    if isinstance(line, _TooLong):
        raise InvalidError("has more cells than the first line; put quotes around a cell that holds a comma")
    return json_object(line.encode()) if isinstance(line, str) else line


def _gold(line: Any, payload: Sequence[str], said: dict[str, str]) -> GoldItem | str:
    """A gold item, or the id of one that is to be gold no more. `said` are the values of the lines before."""
    fields = _fields(line)
    item = word(fields, "item", longest=None)
    try:
        value = label_value(fields)
    except InvalidError:
        if "value" not in fields:
            raise
        value = "skip"
    if value == "skip":
        raise ValueError(f"'value' of {shortened(item, 40)} is none of yes, no, true, false, 1, 0, retract")
    if said.setdefault(item, value) != value:
        raise ValueError(f"{shortened(item, 40)} is {value} here and {said[item]} in a line before")
    if value == "retract":
        return item
    if missing := [name for name in payload if name not in fields]:
        raise ValueError(f"no '{missing[0]}', which labellers are shown of other items")
    return GoldItem(item, value, {name: fields[name] for name in payload})


def _label(line: Any) -> HandLabel:
    fields = _fields(line)
    item = word(fields, "item", longest=None)
    annotator = annotator_of(fields, "import")
    question = word(fields, "question_key") if fields.get("question_key") else None
    names = ("source", "event_id")
    event = [word(fields, name) for name in names] if all(fields.get(name) for name in names) else []
    return HandLabel(item, label_value(fields), annotator, time_of(fields), question, *event)
