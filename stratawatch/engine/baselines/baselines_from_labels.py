"""Baselines from predictions whose labels are known already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from stratawatch.core.baselines.baseline import Baseline
from stratawatch.core.baselines.labelled import labelled_baselines, side_sample_baselines
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class SideSizes:
    """How many items of one classifier's two sides labels were drawn from, where they were drawn from each apart."""

    called: float
    passed: float


def side_sizes(called: float | None, passed: float | None) -> SideSizes | None:
    """The sizes of both sides, or None where neither is given."""
    if called is None and passed is None:
        return None
    if called is None or passed is None:
        raise StratawatchError("labels that were drawn apart take two numbers", expected="items called yes, and others")
    return SideSizes(called, passed)


@dataclass(frozen=True)
class LabelledItems:
    """Columns of equal length, a row an item with a label; `scored` says which items a classifier said anything of."""

    truth: Flags
    calls: Mapping[str, Flags]
    scored: Mapping[str, Flags]
    segments: Mapping[str, tuple[str | None, ...]]  # by column, of those that are there
    source: str  # what was read, in words
    unlabelled: int = 0  # rows without a label, which are left out

    def notes(self) -> tuple[str, ...]:
        """What somebody who measures should know of what was read: rows that do not count, labels that all agree."""
        size = self.truth.size
        left_out = [f"{self.unlabelled:,} of {size + self.unlabelled:,} rows have no label and are left out"]
        silent = {name: size - int(scored.sum()) for name, scored in self.scored.items()}
        uncalled = [f"{n:,} of {size:,} labels are of rows without a call of {name}" for name, n in silent.items() if n]
        said = sorted({"yes" if one else "no" for one in self.truth})
        alike = [f"all {size:,} labels say {said[0]}; is it the right column?"] if len(said) == 1 else []
        return (*(left_out if self.unlabelled else ()), *uncalled, *alike)


class BaselineItemReader(Protocol):
    """Reads labelled predictions for a baseline."""

    def read(self, panel: PanelSpec) -> LabelledItems:
        """All of them. Raises InputRefused or Unreachable."""
        ...


def from_labels(items: LabelledItems, keys: Sequence[StreamKey], sides: SideSizes | None) -> dict[StreamKey, Baseline]:
    """The streams' baselines: items drawn at random whatever was called, or from either side apart."""
    if sides is not None and len({key.classifier for key in keys}) > 1:
        raise StratawatchError(
            "labels that were drawn apart are of one classifier", expected="its name", hint="name it with --of"
        )
    return {key: _baseline(items, key, sides) for key in keys}


def _baseline(items: LabelledItems, key: StreamKey, sides: SideSizes | None) -> Baseline:
    inside = _inside(items, key.segment)
    if inside is None:
        return _undefined(key, "the labelled predictions have no such column")
    if sides is not None and key.segment is not None:
        return _undefined(key, "the numbers of items that were drawn from are not those of a segment")
    chosen = items.scored[key.classifier] & inside
    calls, truth = items.calls[key.classifier][chosen], items.truth[chosen]
    if sides is None:
        (found,) = labelled_baselines(calls, truth, metrics=[key.metric])
    else:
        (found,) = side_sample_baselines(calls, truth, sides.called, sides.passed, metrics=[key.metric])
    return found


def _undefined(key: StreamKey, why: str) -> Baseline:
    return Baseline(key.metric, Undefined(why), "labelled items", 0)


def _inside(items: LabelledItems, segment: str | None) -> Flags | None:
    """The items of a segment; None where the column is not there."""
    if segment is None:
        return np.ones(items.truth.size, dtype=np.bool_)
    column, _, value = segment.partition("=")
    if column not in items.segments:
        return None
    return np.array([one == value for one in items.segments[column]], dtype=np.bool_)
