"""Which baselines a window is judged against."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from stratawatch.core.alarms.drops import ActiveBaseline
from stratawatch.core.estimate import Undefined
from stratawatch.core.goals import Limit
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.stored_baseline import StoredBaseline, call_rule
from stratawatch.engine.ports.transaction import Transaction


def current_baselines(
    tx: Transaction, spec: PanelSpec, at: datetime, measured_by: datetime | None = None
) -> dict[StreamKey, StoredBaseline]:
    """The baselines for a window that starts then, of the classifiers as the specification has them.

    What was measured after `measured_by` was not known to a judgement of that moment.
    """
    return _alike(spec, tx.baselines.in_force(spec.name, at, measured_by))


def baselines_for_judging(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, limits: Mapping[StreamKey, Limit], now: datetime
) -> dict[StreamKey, ActiveBaseline | Undefined]:
    """For every stream with a largest drop its baseline, or why it has none and how to get one."""
    keys = [key for key, limit in limits.items() if limit.max_drop is not None]
    if not keys:
        return {}
    dated = tx.baselines.in_force(spec.name, cycle.window.start, now)
    found, later = _alike(spec, dated), current_baselines(tx, spec, cycle.window.start)
    return {
        key: ActiveBaseline(
            found[key].evidence,
            date_of(found[key]),
            windows_since(spec, cycle, found[key]),
            has_evidence=found[key].grid is not None,
        )
        if key in found
        else _missing(spec, key, dated, later)
        for key in keys
    }


def windows_since(spec: PanelSpec, cycle: Cycle, baseline: StoredBaseline) -> int:
    """How many windows begin since a baseline is in force, this one included."""
    return (cycle.window.start - baseline.valid_from) // spec.windows.length + 1


def date_of(baseline: StoredBaseline) -> str:
    """What sentences call it: the day on which it was measured."""
    return f"{baseline.measured_at:%Y-%m-%d}"


def other_call_rules(dated: Sequence[StoredBaseline], key: StreamKey) -> list[str]:
    """What a stream's classifier said yes by in baselines that are not of its present rule, where none is."""
    return sorted({one.call for one in dated if one.key == key})


def _alike(spec: PanelSpec, dated: Sequence[StoredBaseline]) -> dict[StreamKey, StoredBaseline]:
    calls = {classifier.name: call_rule(classifier) for classifier in spec.classifiers}
    return {one.key: one for one in dated if calls.get(one.key.classifier) == one.call}


def _missing(
    spec: PanelSpec, key: StreamKey, dated: Sequence[StoredBaseline], later: Mapping[StreamKey, StoredBaseline]
) -> Undefined:
    """The reason in words; `later` are baselines of today, which a judgement of an earlier moment does not know."""
    why = "no baseline is in force"
    if key in later:
        why = f"the baseline of {date_of(later[key])} was measured after the moment of this judgement"
    elif others := other_call_rules(dated, key):
        why = f"the baseline is of another classifier, yes by {' or by '.join(others)}"
    return Undefined(f"{why}; measure one: stratawatch baseline measure {spec.name}")
