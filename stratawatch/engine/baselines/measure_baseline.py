"""Measure what the metrics of a panel are, and keep that as baselines for later windows."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, NamedTuple

from stratawatch.core.baselines.baseline import Baseline
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import BASELINES_REPORTED, METRICS
from stratawatch.datetimes import moment
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.audit import note_action
from stratawatch.engine.baselines.baseline_grids import NO_GRIDS, Grids, grids_from_labels, grids_from_windows
from stratawatch.engine.baselines.baselines_from_labels import BaselineItemReader, SideSizes, from_labels
from stratawatch.engine.baselines.baselines_from_windows import DEFAULT_WINDOWS, from_windows, judged_windows
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.engine.model.panel_spec import ClassifierSpec, PanelSpec
from stratawatch.engine.model.stored_baseline import StoredBaseline, call_rule
from stratawatch.engine.model.windows import window_of_period
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

DATE: Final = "the date of a baseline"


@dataclass(frozen=True)
class BaselineRequest:
    """What to measure, and for when. Without names: every classifier of the panel.

    `windows` are the newest judged ones to look at where no labels are given, eight if nobody says; `sides` are the
    numbers of items that labels were drawn from apart. Without dates: from the first window that is not judged yet,
    until further notice.
    """

    of: tuple[str, ...] = ()
    windows: int | None = None
    sides: SideSizes | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None


class Dates(NamedTuple):
    """When a baseline is to be in force, as far as somebody said so."""

    start: datetime | None
    end: datetime | None

    def allow(self, kept: StoredBaseline) -> bool:
        """Whether a baseline that is kept already has these dates; no end means until further notice."""
        return self.start in (None, kept.valid_from) and self.end == kept.valid_until


@dataclass(frozen=True)
class MeasuredBaselines:
    """What a measurement gave: new baselines, those that were kept before, and streams that have none, with why.

    `notes` are about the labelled predictions that were read.
    """

    new: tuple[StoredBaseline, ...] = ()
    unchanged: tuple[StoredBaseline, ...] = ()
    undefined: dict[StreamKey, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def measure_baseline(
    ports: Ports, spec: PanelSpec, request: BaselineRequest, labels: BaselineItemReader | None = None
) -> MeasuredBaselines:
    """Measure baselines from judged windows, or from labelled predictions. Measuring the same again changes nothing.

    Where something else was measured since, the same is kept once more: what was measured last is in force.
    What cannot be told is not kept: it would put an older baseline out of force.
    """
    _require_sense(request, labels)
    classifiers = _classifiers(spec, request.of)
    usual = BASELINES_REPORTED if labels is not None else metrics_shown(spec)
    keys = _keys(spec, classifiers, [metric for metric in usual if METRICS[metric].has_baseline])
    dates = _dates(request.valid_from, request.valid_until)
    items = None if labels is None else labels.read(replace(spec, classifiers=classifiers))
    now = ports.clock.now()
    with ports.store.begin() as tx:
        if items is None:
            windows = DEFAULT_WINDOWS if request.windows is None else request.windows
            found, source, since = from_windows(tx, spec, keys, windows, now)
            grids = grids_from_windows(tx, spec, found, windows, now)
        else:
            found, source, since = from_labels(items, keys, request.sides), items.source, None
            grids = NO_GRIDS if request.sides else grids_from_labels(spec, found)
        start = dates.start or _first_unjudged(tx, spec, now)
        if since is not None and start < since:
            raise StratawatchError(
                "a baseline is not for the windows that it was measured in",
                expected=f"valid from {since.isoformat()} or later",
                got=start.isoformat(),
            )
        measured = _keep(tx, ports, spec, found, source, dates, grids)
        if not (measured.new or measured.unchanged):
            key, why = next(iter(measured.undefined.items()))
            raise StratawatchError(f"no baseline of panel '{spec.name}' can be told", got=f"{key}: {why}")
        _note(tx, ports, spec, measured.new, source)
        tx.commit()
    return measured if items is None else replace(measured, notes=items.notes())


def keep_resampled_baselines(
    ports: Ports,
    spec: PanelSpec,
    classifier: str,
    baselines: Sequence[Baseline],
    *,
    source: str,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
) -> MeasuredBaselines:
    """Keep what `stratawatch.resampling.measure_baselines` measured of one classifier; `source` says on what, in words.

    Dates that are not given are those that the baselines carry.
    """
    _classifiers(spec, (classifier,))
    with ports.store.begin() as tx:
        parts = []
        for one in baselines:
            dates = _dates(valid_from or one.valid_from, valid_until or one.valid_until)
            found = {StreamKey(spec.name, classifier, one.metric): one}
            parts.append(_keep(tx, ports, spec, found, source, dates))
        _note(tx, ports, spec, [one for part in parts for one in part.new], source)
        tx.commit()
    return MeasuredBaselines(
        new=tuple(one for part in parts for one in part.new),
        unchanged=tuple(one for part in parts for one in part.unchanged),
        undefined={key: why for part in parts for key, why in part.undefined.items()},
    )


def _note(tx: Transaction, ports: Ports, spec: PanelSpec, new: Sequence[StoredBaseline], source: str) -> None:
    """Note in the audit log that baselines were set."""
    if new:
        note_action(tx, ports, "set", f"{count_text(len(new), 'baseline')} of {spec.name} from {source}")


def _require_sense(request: BaselineRequest, labels: BaselineItemReader | None) -> None:
    """Refuse parts of a request that would have no effect."""
    if labels is not None and request.windows is not None:
        raise StratawatchError(
            "a baseline is measured from windows or from labelled predictions",
            expected="a number of windows, or a file",
            got="both",
        )
    if labels is None and request.sides is not None:
        raise StratawatchError(
            "the numbers of items that labels were drawn from apart are of labelled predictions",
            expected="a file beside them",
            got="none",
        )


def _classifiers(spec: PanelSpec, names: Sequence[str]) -> tuple[ClassifierSpec, ...]:
    classifier_of = {classifier.name: classifier for classifier in spec.classifiers}
    for name in names:
        if name not in classifier_of:
            raise StratawatchError(f"panel '{spec.name}' has no classifier '{name}'", expected=", ".join(classifier_of))
    return tuple(classifier_of[name] for name in names or classifier_of)


def _keys(spec: PanelSpec, classifiers: Sequence[ClassifierSpec], metrics: Sequence[str]) -> list[StreamKey]:
    """These metrics of every classifier, and what limits set a largest drop for."""
    names = [classifier.name for classifier in classifiers]
    usual = [StreamKey(spec.name, name, metric) for name in names for metric in metrics]
    limited = [
        key
        for key, limit in watched_streams(spec).items()
        if limit.max_drop is not None and key.classifier in names and METRICS[key.metric].has_baseline
    ]
    return list(dict.fromkeys([*usual, *limited]))


def _first_unjudged(tx: Transaction, spec: PanelSpec, now: datetime) -> datetime:
    """Where the first window begins that is later than all that are judged by now."""
    judged = judged_windows(tx, spec.name, 1, now)
    return judged[0].cycle.window.end if judged else window_of_period(spec.windows, 0).start


def _keep(
    tx: Transaction,
    ports: Ports,
    spec: PanelSpec,
    found: dict[StreamKey, Baseline],
    source: str,
    dates: Dates,
    grids: Grids = NO_GRIDS,
) -> MeasuredBaselines:
    """Keep baselines, without those that equal the newest one of their stream and need no other dates."""
    now = ports.clock.now()
    start = dates.start or _first_unjudged(tx, spec, now)
    if dates.end is not None and dates.end <= start:
        raise StratawatchError(
            "a baseline is in force for some time",
            expected=f"an end after {start.isoformat()}",
            got=dates.end.isoformat(),
        )
    classifiers = {classifier.name: classifier for classifier in spec.classifiers}
    there = tx.baselines.of(spec.name)
    new: list[StoredBaseline] = []
    unchanged: list[StoredBaseline] = []
    undefined = {}
    for key, one in found.items():
        if isinstance(one.evidence, Undefined):
            undefined[key] = one.evidence.reason
            continue
        kept = StoredBaseline(
            key=key,
            call=call_rule(classifiers[key.classifier]),
            cut_off=classifiers[key.classifier].cut_off,
            evidence=one.evidence,
            method=one.method,
            n=one.n,
            seed=one.seed,
            source=source,
            confidence=spec.confidence,
            valid_from=start,
            valid_until=dates.end,
            measured_at=now,
            grid=grids.get(key),
        )
        earlier = _rivals(there, kept)
        current = _still_current(earlier, kept, dates)
        if current is not None:
            unchanged.append(current)
        elif tx.baselines.add(kept, after=earlier[-1] if earlier else None):
            new.append(kept)
        else:
            unchanged.append(kept)
    return MeasuredBaselines(tuple(new), tuple(unchanged), undefined)


def _still_current(earlier: Sequence[StoredBaseline], kept: StoredBaseline, dates: Dates) -> StoredBaseline | None:
    """The same with dates that will do, if nothing else was measured since."""
    for old in reversed(earlier):
        if not old.same_evidence(kept):
            return None
        if dates.allow(old):
            return old
    return None


def _rivals(there: Sequence[StoredBaseline], kept: StoredBaseline) -> list[StoredBaseline]:
    """Those of the same stream and call that hold from its start on: to the same end, or until further notice."""
    return [
        old
        for old in there
        if (old.key, old.call) == (kept.key, kept.call)
        and old.valid_from <= kept.valid_from
        and old.valid_until in (None, kept.valid_until)
    ]


def _dates(start: datetime | str | None, end: datetime | str | None) -> Dates:
    return Dates(moment(start, DATE), moment(end, DATE))
