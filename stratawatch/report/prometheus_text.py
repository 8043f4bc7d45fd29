"""The numbers of a store as Prometheus reads them: gauges, in base units, as they are at the moment of the scrape.

Moments are told as moments, never as ages, so that an age is right whenever it is asked for (`time() - x`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from math import isnan, nan
from typing import TYPE_CHECKING, Any, Final

from stratawatch.core.alarms.alarm_states import URGENCY
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.pauses import Pauses

if TYPE_CHECKING:
    from prometheus_client.core import Metric

Row = Mapping[str, Any]
Document = Mapping[str, Any]
NOTHING: Final = Pauses()
STREAM: Final = ("panel", "classifier", "metric", "segment")
"""The labels of what belongs to a metric of a classifier; `segment` is empty for all items."""
PAGED: Final = ("BREACH", "BLIND")
"""What incidents are about, so that none of them is a 0 and not a gap."""


def prometheus_text(document: Document, version: str, paused: Pauses = NOTHING) -> str:
    """The text of a scrape, of the document of `status` with `estimates` and `specs` beside.

    What left the configuration has no estimates, states and limits any more, and what is paused has no state: an old
    one would wake people, which a pause shall not.
    """
    from prometheus_client.exposition import generate_latest

    return generate_latest(_Families(document, version, paused)).decode()


def samples(document: Document, version: str, paused: Pauses = NOTHING) -> list[dict[str, Any]]:
    """The same numbers one by one: `name`, `labels` and `value`, which is None where nothing can be told."""
    return [
        {"name": one.name, "labels": dict(one.labels), "value": None if isnan(one.value) else one.value}
        for family in _Families(document, version, paused).collect()
        for one in family.samples
    ]


class _Families:
    """What Prometheus' client asks for families of numbers."""

    def __init__(self, document: Document, version: str, paused: Pauses) -> None:
        self._rows, self._version, self._paused = document, version, paused
        left = {panel["panel"] for panel in document["panels"] if not panel["configured"]}
        self._specs = {row["panel"]: row["spec"] for row in document["specs"] if row["panel"] not in left}

    def collect(self) -> Iterator["Metric"]:
        yield _info("build", "The program.", [{"version": self._version}])
        yield from self._classifiers()
        yield from self._estimates()
        yield from self._states()
        yield from self._limits()
        yield from self._work()
        yield from self._people_told()
        yield from self._advances()

    def _classifiers(self) -> Iterator["Metric"]:
        yield _info(
            "classifier",
            "A classifier that is watched. Nobody is paged about a shadow.",
            [
                {
                    "panel": panel,
                    "classifier": one["name"],
                    "score_kind": one["score_kind"] if one["score"] else "none",
                    "cut_off": "" if one["cut_off"] is None else str(one["cut_off"]),
                    "shadow": "yes" if (panel, one["name"]) in self._paused.shadows else "no",
                }
                for panel, spec in self._specs.items()
                for one in spec["classifiers"]
            ],
        )

    def _is_watched(self, row: Row) -> bool:
        spec = self._specs.get(row["panel"])
        return spec is not None and any(one["name"] == row["classifier"] for one in spec["classifiers"])

    def _estimates(self) -> Iterator["Metric"]:
        rows = [
            row
            for row in self._rows["estimates"]
            if self._is_watched(row) and (row["segment"] is None or row["state"] is not None)
        ]
        yield _gauge(
            "estimate_ratio",
            "A metric in the newest estimated window; NaN where it cannot be told.",
            STREAM,
            _each(rows, "value"),
        )
        yield _gauge("estimate_low_ratio", "The lower end of its interval.", STREAM, _each(rows, "low"))
        yield _gauge("estimate_high_ratio", "The upper end of its interval.", STREAM, _each(rows, "high"))
        yield _gauge(
            "estimate_confidence_ratio", "How often such intervals hold the truth.", STREAM, _each(rows, "confidence")
        )
        yield _gauge("estimate_labels", "The labels that say something of it.", STREAM, _each(rows, "labels_used"))
        yield _gauge(
            "estimate_effective_labels",
            "The labels of a plain random sample that would say as much.",
            STREAM,
            _each(rows, "n_eff"),
        )
        yield _gauge(
            "estimate_window_end_timestamp_seconds",
            "The end of the window that it is of.",
            STREAM,
            _each(rows, "window_end"),
        )

    def _states(self) -> Iterator["Metric"]:
        rows = [
            row
            for row in self._rows["streams"]
            if self._is_watched(row) and not self._paused.cover(StreamKey(*(row[name] for name in STREAM)))
        ]
        yield _gauge(
            "state",
            "Whether a metric is in a state against its limit: 1 for the one that it is in.",
            (*STREAM, "state"),
            [((*_stream(row), state), float(row["state"] == state)) for row in rows for state in URGENCY],
        )
        yield _gauge("judged_timestamp_seconds", "When it was judged.", STREAM, _each(rows, "judged_at"))

    def _limits(self) -> Iterator["Metric"]:
        found: dict[str, dict[tuple[str, ...], float]] = {"floor": {}, "ceiling": {}, "max_drop": {}}
        for panel, spec in self._specs.items():
            everyone = [one["name"] for one in spec["classifiers"]]
            for limit in spec["limits"]:
                segment = limit["segment"]
                name = "" if segment is None else f"{segment['column']}={segment['value']}"
                for end, values in found.items():
                    if limit[end] is not None:
                        names = limit["classifiers"] or everyone
                        values |= {(panel, one, limit["metric"], name): limit[end] for one in names}
        yield _gauge("limit_floor_ratio", "The least that a metric may be.", STREAM, found["floor"].items())
        yield _gauge("limit_ceiling_ratio", "The most that a metric may be.", STREAM, found["ceiling"].items())
        yield _gauge("limit_drop_ratio", "How much worse than its baseline.", STREAM, found["max_drop"].items())

    def _work(self) -> Iterator["Metric"]:
        rows, panels = self._rows, list(self._specs)
        yield _gauge(
            "newest_window_end_timestamp_seconds",
            "The end of a panel's newest window.",
            ("panel",),
            [((row["panel"],), _number(row["newest_window_end"])) for row in rows["panels"]],
        )
        cycles = rows["cycles"]
        yield _gauge(
            "open_cycles",
            "Windows that are being worked on.",
            ("panel", "state"),
            _counted((row["panel"], row["state"]) for row in cycles),
        )
        asked, answered = Counter(dict.fromkeys(panels, 0)), Counter(dict.fromkeys(panels, 0))
        for row in cycles:
            asked[row["panel"]] += row["drawn"]
            answered[row["panel"]] += row["answered"]
        yield _gauge("open_items", "Items drawn for labels in open cycles.", ("panel",), _by_panel(asked))
        yield _gauge("open_items_answered", "Those of them that have an answer.", ("panel",), _by_panel(answered))
        yield _gauge(
            "refused_windows",
            "Windows whose input was refused since the newest judged one.",
            ("panel",),
            _by_panel(_counts(panels, rows["refused"])),
        )
        sent = [row for row in rows["batches"] if row["state"] == "sent" and not row["away"]]
        yield _gauge(
            "unanswered_batches", "Batches that wait for answers.", ("panel",), _by_panel(_counts(panels, sent))
        )
        oldest: dict[str, float] = {}
        for row in sent:
            at = _number(row["waiting_since"])
            oldest[row["panel"]] = min(at, oldest.get(row["panel"], at))
        yield _gauge(
            "oldest_unanswered_batch_timestamp_seconds",
            "Since when the oldest of them waits.",
            ("panel",),
            _by_panel(oldest),
        )
        failed = [row for row in rows["batches"] if row["state"] == "failed"]
        yield _gauge(
            "failed_batches", "Batches that could not be sent.", ("panel",), _by_panel(_counts(panels, failed))
        )
        waiting = rows["waiting_labels"]
        yield _gauge(
            "waiting_labels",
            "Labels that wait for the batch that asked for them.",
            (),
            [((), float(waiting["labels"]))],
        )
        aside = sum(row["labels"] for row in rows["set_aside"])
        yield _gauge("set_aside_labels", "Labels of the last seven days that did not count.", (), [((), float(aside))])

    def _people_told(self) -> Iterator["Metric"]:
        incidents = self._rows["incidents"]
        found = Counter({(panel, kind, care): 0 for panel in self._specs for kind in PAGED for care in ("no", "yes")})
        found.update((row["panel"], row["kind"], "yes" if row["acknowledged_at"] else "no") for row in incidents)
        yield _gauge(
            "open_incidents",
            "Incidents that are open, by what they are about.",
            ("panel", "kind", "acknowledged"),
            [(key, float(number)) for key, number in sorted(found.items())],
        )
        yield _gauge(
            "undelivered_notifications",
            "Notifications that wait for a channel, or were given up.",
            ("channel", "state"),
            [((row["channel"], row["state"]), float(row["notifications"])) for row in self._rows["undelivered"]],
        )

    def _advances(self) -> Iterator["Metric"]:
        last = self._rows["last_advance"]
        ended = [] if last is None else [((), _number(last["finished_at"]))]
        good = [] if last is None or last["good_at"] is None else [((), _number(last["good_at"]))]
        troubles = [] if last is None else [((), float(len(last["troubles"])))]
        yield _gauge("last_advance_timestamp_seconds", "When the last advance ended.", (), ended)
        yield _gauge("last_good_advance_timestamp_seconds", "When the last one that did all its work ended.", (), good)
        yield _gauge("last_advance_troubles", "What the last one could not do.", (), troubles)


