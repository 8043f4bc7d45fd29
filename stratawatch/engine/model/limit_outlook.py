"""How a stream stands at an end of its limit: what would prove it inside, and what would page. Without NumPy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.reading_lengths import LAST, MANY
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.pauses import Pauses
from stratawatch.formatting import (
    about_count,
    capitalised,
    count,
    count_text,
    estimate_text,
    exact_points,
    percent,
    points,
)


@dataclass(frozen=True)
class LabelsToProve:
    """The labels with which one window would prove a stream inside: None where no budget up to `most` does.

    `unknown` says why nothing can be told of it. With `fewer_may_do`, the labels are those of the smallest budget that
    is forecast.
    """

    labels: int | None
    most: int
    unknown: str = ""
    fewer_may_do: bool = False


@dataclass(frozen=True)
class LimitOutlook:
    """How a stream stands at one end of its limit, in the newest judged window.

    `limit` is the floor, the ceiling, or the largest drop. `value` with its interval is of the last `windows` together,
    and `distance` how far inside it lies. `half_width`, `windows_to_ok` and `fell_lately` are those of `EndOutlook`;
    `labels` is what the window asked people. `page_value` is where one window alone would page with labels like its
    own, None where it could not at any value; with `adds_up`, several windows beyond the limit page before. `baseline`
    is the value that a drop is from. `labels_to_prove` is None where nobody planned; where it does not
    `pages_people`, nobody is paged.
    """

    key: StreamKey
    cycle: int
    state: AlarmState
    end: Literal["floor", "ceiling", "max_drop"]
    limit: float
    value: float
    low: float
    high: float
    windows: int
    distance: float
    half_width: float | None
    windows_to_ok: int | None
    labels: int
    unit: str
    page_value: float | None
    worse_is_lower: bool
    adds_up: bool
    fell_lately: bool
    baseline: float | None = None
    labels_to_prove: LabelsToProve | None = None
    pages_people: bool = True

    @property
    def is_proven(self) -> bool:
        """Whether it is proven inside at this end."""
        return self.windows_to_ok == 0

    @property
    def sentence(self) -> str:
        """Where it stands, with what it would be proven, and where it would page."""
        return " ".join(f"{capitalised(part)}." for part in (self.standing, self.proof, self.page) if part)

    @property
    def standing(self) -> str:
        """The value, and on which side of the limit it is."""
        over = f"over the last {self.windows} {self.unit}s " if self.windows > 1 else ""
        but = f", but {self.what_fell}" if self.fell_lately else ""
        return f"{over}{estimate_text(self.value, self.low, self.high)}, {self._side}{but}"

    @property
    def what_fell(self) -> str:
        """That the last two windows together are not inside; empty where that is not what keeps it from being OK."""
        return f"the last {LAST} {self.unit}s together are not inside" if self.fell_lately else ""

    @property
    def proof(self) -> str:
        """With how many labels, or in how many windows, it would be proven inside; empty where that is no question."""
        if self.is_proven or self.distance < 0:
            return ""
        found = self.labels_to_prove
        if found is not None and found.labels is not None:
            return self._proof_with(found, found.labels)
        not_ = "" if self.windows_to_ok else " not"
        return f"would{not_} be proven in {self._more_windows}; {self._why_no_labels(found)}"

    @property
    def page(self) -> str:
        """Where it would page; empty where somebody was paged, and where nobody is."""
        if self.state == AlarmState.BREACH or not self.pages_people:
            return ""
        sooner = f", several {self._beyond} sooner" if self.adds_up else ""
        if self.page_value is None:
            return f"one {self.unit} alone has too few labels to page{sooner}"
        return f"one {self.unit} alone would page near {percent(self.page_value, 0.01)}{sooner}"

    @property
    def _more_windows(self) -> str:
        """In how many windows it would be proven, or in how many it would not."""
        about = "about " if self.windows_to_ok else ""
        windows = count_text(self.windows_to_ok or MANY, f"more {self.unit}")
        return f"{about}{windows} of {count_text(self.labels, 'label')}"

    def _proof_with(self, found: LabelsToProve, labels: int) -> str:
        """With so many labels in one window, or in how many windows."""
        about = count(labels) if labels == found.most else f"about {about_count(labels)}"
        number = f"{count(labels)} labels at most" if found.fewer_may_do else f"{about} labels"
        often = f"in about every second such {self.unit}"
        later = f"or in {self._more_windows}" if self.windows_to_ok else f"but not in {self._more_windows}"
        if labels <= self.labels and self.windows_to_ok != 1:
            # The forecast is of narrower intervals than the ones that windows to come are taken to have.
            often = f"{often} if its interval is as narrow as the plan expects"
            later += " with intervals as wide as now"
        return f"would be proven with {number} in one {self.unit}, {often}; {later}"

    def _why_no_labels(self, found: LabelsToProve | None) -> str:
        """Why there is no number of labels that prove it in one window."""
        if self.half_width is None:
            why = ": its baseline is known too little" if self.end == "max_drop" else ""
            return f"no number of labels proves it in one {self.unit}{why}"
        if found is None:
            return f"how many labels prove it in one {self.unit}: `stratawatch plan`"
        if found.unknown:
            return f"how many labels prove it in one {self.unit} is not known: {found.unknown}"
        return f"no budget up to {count(found.most)} labels proves it in one {self.unit}"

    @property
    def _side(self) -> str:
        half, so_far = (self.high - self.low) / 2, "" if self.is_proven else " so far"
        if self.end == "max_drop":
            fell = self.limit - self.distance
            way, other = ("below", "above") if self.worse_is_lower else ("above", "below")
            moved = f"{points(abs(fell), half)} points {way if fell >= 0 else other} its baseline"
            return f"{moved}{so_far}, where {exact_points(self.limit)} {way} are allowed"
        side = "inside" if self.distance >= 0 else "outside"
        return f"{'proven ' if self.is_proven else ''}{side} the {self.end} of {percent(self.limit, half)}{so_far}"

    @property
    def _beyond(self) -> str:
        if self.end == "max_drop":
            return "beyond its limit"
        return f"{'below' if self.worse_is_lower else 'above'} the {self.end}"


def outlook_document(one: LimitOutlook) -> dict[str, Any]:
    """An outlook as JSON values, with its sentence."""
    labels = one.labels_to_prove
    return {
        **kept_document(one),
        "labels_to_prove": None
        if labels is None
        else {
            "labels": labels.labels,
            "most": labels.most,
            "unknown": labels.unknown,
            "fewer_may_do": labels.fewer_may_do,
        },
        "pages_people": one.pages_people,
        "sentence": one.sentence,
    }


_KEPT: Final = (
    *("end", "limit", "value", "low", "high", "windows", "distance", "half_width", "windows_to_ok", "labels", "unit"),
    *("page_value", "worse_is_lower", "adds_up", "fell_lately", "baseline"),
)


def kept_document(one: LimitOutlook) -> dict[str, Any]:
    """What is kept of an outlook: all but what a plan says."""
    key = one.key
    named = {"classifier": key.classifier, "metric": key.metric, "segment": key.segment, "state": one.state.value}
    return named | {name: getattr(one, name) for name in _KEPT}


def outlooks_from(position: Mapping[str, Any]) -> tuple[LimitOutlook, ...]:
    """The outlooks that were kept of a panel."""
    return tuple(
        LimitOutlook(
            key=StreamKey(position["panel"], row["classifier"], row["metric"], row["segment"]),
            cycle=position["cycle"],
            state=AlarmState(row["state"]),
            **{name: row[name] for name in _KEPT},
        )
        for row in position.get("outlooks", ())
    )


def outlooks_with_pauses(outlooks: Iterable[LimitOutlook], paused: Pauses) -> tuple[LimitOutlook, ...]:
    """The outlooks without those of what is paused; those of shadows page nobody."""
    return tuple(
        replace(one, page_value=None, pages_people=False)
        if (one.key.panel, one.key.classifier) in paused.shadows
        else one
        for one in outlooks
        if not paused.cover(one.key)
    )
