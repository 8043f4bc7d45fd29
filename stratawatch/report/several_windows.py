"""The newest windows as one, beside each window by itself: every metric in the last 4 and 13, and how far it moved."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from shlex import quote
from typing import Final, NamedTuple

from stratawatch.core.alarms.moved import ValueInterval
from stratawatch.core.alarms.reading_lengths import FEW, MANY
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.engine.evidence.newest_together import JudgedWindows, NewestTogether
from stratawatch.engine.model.panel_spec import Window
from stratawatch.engine.ports import Store
from stratawatch.errors import StratawatchError
from stratawatch.report.several_table import SeveralView, WindowsColumn, WindowsReading, WindowsRow
from stratawatch.report.view_models import PanelView, Score


class Asked(NamedTuple):
    """So many of the newest windows as one, or their change from as many before."""

    windows: int
    is_change: bool = False


LAST_CHANGE: Final = Asked(1, is_change=True)
COLUMNS: Final = (Asked(FEW), Asked(MANY), LAST_CHANGE, Asked(FEW, is_change=True))


@dataclass(frozen=True)
class SeveralWindows:
    """What the newest judged windows say together of every classifier, and why some of it cannot be told."""

    found: Mapping[Asked, Sequence[NewestTogether]] = field(default_factory=dict)
    why_not: tuple[str, ...] = ()

    @classmethod
    def read(cls, store: Store, panel: str) -> "SeveralWindows":
        """Those of a panel, over all items; nothing where there is one window alone."""
        with store.begin() as tx:
            judged = JudgedWindows.of(tx, panel, (None,), max(one.windows * (1 + one.is_change) for one in COLUMNS))
            return cls() if judged is None or len(judged.judged) == 1 else cls.of(judged)

    @classmethod
    def of(cls, judged: JudgedWindows) -> "SeveralWindows":
        """All columns but those that look at a window whose labels cannot be counted with others."""
        found: dict[Asked, Sequence[NewestTogether]] = {}
        troubles: dict[str, None] = {}
        for one in COLUMNS:
            try:
                found[one] = judged.together(one.windows, is_change=one.is_change)
            except StratawatchError as trouble:
                troubles[str(trouble)] = None
        return cls(found, tuple(troubles))

    def reading(self, asked: Asked, classifier: str, metric: str) -> WindowsReading | None:
        """What was asked for, of one metric; None where there are no such windows."""
        return self._readings.get((asked, classifier, metric))

    def is_change_within_chance(self, score: Score, window: Window | None) -> bool:
        """Whether luck alone may have moved the metric of a window's score since the window that it is compared with.

        False where that is not known.
        """
        moved = self.reading(LAST_CHANGE, score.classifier, score.metric)
        part = self._parts_of_last_change.get(score.classifier)
        if score.segment is not None or moved is None or part is None:
            return False
        same = (part.before[-1].window, part.newest[-1].window) == (score.change_since, window)
        return same and moved.is_within_chance

    @property
    def why_fewer(self) -> tuple[str, ...]:
        """Why some classifiers are read over fewer windows than were asked for, each reason once."""
        several = [part.why_fewer for one in COLUMNS[:2] for part in self.found.get(one, ())]
        return tuple(dict.fromkeys(why for why in several[::-1] if why))

    @cached_property
    def _readings(self) -> Mapping[tuple[Asked, str, str], WindowsReading]:
        return {
            (asked, one.classifier, one.metric): _reading(one, part)
            for asked, parts in self.found.items()
            for part in parts
            for one in part.estimates
        }

    @cached_property
    def _parts_of_last_change(self) -> Mapping[str, NewestTogether]:
        parts = self.found.get(LAST_CHANGE, ())
        return {one.classifier: part for part in parts for one in part.estimates}


def with_several_windows(view: PanelView, found: SeveralWindows) -> PanelView:
    """The view with the table, and with changes that may be luck alone marked as such.

    The table has the classifiers that have a line on the first screen.
    """

    def marked(score: Score) -> Score:
        return replace(score, is_within_chance=found.is_change_within_chance(score, view.window))

    lines = tuple(replace(row, scores=tuple(one and marked(one) for one in row.scores)) for row in view.summary.rows)
    streams = [(one.classifier, one.metric) for one in view.scores]
    return replace(
        view,
        scores=tuple(map(marked, view.scores)),
        summary=replace(view.summary, rows=lines),
        several=several_view(found, view.panel, streams, {row.name for row in lines}),
    )


def several_view(
    found: SeveralWindows, panel: str, streams: Sequence[tuple[str, str]], shown: Collection[str]
) -> SeveralView | None:
    """The table of these (classifier, metric), in their order, as far as classifiers are shown; None for one window."""
    metrics = tuple(one for one in streams if one[0] in shown)
    asked = tuple(_worth_showing(found, metrics))
    rows = [WindowsRow(*metric, tuple(found.reading(one, *metric) for one in asked)) for metric in metrics]
    rows = [row for row in rows if any(row.readings)]
    notes = [f"Not more windows, as {why}" for why in found.why_fewer if rows]
    notes += [f"Not all can be told: {why}" for why in found.why_not]
    if not rows and not notes:
        return None
    columns = tuple(_column(row.readings[place] for row in rows) for place in range(len(asked)))
    command = f"stratawatch estimates {quote(panel)} --together {FEW} --segments"
    return SeveralView(
        columns,
        tuple((name, tuple(of)) for name, of in groupby(rows, key=lambda row: row.classifier)),
        tuple(notes),
        command,
        len({name for name, _ in streams} - {*shown}),
    )


def _reading(estimate: Estimate, part: NewestTogether) -> WindowsReading:
    counted = estimate.labels_used, len(part.newest), len(part.before)
    found = estimate.result
    if isinstance(found, IntervalEstimate):
        return WindowsReading(ValueInterval(found.value, found.low, found.high), "", *counted)
    return WindowsReading(None, found.reason, *counted)


def _worth_showing(found: SeveralWindows, metrics: Sequence[tuple[str, str]]) -> Iterator[Asked]:
    """What has readings, of several windows, and other ones than a column before it."""
    shown: list[list[WindowsReading | None]] = []
    for one in COLUMNS:
        readings = [found.reading(one, *metric) for metric in metrics]
        if any(known.windows + known.before > 1 for known in readings if known) and readings not in shown:
            shown.append(readings)
            yield one


def _column(readings: Iterable[WindowsReading | None]) -> WindowsColumn:
    known = [one for one in readings if one]
    return WindowsColumn(max(one.windows for one in known), max(one.before for one in known))