def _stream(row: Row) -> tuple[str, str, str, str]:
    return row["panel"], row["classifier"], row["metric"], row["segment"] or ""


def _each(rows: Iterable[Row], column: str) -> list[tuple[tuple[str, ...], float]]:
    return [(_stream(row), _number(row[column])) for row in rows]


def _number(value: float | datetime | None) -> float:
    """What Prometheus counts: seconds of a moment; NaN where nothing can be told."""
    if value is None:
        return nan
    return value.timestamp() if isinstance(value, datetime) else float(value)


def _counts(panels: Iterable[str], rows: Iterable[Row]) -> Counter[str]:
    """The rows of each panel, 0 where it has none: a series that only comes with trouble cannot be watched."""
    found = Counter(dict.fromkeys(panels, 0))
    found.update(row["panel"] for row in rows)
    return found


def _by_panel(values: Mapping[str, float]) -> list[tuple[tuple[str, ...], float]]:
    return [((panel,), float(value)) for panel, value in sorted(values.items())]


def _counted(keys: Iterable[tuple[str, ...]]) -> list[tuple[tuple[str, ...], float]]:
    return [(key, float(number)) for key, number in sorted(Counter(keys).items())]


def _gauge(name: str, meaning: str, labels: Sequence[str], values: Iterable[tuple[Sequence[str], float]]) -> "Metric":
    from prometheus_client.core import GaugeMetricFamily

    family = GaugeMetricFamily(f"stratawatch_{name}", meaning, labels=labels)
    for key, value in values:
        family.add_metric(list(key), value)
    return family


def _info(name: str, meaning: str, values: Sequence[Mapping[str, str]]) -> "Metric":
    from prometheus_client.core import InfoMetricFamily

    family = InfoMetricFamily(f"stratawatch_{name}", meaning, labels=[])
    for one in values:
        family.add_metric([], dict(one))
    return family
