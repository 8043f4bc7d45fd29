"""The ends of a limit: how far inside each of them a metric lies, and what sentences say of it."""

from dataclasses import dataclass
from typing import Protocol

from stratawatch.core.alarms.drops import ActiveBaseline, change_text, worsening_word
from stratawatch.core.alarms.readings import Reading
from stratawatch.core.baselines.drop import Drop
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.goals import Limit, LimitEnd
from stratawatch.core.metrics import metric_named
from stratawatch.formatting import confidence_text, exact_points, limit_percent, percent, points


@dataclass(frozen=True)
class Distance:
    """How far inside its limit a metric lies, with the interval of that; negative outside."""

    value: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    @property
    def is_inside(self) -> bool:
        """Whether all of the interval lies inside; an end on the limit does."""
        return self.low >= 0

    @property
    def is_outside(self) -> bool:
        """Whether all of the interval lies outside."""
        return self.high < 0


class End(Protocol):
    """One end of a limit."""

    @property
    def kind(self) -> LimitEnd:
        """Which of the ends it is."""
        ...

    @property
    def worse_is_lower(self) -> bool:
        """Whether the metric is outside below it."""
        ...

    def distance(self, interval: IntervalEstimate, confidence: float) -> Distance:
        """How far inside an estimate lies, whose interval has this confidence."""
        ...

    def limit_near(self, value: float, distance: Distance) -> float:
        """The value that the metric would have on this end, of an estimate that lies so far inside."""
        ...

    def side(self, reading: Reading, *, is_inside: bool, is_proven: bool = False) -> str:
        """On which side of the end the reading lies, as `sentence` goes on."""
        ...

    def too_wide(self, reading: Reading, margin: float, factor: float) -> str:
        """That the reading is wider than so many margins, as `sentence` goes on."""
        ...

    def sentence(self, reading: Reading, verdict: str) -> str:
        """What the reading says, a verdict on it, and its labels."""
        ...

    def page_proof(self, reading: Reading, page: IntervalEstimate, confidence: float) -> str:
        """By what the page's interval proves the reading to lie outside, in brackets; empty where both are the same."""
        ...


@dataclass(frozen=True)
class FixedEnd:
    """A floor, or a ceiling."""

    value: float
    is_floor: bool

    @property
    def kind(self) -> LimitEnd:
        """A floor or a ceiling."""
        return "floor" if self.is_floor else "ceiling"

    @property
    def worse_is_lower(self) -> bool:
        """Below a floor."""
        return self.is_floor

    def distance(self, interval: IntervalEstimate, confidence: float = 0.95) -> Distance:  # noqa: ARG002
        """How far above the floor, or below the ceiling, an estimate lies.

        >>> found = FixedEnd(0.8, is_floor=True).distance(IntervalEstimate(0.75, 0.5, 1.0, 100))
        >>> [round(x, 2) for x in (found.value, found.low, found.high)]
        [-0.05, -0.3, 0.2]
        """
        if self.is_floor:
            return Distance(interval.value - self.value, interval.low - self.value, interval.high - self.value)
        return Distance(self.value - interval.value, self.value - interval.high, self.value - interval.low)

    def limit_near(self, value: float, distance: Distance) -> float:  # noqa: ARG002
        """The floor or the ceiling."""
        return self.value

    def side(self, reading: Reading, *, is_inside: bool, is_proven: bool = False) -> str:
        """Such as "is proven below the floor of 80.0%"."""
        beyond, within = ("below", "at or above") if self.is_floor else ("above", "at or below")
        return f"is {'proven ' if is_proven else ''}{within if is_inside else beyond} {self._name(reading)}"

    def too_wide(self, reading: Reading, margin: float, factor: float) -> str:
        """That the reading is wider than so many margins."""
        half = reading.interval.half_width
        why = f"plus-minus {percent(half, half)}, more than {factor:g} x {percent(margin, half)}"
        return f"is too wide to tell ({why}) about {self._name(reading)}"

    def sentence(self, reading: Reading, verdict: str) -> str:
        """The value, what is said of it, and the labels."""
        return f"{reading.text} {verdict}; {reading.labels_text}"

    def page_proof(self, reading: Reading, page: IntervalEstimate, confidence: float) -> str:
        """The page's end that is nearest to the limit."""
        if page == reading.interval:
            return ""
        most, near = ("at most", page.high) if self.is_floor else ("at least", page.low)
        return f" ({most} {percent(near, reading.interval.half_width)} with {confidence_text(confidence)} confidence)"

    def _name(self, reading: Reading) -> str:
        return f"the {self.kind} of {limit_percent(self.value, reading.interval.half_width)}"


