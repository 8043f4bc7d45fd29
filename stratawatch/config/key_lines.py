"""On which line of a TOML file a key stands: the parser does not say, people need it."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from stratawatch.config.problems import Place

_HEADER = re.compile(r"^\s*(\[\[?)(?!\s*$)")


def key_lines(text: str) -> dict[Place, int]:
    """Line numbers, from one, of every key and table of a valid TOML text."""
    found: dict[Place, int] = {}
    arrays: Counter[Place] = Counter()
    table: Place = ()
    for number, statement in _statements(text.splitlines()):
        header = _HEADER.match(statement)
        if header:
            table = _table(statement, arrays, double=header[1] == "[[")
            found.setdefault(table, number)
            _parents(found, table, number)
            continue
        for path in _paths(tomllib.loads(statement)):
            found.setdefault((*table, *path), number)
    return found


def line_of(lines: dict[Place, int], place: Place) -> int | None:
    """The line of a key, or of the nearest table around it."""
    for end in range(len(place), 0, -1):
        if place[:end] in lines:
            return lines[place[:end]]
    return None


def line_of_unfinished(text: str) -> int:
    """The line with which the first statement begins that does not end in the text; the last line without one."""
    lines = text.splitlines()
    return next((number for number, statement in _statements(lines) if not _whole(statement)), max(len(lines), 1))


def _statements(lines: list[str]) -> Iterator[tuple[int, str]]:
    """A statement ends where it parses on its own: values may run over many lines."""
    start = 0
    while start < len(lines):
        if not lines[start].strip() or lines[start].lstrip().startswith("#"):
            start += 1
            continue
        end = start + 1
        while end < len(lines) and not _whole("\n".join(lines[start:end])):
            end += 1
        yield start + 1, "\n".join(lines[start:end])
        start = end


def _whole(statement: str) -> bool:
    try:
        tomllib.loads(statement)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _table(header: str, arrays: Counter[Place], *, double: bool) -> Place:
    """The place that a header opens; inside an array of tables that is its newest element."""
    names = _names(tomllib.loads(header))
    place: Place = ()
    for depth, name in enumerate(names):
        place = (*place, name)
        if double and depth == len(names) - 1:
            arrays[place] += 1
        if arrays[place]:
            place = (*place, arrays[place] - 1)
    return place


def _names(parsed: Any) -> list[str]:
    names = []
    while parsed:
        if isinstance(parsed, list):
            parsed = parsed[0]
            continue
        name, parsed = next(iter(parsed.items()))
        names.append(name)
    return names


def _parents(found: dict[Place, int], table: Place, number: int) -> None:
    for end in range(1, len(table)):
        found.setdefault(table[:end], number)


def _paths(parsed: Any, place: Place = ()) -> Iterator[Place]:
    """Every key below, tables inside values included."""
    if place:
        yield place
    children = parsed.items() if isinstance(parsed, dict) else enumerate(parsed) if isinstance(parsed, list) else ()
    for key, value in children:
        yield from _paths(value, (*place, key))
