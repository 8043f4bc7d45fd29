"""What an open breach is made of: what each segment's own rate has done to the metric, and its share of the items."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stratawatch.core.alarms.moved import ChangePart, MetricChange, ValueInterval
from stratawatch.formatting import percent, points, signed_points
from stratawatch.report.wording import metric_words


@dataclass(frozen=True)
class MovedRow:
    """A segment or a side: what its rate, and its share of the items, have done; None where there is no such part."""

    name: str
    rate: ValueInterval | None
    mix: ValueInterval | None
    is_named: bool


@dataclass(frozen=True)
class MovedView:
    """A metric before a breach and since, and its parts, those that explain it best first."""

    name: str
    before: ValueInterval
    since: ValueInterval
    change: ValueInterval
    rows: tuple[MovedRow, ...]

    @property
    def sentence(self) -> str:
        """The change that the parts add up to."""
        before, since = (percent(one.value, one.half_width) for one in (self.before, self.since))
        by = change_text(self.change)
        return f"From {before} before it began to {since} since: {by}. The parts of one column add up to that."


def moved_views(changes: Iterable[MetricChange]) -> tuple[MovedView, ...]:
    """What can be shown of changes of open breaches."""
    return tuple(
        MovedView(
            f"{metric_words(one.metric)} of {one.classifier}", one.before, one.after, one.change, tuple(_rows(one))
        )
        for one in changes
        if one.parts
    )


def change_text(change: ValueInterval) -> str:
    """A change in points with its interval.

    >>> change_text(ValueInterval(-0.155, -0.19, -0.12))
    '−15.5 pts (−19.0 to −12.0)'
    """
    half = change.half_width
    low, high = (points(end, half).replace("-", "−") for end in (change.low, change.high))
    return f"{signed_points(change.value, half)} ({low} to {high})"


def _rows(found: MetricChange) -> Iterator[MovedRow]:
    """A row for each domain, in the order of its best part."""
    for domain in dict.fromkeys(part.domain for part in found.parts):
        of = {part.kind: part for part in found.parts if part.domain == domain}
        name = str(domain.segment) if domain.segment is not None else str(domain)
        yield MovedRow(name, _change(of.get("rate")), _change(of.get("mix")), any(one.is_named for one in of.values()))


def _change(part: ChangePart | None) -> ValueInterval | None:
    return None if part is None else part.change
