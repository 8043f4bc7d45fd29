"""Cut-offs tried on the labels of windows in which a limit is broken: for its page, and for who looks at it later."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.cut_offs import CutOffChoice, LimitLine, choose_cut_off
from stratawatch.core.estimate import Undefined
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.evidence.compared_windows import ComparedWindows, WindowSet
from stratawatch.engine.model.alarm_records import Incident, StreamKey
from stratawatch.engine.model.panel_spec import ClassifierSpec, PanelSpec
from stratawatch.engine.model.states import CycleState

NOT_KEPT: Final = Undefined("the windows were frozen by a version that kept no scores of single classifiers")


@dataclass(frozen=True)
class TriedCutOffs:
    """What became of the cut-offs of a classifier in so many windows; Undefined where none can be tried."""

    classifier: ClassifierSpec
    windows: int
    choice: CutOffChoice | Undefined
    other_limits: tuple[LimitLine, ...] = ()  # of the classifier, which a cut-off that holds this one may break

    @property
    def is_worth_telling(self) -> bool:
        """Whether anything was tried, or would have been by this version; else nobody is told that nothing was."""
        return not isinstance(self.choice, Undefined) or self.choice == NOT_KEPT


def tried_cut_offs(spec: PanelSpec, key: StreamKey, since: WindowSet) -> TriedCutOffs:
    """Try cut-offs on the windows since a loss, as far as these keep the classifier's own score bins."""
    classifier = next(one for one in spec.classifiers if one.name == key.classifier)
    limit = watched_streams(spec).get(key)
    line = None if limit is None else limit.floor if limit.floor is not None else limit.ceiling
    scored = [one for window in since.windows if (one := window.scored(classifier.name)) is not None]

    def tried(choice: CutOffChoice | Undefined) -> TriedCutOffs:
        return TriedCutOffs(classifier, len(scored), choice, _other_limits(spec, key))

    if limit is None or line is None or key.segment is not None:
        return tried(Undefined("only a floor or a ceiling over all segments can be held by a cut-off"))
    if classifier.score is None:
        return tried(Undefined(f"'{classifier.name}' has no score"))
    if not scored:
        return tried(NOT_KEPT)
    to_hold = LimitLine(key.metric, line, is_floor=limit.floor is not None)
    return tried(choose_cut_off(scored, classifier.name, to_hold, in_use=cut_off_in_use(classifier)))


def _other_limits(spec: PanelSpec, key: StreamKey) -> tuple[LimitLine, ...]:
    """The floors and ceilings of the classifier's other metrics, over all segments."""
    return tuple(
        LimitLine(one.metric, line, is_floor=limit.floor is not None)
        for one, limit in watched_streams(spec).items()
        if one.classifier == key.classifier and one.metric != key.metric and one.segment is None
        if (line := limit.floor if limit.floor is not None else limit.ceiling) is not None
    )


def cut_offs_of_incidents(windows: ComparedWindows, incidents: Sequence[Incident]) -> dict[int, TriedCutOffs]:
    """Try cut-offs on the windows of open breaches, up to the newest one, by the incident's number.

    Everything is read from the store as it is now, so that late labels count. What is over needs no cut-off any more,
    and one changes nothing about a BLIND metric.
    """
    tx, found = windows.tx, dict[int, TriedCutOffs]()
    for one in incidents:
        is_open = one.kind == AlarmState.BREACH and one.resolved_at is None
        newest = tx.cycles.find(panel=one.key.panel, states=[CycleState.JUDGED], newest=1) if is_open else ()
        if not newest:
            continue
        spec = tx.panels.get(newest[0].panel_version)
        if one.key.classifier not in [classifier.name for classifier in spec.classifiers]:
            continue
        began = one.since or tx.cycles.get(one.cycle_id).window.start
        found[one.id] = tried_cut_offs(spec, one.key, windows.since(spec, newest[0], one.key.classifier, began))
    return found


def cut_off_in_use(classifier: ClassifierSpec) -> float | None:
    """The cut-off as a probability, where it makes the calls.

    >>> cut_off_in_use(ClassifierSpec("svm", "score", "margin", cut_off=0.0))
    0.5
    """
    if classifier.call is not None or classifier.cut_off is None:
        return None
    return classifier.cut_off if classifier.score_kind == "probability" else 1 / (1 + exp(-classifier.cut_off))
