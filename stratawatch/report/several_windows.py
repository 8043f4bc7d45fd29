"""The newest windows as one, beside each window by itself: every metric in the last 4 and 13, and how far it moved."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Final, NamedTuple

from stratawatch.core.alarms.reading_lengths import FEW, MANY
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.engine.evidence.newest_together import JudgedWindows, NewestTogether
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StratawatchError


class Asked(NamedTuple):
    """So many of the newest windows as one, or their change from as many before."""

    windows: int
    is_change: bool = False


LAST_CHANGE: Final = Asked(1, is_change=True)
COLUMNS: Final = (Asked(FEW), Asked(MANY), LAST_CHANGE, Asked(FEW, is_change=True))


@dataclass(frozen=True)
class SeveralWindows:
    """What the newest judged windows say together of every classifier; or why that cannot be told."""

    found: Mapping[Asked, Sequence[NewestTogether]] = field(default_factory=dict)
    why_not: str = ""

    @classmethod
    def of(cls, tx: Transaction, panel: str) -> "SeveralWindows":
        """Those of a panel, over all items; nothing where there is one window alone."""
        judged = JudgedWindows.of(tx, panel, (None,), max(one.windows * (1 + one.is_change) for one in COLUMNS))
        if judged is None or len(judged.judged) == 1:
            return cls()
        try:
            return cls({one: judged.together(one.windows, is_change=one.is_change) for one in COLUMNS})
        except StratawatchError as trouble:
            return cls(why_not=str(trouble))

    def reading(self, asked: Asked, classifier: str, metric: str) -> "WindowsReading | None":
        """What was asked for, of one metric; None where there are no such windows."""
        return self._readings.get((asked, classifier, metric))

    def is_change_within_chance(self, cycle: int, classifier: str, metric: str) -> bool:
        """Whether luck alone may have moved a metric from the window before to this one, where that is known."""
        newest = {part.newest[-1].id for part in self.found.get(LAST_CHANGE, ())}
        moved = self.reading(LAST_CHANGE, classifier, metric)
        return newest == {cycle} and moved is not None and not moved.undefined and moved.is_within_chance

    @cached_property
    def _readings(self) -> Mapping[tuple[Asked, str, str], "WindowsReading"]:
        return {
            (asked, one.classifier, one.metric): WindowsReading.of(one, part)
            for asked, parts in self.found.items()
            for part in parts
            for one in part.estimates
        }

    @property
    def why_fewer(self) -> tuple[str, ...]:
        """Why some classifiers are read over fewer windows than were asked for, each reason once."""
        return tuple(dict.fromkeys(part.why_fewer for part in self.found.get(Asked(MANY), ()) if part.why_fewer))


@dataclass(frozen=True)
class WindowsReading:
    """A metric in several windows as one, or its change from the windows `before`.

    `undefined` says why it has no value; that and the ends are 0 then.
    """

    value: float
    low: float
    high: float
    labels_used: int
    windows: int
    before: int
    undefined: str = ""

    @classmethod
    def of(cls, estimate: Estimate, part: NewestTogether) -> "WindowsReading":
        """An estimate of these windows."""
        counted = estimate.labels_used, len(part.newest), len(part.before)
        match estimate.result:
            case IntervalEstimate(value, low, high):
                return cls(value, low, high, *counted)
            case Undefined(reason):
                return cls(0.0, 0.0, 0.0, *counted, undefined=reason)

    @property
    def half_width(self) -> float:
        """Half the length of the interval, which decides the decimals."""
        return (self.high - self.low) / 2

    @property
    def is_within_chance(self) -> bool:
        """Of a change, whether its interval holds 0."""
        return self.low <= 0 <= self.high


@dataclass(frozen=True)
class WindowsColumn:
    """A column of the table: most of its readings are over so many windows."""

    windows: int
    before: int

    @property
    def title(self) -> str:
        """Its heading.

        >>> [WindowsColumn(*counts).title for counts in [(4, 0), (1, 1), (4, 4), (4, 1)]]
        ['Last 4 together', 'Since the window before', 'Last 4 since the 4 before', 'Last 4 since the one before']
        """
        if not self.before:
            return f"Last {self.windows} together"
        if self.windows == 1:
            return "Since the window before"
        return f"Last {self.windows} since the {self.before if self.before > 1 else 'one'} before"


@dataclass(frozen=True)
class WindowsRow:
    """One metric of a classifier, with a reading for each column; None where it has none."""

    classifier: str
    metric: str
    readings: tuple[WindowsReading | None, ...]


@dataclass(frozen=True)
class SeveralView:
    """The table, and what is to be known of it."""

    columns: tuple[WindowsColumn, ...]
    rows: tuple[WindowsRow, ...]
    notes: tuple[str, ...]
    others: int = 0  # classifiers without a row

    @property
    def by_classifier(self) -> list[tuple[str, list[WindowsRow]]]:
        """The rows under their classifiers' names."""
        return [(name, list(rows)) for name, rows in groupby(self.rows, key=lambda row: row.classifier)]


def several_view(
    found: SeveralWindows, streams: Iterable[tuple[str, str]], shown: Collection[str]
) -> SeveralView | None:
    """The table of these (classifier, metric), in their order, as far as classifiers are shown; None for one window."""
    if found.why_not:
        return SeveralView((), (), (f"Several windows cannot be counted as one: {found.why_not}",))
    every = tuple(streams)
    metrics = tuple(one for one in every if one[0] in shown)
    asked = tuple(_worth_showing(found, metrics))
    rows = [WindowsRow(*metric, tuple(found.reading(one, *metric) for one in asked)) for metric in metrics]
    rows = [row for row in rows if any(row.readings)]
    if not rows:
        return None
    columns = tuple(_column(row.readings[place] for row in rows) for place in range(len(asked)))
    notes = tuple(f"Not more windows, as {why}" for why in found.why_fewer)
    return SeveralView(columns, tuple(rows), notes, len({name for name, _ in every} - {*shown}))


def _worth_showing(found: SeveralWindows, metrics: Sequence[tuple[str, str]]) -> Iterator[Asked]:
    """What has readings, and other ones than a column before it."""
    shown: list[list[WindowsReading | None]] = []
    for one in COLUMNS:
        readings = [found.reading(one, *metric) for metric in metrics]
        if any(readings) and readings not in shown:
            shown.append(readings)
            yield one


def _column(readings: Iterable[WindowsReading | None]) -> WindowsColumn:
    known = [one for one in readings if one]
    return WindowsColumn(max(one.windows for one in known), max(one.before for one in known))
