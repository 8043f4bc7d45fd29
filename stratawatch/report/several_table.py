"""The table of several windows as one: its columns, its rows and what is to be known of it."""

from dataclasses import dataclass

from stratawatch.core.alarms.moved import ValueInterval


@dataclass(frozen=True)
class WindowsReading:
    """A metric in several windows as one, or its change from the windows `before`.

    Where nothing is `found`, `undefined` says why.
    """

    found: ValueInterval | None
    undefined: str
    labels_used: int
    windows: int
    before: int

    @property
    def is_within_chance(self) -> bool:
        """Of a change, whether its interval holds 0."""
        return self.found is not None and self.found.low <= 0 <= self.found.high


@dataclass(frozen=True)
class WindowsColumn:
    """A column of the table, whose readings are over so many windows at most."""

    windows: int
    before: int

    @property
    def title(self) -> str:
        """Its heading.

        >>> [WindowsColumn(*counts).title for counts in [(4, 0), (1, 1), (4, 4)]]
        ['Last 4 together', 'Since the window before', 'Last 4 since the 4 before']
        >>> [WindowsColumn(*counts).title for counts in [(4, 1), (1, 4)]]
        ['Last 4 since the one before', 'Newest since the 4 before']
        """
        if not self.before:
            return f"Last {self.windows} together"
        if (self.windows, self.before) == (1, 1):
            return "Since the window before"
        newest = f"Last {self.windows}" if self.windows > 1 else "Newest"
        return f"{newest} since the {self.before if self.before > 1 else 'one'} before"


@dataclass(frozen=True)
class WindowsRow:
    """One metric of a classifier, with a reading for each column; None where it has none."""

    classifier: str
    metric: str
    readings: tuple[WindowsReading | None, ...]


@dataclass(frozen=True)
class SeveralView:
    """The table by classifier, what is to be known of it, and what to type to see more."""

    columns: tuple[WindowsColumn, ...]
    classifiers: tuple[tuple[str, tuple[WindowsRow, ...]], ...]
    notes: tuple[str, ...]
    command: str
    others: int  # classifiers without a row

    @property
    def rows(self) -> tuple[WindowsRow, ...]:
        """All rows."""
        return tuple(row for _, rows in self.classifiers for row in rows)
