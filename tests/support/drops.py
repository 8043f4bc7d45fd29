"""A panel of which a baseline is measured, and what the store holds of falls from it."""

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.goals import Limit
from stratawatch.engine.baselines.measure_baseline import BaselineRequest, measure_baseline
from stratawatch.engine.evidence.panel_evidence import panel_evidence
from stratawatch.engine.model.alarm_records import StreamKey
from tests.support.fakes import spec

LR = StreamKey("spam", "lr", "precision")
PANEL = spec(budget=150, limits=(Limit("precision", max_drop=0.05, classifiers=("lr",)),))
REQUEST = BaselineRequest(of=("lr",))


def measure(scenario, request=REQUEST):
    """The baselines that are measured now, by stream."""
    return {one.key: one for one in measure_baseline(scenario.ports, scenario.panel, request).new}


def evidence(scenario):
    """The evidence of the panel."""
    with scenario.ports.store.begin() as tx:
        return panel_evidence(tx, scenario.ports, scenario.panel)


def incidents(scenario):
    """All breaches."""
    with scenario.ports.store.begin() as tx:
        return [one for one in tx.alarms.incidents() if one.kind == AlarmState.BREACH]


def why_restarted(scenario):
    """Every restart: the stream (None: all), and why."""
    with scenario.ports.store.begin() as tx:
        return [(one.key, one.why) for one in tx.evidence.restarts("spam")]
