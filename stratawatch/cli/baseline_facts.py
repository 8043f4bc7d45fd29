"""What `check` says of baselines: a largest drop without one is BLIND."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stratawatch.engine.records import PanelSpec
    from stratawatch.engine.repositories import Transaction


def baseline_fact(tx: "Transaction", spec: "PanelSpec") -> str:
    """How many of the panel's metrics with a `max_drop` have a baseline now; nothing where there is no such limit."""
    from stratawatch.engine.alarms import streams
    from stratawatch.engine.baselines import in_force, of_another_call
    from stratawatch.engine.clock import SystemClock

    wanted = [key for key, limit in streams(spec).items() if limit.max_drop is not None]
    if not wanted:
        return ""
    now = SystemClock().now()
    there, dated = in_force(tx, spec, now), tx.baselines.in_force(spec.name, now)
    missing = [key for key in wanted if key not in there]
    if not missing:
        return f"in force for all {len(wanted)} metrics with a max_drop"
    another = [key for key in missing if of_another_call(dated, key)]
    why = f", {len(another)} as what was measured is of another rule of saying yes" if another else ""
    return (
        f"{len(missing)} of {len(wanted)} metrics with a max_drop have none in force and are BLIND{why}; "
        f"`stratawatch baseline measure {spec.name}` measures them"
    )
