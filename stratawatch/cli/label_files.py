"""Label files that people write by hand: JSONL or CSV with item, value, annotator and, if known, the time."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from stratawatch.adapters.queues.label_values import label_value
from stratawatch.engine.labels.import_labels import HandLabel
from stratawatch.errors import StratawatchError

SHOWN: Final = 10
LARGEST: Final = 200_000_000


def read_labels(path: Path) -> tuple[HandLabel, ...]:
    """Every label of a file; raises with the bad lines and keeps nothing when one is wrong."""
    labels, bad = [], []
    for number, line in _lines(path, _text(path)):
        try:
            labels.append(_label(line))
        except ValueError as reason:
            bad.append(f"line {number}: {reason}")
    if bad:
        more = f"\n... and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
        listing = "\n".join(bad[:SHOWN])
        raise StratawatchError(f"{path.name} has {len(bad)} bad lines, so nothing was imported\n{listing}{more}")
    return tuple(labels)


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


def _lines(path: Path, text: str) -> Iterator[tuple[int, Any]]:
    match path.suffix.lower():
        case ".csv":
            yield from _csv_lines(path, text)
        case ".jsonl" | ".ndjson":
            for number, line in enumerate(text.split("\n"), start=1):
                if line.strip():
                    yield number, line
        case other:
            raise StratawatchError(f"{path.name} is no label file", expected=".csv or .jsonl", got=other or "no ending")


def _csv_lines(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    missing = {"item", "value"} - set(reader.fieldnames or ())
    if missing:
        raise StratawatchError(
            f"{path.name} has no column '{min(missing)}'",
            expected="a first line item,value,annotator,at",
            got=",".join(reader.fieldnames or ()),
        )
    try:
        for row in reader:
            # An empty field and one that a short row lacks say nothing; null, which is a skip, is JSON's word.
            yield reader.line_num, {key: value for key, value in row.items() if value not in ("", None)}
    except csv.Error as trouble:
        raise StratawatchError(f"{path.name} is not CSV at line {reader.line_num}", got=str(trouble)) from None


def _label(line: Any) -> HandLabel:
    if isinstance(line, str):
        try:
            line = json.loads(line)
        except (ValueError, RecursionError):
            raise ValueError("it is not JSON") from None
    if not isinstance(line, Mapping):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - bad lines are collected as ValueError
    item, annotator = line.get("item"), line.get("annotator", "import")
    if not isinstance(item, str) or item == "" or not _storable(item):
        raise ValueError("'item' is not a text")
    if not isinstance(annotator, str) or not 0 < len(annotator.strip()) <= 200 or not _storable(annotator):
        raise ValueError("'annotator' is not a name of up to 200 characters")
    return HandLabel(item, label_value(line), annotator, _time(line.get("at")))


def _storable(text: str) -> bool:
    """JSON can spell half of a surrogate pair, which is no character and has no bytes."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def _time(text: Any) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ValueError(f"'at' is {text!r}, expected a time such as 2026-01-05T00:00:00+00:00")
    return moment
