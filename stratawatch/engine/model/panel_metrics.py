"""Which metrics a panel is about."""

from stratawatch.core.metrics import METRICS, REPORTED
from stratawatch.engine.model.panel_spec import PanelSpec


def metrics_shown(spec: PanelSpec) -> tuple[str, ...]:
    """What a panel's reports show: the usual metrics, and those that a goal or a limit names."""
    named = {goal.metric for goal in spec.goals} | {limit.metric for limit in spec.limits}
    return tuple(name for name in METRICS if name in REPORTED or name in named)
