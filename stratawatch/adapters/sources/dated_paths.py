"""Patterns of names that say when the rows of a file are of: `{year}/{month}/{day}/*.parquet`."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from itertools import pairwise, product
from typing import Final, TypeVar

from stratawatch.engine.model.panel_spec import Window

T = TypeVar("T")

FIELDS: Final = ("year", "month", "day", "hour")
MOST_FOLDERS: Final = 100
"""Folders that are listed one by one; of more, those above them are."""

_FIELD: Final = re.compile(r"\{(year|month|day|hour)\}")
_WORD: Final = re.compile(r"\{(\w+)\}")
_TOKEN: Final = re.compile(r"\{(?:year|month|day|hour)\}|\*\*/|\*+|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)
# One digit is a number only where no other follows or precedes it: "20260105" is cut in one way.
_YEAR: Final = r"(\d{4})"
_NUMBER: Final = r"(\d{2}|(?<!\d)\d(?!\d))"


def is_dated(path: str) -> bool:
    """Whether a path has a field, such as {year}."""
    return _FIELD.search(path) is not None


def has_wildcard(part: str) -> bool:
    """Whether a part of a path stands for several names."""
    return bool(set(part) & set("*?[")) or is_dated(part)


def undated(path: str) -> str:
    """The glob that a path with fields is a part of."""
    return _FIELD.sub("*", path)


def check_fields(path: str) -> str:
    """The path itself, if its fields are {year}, {month}, {day} and {hour}, each with those before it."""
    if unknown := {*_WORD.findall(path)} - {*FIELDS}:
        raise ValueError(f"has {{{min(unknown)}}}: the fields are {{year}}, {{month}}, {{day}} and {{hour}}")
    there = {*_FIELD.findall(path)}
    for coarse, fine in pairwise(FIELDS):
        if fine in there and coarse not in there:
            raise ValueError(f"has {{{fine}}} without {{{coarse}}}")
    return path


@dataclass(frozen=True)
class DatedPath:
    """A pattern in which `*`, `?` and `[...]` stay inside of a folder and `**` is any number of folders.

    With fields it promises: a file's rows are of its year, month, day or hour in UTC, or at most `margin` away from it.
    """

    pattern: str
    margin: timedelta = timedelta(0)

    @property
    def is_dated(self) -> bool:
        """Whether a name says when its rows are of."""
        return is_dated(self.pattern)

    def matches(self, name: str) -> bool:
        """Whether a name fits, and its fields are a time that there is."""
        return self.span(name) is not None if self.is_dated else self._regex.fullmatch(name) is not None

    def span(self, name: str) -> Window | None:
        """The time that a name's fields say; None where it does not fit, or says two.

        >>> print(DatedPath("{year}/{month}/*.csv").span("2026/2/a.csv"))
        [2026-02-01 00:00, 2026-03-01 00:00) +00:00
        """
        found = self._regex.fullmatch(name)
        if found is None:
            return None
        given = set(zip(_FIELD.findall(self.pattern), map(int, found.groups()), strict=True))
        fields = dict(given)
        if len(fields) < len(given):
            return None
        try:
            return _span(**fields)
        except (ValueError, OverflowError):  # a day that there is not, or after the last year
            return None

    def of_window(self, files: Iterable[T], window: Window | None, name_of: Callable[[T], str]) -> list[T]:
        """Of the files that fit those that may have rows of the window, or else one: some file says which columns are.

        Without a window all that fit. The pattern has fields.
        """
        spans = [(span, file) for file in files if (span := self.span(name_of(file))) is not None]
        if window is None or not spans:
            return [file for _, file in spans]
        start, end = window.start - self.margin, window.end + self.margin
        inside = [file for span, file in spans if span.start < end and start < span.end]
        return inside or [max(spans, key=lambda one: one[0].start)[1]]

    def starts(self, names: Iterable[str]) -> list[str]:
        """When the time of each name begins, as text in the order of time; empty where the pattern has no fields."""
        return [span.start.isoformat() for name in names if (span := self.span(name))] if self.is_dated else []

    def folders(self, window: Window) -> Sequence[str]:
        """Folders that have all files of the window; [""] where the pattern does not say which.

        >>> day = Window(datetime(2026, 11, 12, tzinfo=UTC), datetime(2026, 11, 13, tzinfo=UTC))
        >>> DatedPath("a/{year}-{month}/{day}/*/b.csv").folders(day)
        ['a/2026-11/12']
        """
        parts = self.pattern.split("/")[:-1]
        plain = [index for index, part in enumerate(parts) if "{hour}" in part or set(part) & set("*?[")]
        parts = parts[: plain[0]] if plain else parts
        while parts and is_dated("/".join(parts)):
            folders = list(dict.fromkeys(name for day in self._days(window) for name in _spelled("/".join(parts), day)))
            if len(folders) <= MOST_FOLDERS:
                return folders
            parts.pop()
        return [""]

    def _days(self, window: Window) -> Iterator[date]:
        first = (window.start - self.margin).astimezone(UTC).date()
        last = (window.end + self.margin - timedelta(microseconds=1)).astimezone(UTC).date()
        return (first + timedelta(days=number) for number in range((last - first).days + 1))

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile("".join(map(_regex_of, _TOKEN.findall(self.pattern))), re.DOTALL)


def _span(year: int, month: int | None = None, day: int | None = None, hour: int | None = None) -> Window:
    start = datetime(year, month or 1, day or 1, hour or 0, tzinfo=UTC)
    if hour is not None:
        return Window(start, start + timedelta(hours=1))
    if day is not None:
        return Window(start, start + timedelta(days=1))
    following = start + timedelta(days=366 if month is None else 31)
    return Window(start, following.replace(month=1 if month is None else following.month, day=1))


def _spelled(folder: str, day: date) -> Iterator[str]:
    """The folder of a day, with its numbers below ten as 05 and as 5."""
    for month, of_month in product({f"{day.month:02}", str(day.month)}, {f"{day.day:02}", str(day.day)}):
        yield folder.replace("{year}", str(day.year)).replace("{month}", month).replace("{day}", of_month)


def _regex_of(token: str) -> str:
    if field := _FIELD.fullmatch(token):
        return _YEAR if field[1] == "year" else _NUMBER
    if token == "**/":  # noqa: S105 - of a pattern
        return "(?:[^/]+/)*"
    if token[0] == "*":
        return "[^/]*"
    if token == "?":  # noqa: S105 - of a pattern
        return "[^/]"
    if len(token) > 1:
        signs = re.sub(r"([\\\[\]^&~|])", r"\\\1", token[1:-1].removeprefix("!"))
        return f"[^/{signs}]" if token[1] == "!" else f"[{signs}]"
    return re.escape(token)
