"""A tolerant view of a table: rules about one key must not stop at a mistake in another."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stratawatch.config.problems import Place, Problem


@dataclass(frozen=True)
class Table:
    """Part of the merged configuration; values of a wrong type count as absent, their problem is told elsewhere."""

    data: Any
    place: Place = ()

    def __contains__(self, key: str) -> bool:
        return isinstance(self.data, Mapping) and self.data.get(key) is not None

    def _get(self, key: str) -> Any:
        return self.data.get(key) if isinstance(self.data, Mapping) else None

    def at(self, *keys: str | int) -> Place:
        """The place of a key below."""
        return (*self.place, *keys)

    def table(self, key: str) -> "Table":
        """A table below."""
        return Table(self._get(key), self.at(key))

    def text(self, key: str) -> str | None:
        """A text, or None."""
        value = self._get(key)
        return value if isinstance(value, str) else None

    def number(self, key: str) -> float | None:
        """A number, or None."""
        value = self._get(key)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def flag(self, key: str) -> bool:
        """Whether a switch is on."""
        return self._get(key) is True

    def texts(self, key: str) -> list[tuple[int, str]]:
        """The texts of a list, with their indices."""
        value = self._get(key)
        found = enumerate(value if isinstance(value, list) else [])
        return [(index, text) for index, text in found if isinstance(text, str)]

    def empty(self, key: str) -> bool:
        """Whether a list is there and holds nothing."""
        value = self._get(key)
        return isinstance(value, list) and not value

    def named(self, key: str) -> dict[str, "Table"]:
        """Tables by name: [key.NAME]."""
        value = self._get(key)
        names = value if isinstance(value, Mapping) else {}
        return {name: Table(inner, self.at(key, name)) for name, inner in names.items()}

    def listed(self, key: str) -> Iterator["Table"]:
        """Tables in a list: [[key]]."""
        value = self._get(key)
        for index, inner in enumerate(value if isinstance(value, list) else []):
            yield Table(inner, self.at(key, index))

    def problem(self, key: str | None, what: str, *, expected: str = "", got: str = "", hint: str = "") -> Problem:
        """A problem at one of this table's keys, or at the table itself."""
        return Problem(self.place if key is None else self.at(key), what, expected, got, hint)
