"""A stream's estimates of the windows up to one, and the facts that a channel draws a chart from."""

from datetime import datetime
from typing import Any, Final

from stratawatch.core.alarms.reading_lengths import MANY
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction

CHARTED: Final = MANY
"""Windows that a chart shows."""


def estimate_in(tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey) -> Estimate | None:
    """A stream's estimate in a window."""
    return dict(estimates_up_to(tx, spec, cycle, key, 1)).get(cycle.period)


def chart_facts(tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, since: datetime) -> dict[str, Any]:
    """The windows up to this one, for a channel that draws."""
    limit = watched_streams(spec).get(key)
    windows = [
        {"start": window_start(spec, period).isoformat(), "value": one.value, "low": one.low, "high": one.high}
        for period, estimate in estimates_up_to(tx, spec, cycle, key, CHARTED)
        if isinstance(one := estimate.result, IntervalEstimate)
    ]
    ends = {} if limit is None else {"floor": limit.floor, "ceiling": limit.ceiling}
    known = {name: value for name, value in ends.items() if value is not None}
    return {"chart": {"windows": windows, "since": since.isoformat(), **known}} if windows else {}


def estimates_up_to(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, key: StreamKey, windows: int
) -> list[tuple[int, Estimate]]:
    """A stream's estimates by period in the newest windows up to a cycle."""
    found = tx.estimates.in_periods(spec.name, cycle.period - windows + 1, cycle.period, [key.metric], [key.segment])
    return [(one.period, one.estimate) for one in found if one.estimate.classifier == key.classifier]


def window_start(spec: PanelSpec, period: int) -> datetime:
    """When a panel's window of a period begins."""
    return spec.windows.start + period * spec.windows.length
