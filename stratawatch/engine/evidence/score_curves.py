"""How a broken classifier's scores are spread, and what they say, before its fall and since."""

from collections.abc import Sequence
from dataclasses import dataclass

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.score_groups import ScoreGroup, score_groups
from stratawatch.engine.evidence.compared_windows import ComparedWindows
from stratawatch.engine.model.alarm_records import Incident
from stratawatch.engine.model.states import CycleState


@dataclass(frozen=True)
class ScoreCurve:
    """The groups of a classifier's scores, in so many windows before its fall and so many since."""

    classifier: str
    windows: tuple[int, int]
    groups: tuple[ScoreGroup, ...]


def score_curves(compared: ComparedWindows, incidents: Sequence[Incident]) -> tuple[ScoreCurve, ...]:
    """The curves of classifiers with an open breach over all items; none where their scores were not kept."""
    tx, found = compared.tx, dict[str, ScoreCurve]()
    for one in incidents:
        name = one.key.classifier
        is_open = one.kind == AlarmState.BREACH and one.resolved_at is None and one.key.segment is None
        newest = tx.cycles.find(panel=one.key.panel, states=[CycleState.JUDGED], newest=1) if is_open else ()
        if not newest or name in found:
            continue
        spec = tx.panels.get(newest[0].panel_version)
        if not any(classifier.name == name and classifier.score for classifier in spec.classifiers):
            continue
        since = one.since or tx.cycles.get(one.cycle_id).window.start
        sides = compared.around(spec, newest[0], name, since)
        before, now = ([scored for each in side.windows if (scored := each.scored(name))] for side in sides)
        groups = score_groups(before, now, name, confidence=spec.confidence)
        if groups:
            found[name] = ScoreCurve(name, (len(before), len(now)), groups)
    return tuple(found.values())