@dataclass(frozen=True)
class DropEnd:
    """The largest drop of a metric since its baseline."""

    metric: str
    max_drop: float
    baseline: ActiveBaseline

    @property
    def kind(self) -> LimitEnd:
        """A largest drop."""
        return "max_drop"

    @property
    def worse_is_lower(self) -> bool:
        """Unless the metric is one of which less is better."""
        return not metric_named(self.metric).lower_is_better

    def distance(self, interval: IntervalEstimate, confidence: float) -> Distance:
        """How much further the metric might fall; the interval holds the uncertainty of both."""
        fell = self._fell(interval, confidence)
        return Distance(self.max_drop - fell.value, self.max_drop - fell.high, self.max_drop - fell.low)

    def limit_near(self, value: float, distance: Distance) -> float:
        """Where the drop is the largest that is allowed."""
        way = 1 if metric_named(self.metric).lower_is_better else -1
        return min(max(value + way * distance.value, 0.0), 1.0)

    def side(self, reading: Reading, *, is_inside: bool, is_proven: bool = False) -> str:  # noqa: ARG002
        """Such as "proven to be more"."""
        return f"{'proven to be ' if is_proven else ''}{'within' if is_inside else 'more'}"

    def too_wide(self, reading: Reading, margin: float, factor: float) -> str:
        """That the reading's drop is wider than so many margins."""
        half = self._fell(reading.interval, reading.confidence).half_width
        return f"too wide to tell (plus-minus {points(half, half)}, more than {points(factor * margin, half)})"

    def sentence(self, reading: Reading, verdict: str) -> str:
        """The drop, what is said of it, the value it rests on, and the labels."""
        change = change_text(self.metric, self._fell(reading.interval, reading.confidence))
        against = f"{reading.span}{change} against the baseline of {self.baseline.of}"
        allowed = f"a {worsening_word(self.metric)} of {exact_points(self.max_drop)} is allowed"
        value = f"now {reading.text}" if reading.windows == 1 else f"at {reading.value_text}"
        return f"{against}, {allowed}: {verdict}; {value}, {reading.labels_text}"

    def page_proof(self, reading: Reading, page: IntervalEstimate, confidence: float) -> str:
        """The least drop by the page's interval."""
        fell, on_page = self._fell(reading.interval, reading.confidence), self._fell(page, confidence)
        return f" (at least {points(on_page.low, fell.half_width)} with {confidence_text(confidence)} confidence)"

    def _fell(self, interval: IntervalEstimate, confidence: float) -> Drop:
        return self.baseline.drop_to(self.metric, interval, confidence)


def fixed_ends(limit: Limit, value: float) -> list[FixedEnd]:
    """The floor and the ceiling that a limit has, the one first that the value is nearest to violating."""
    both = ((limit.floor, True), (limit.ceiling, False))
    ends = [FixedEnd(end, is_floor) for end, is_floor in both if end is not None]
    return sorted(ends, key=lambda end: value - end.value if end.is_floor else end.value - value)


def ends_of(limit: Limit, value: float, baseline: ActiveBaseline | Undefined) -> list[End]:
    """Every end of a limit at which a metric of this value can be seen: a drop only from a baseline."""
    ends: list[End] = [*fixed_ends(limit, value)]
    if limit.max_drop is not None and not isinstance(baseline, Undefined):
        ends.append(DropEnd(limit.metric, limit.max_drop, baseline))
    return ends
