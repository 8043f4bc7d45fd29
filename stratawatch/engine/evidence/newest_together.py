"""The newest judged windows of a panel as one, or their change from those before, for people who ask."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.pooled_windows import PooledWindows, WindowLabels
from stratawatch.core.estimation.window_changes import change_of_windows
from stratawatch.core.population import Segment
from stratawatch.engine.evidence.windows_together import window_labels
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.engine.model.panel_spec import ClassifierSpec, PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.model.stored_baseline import call_rule
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

_NAMES: Final = "{names}"


@dataclass(frozen=True)
class NewestTogether:
    """Estimates of some classifiers in the newest windows together that have them.

    With windows `before`, of the change from those to the newest. `why_fewer` says why they are fewer windows than were
    asked for; empty where they are as many. Without estimates there is nothing before to compare with.
    """

    classifiers: tuple[str, ...]
    before: tuple[Cycle, ...]
    newest: tuple[Cycle, ...]
    estimates: tuple[Estimate, ...]
    why_fewer: str = ""


def newest_together(
    tx: Transaction, panel: str, windows: int, segments: Sequence[Segment | None], *, is_change: bool = False
) -> tuple[NewestTogether, ...]:
    """So many of the newest judged windows, or as many as there are; empty where none is judged.

    Each classifier of the newest window is pooled over the windows with the question of now that it was in, by the rule
    that it calls by now: one answer for those with the same windows. A change is from as many windows before. Raises
    where no classifier has windows before, or labels of a window cannot be pooled.
    """
    judged = JudgedWindows.of(tx, panel, segments, (1 + is_change) * windows)
    found = judged.together(windows, is_change=is_change) if judged else ()
    if is_change and found and not any(one.before for one in found):
        raise StratawatchError(
            f"panel '{panel}' has no window before the newest {len(found[0].newest)} to compare with",
            expected="judged windows with the same classifiers and the same question",
        )
    return found


@dataclass
class JudgedWindows:
    """The newest judged windows of a panel, oldest first, as its newest specification reads them.

    The labels of a window are read once, however often it is asked for.
    """

    tx: Transaction
    spec: PanelSpec
    segments: tuple[Segment | None, ...]
    judged: tuple[Cycle, ...]
    _labels: dict[int, WindowLabels] = field(default_factory=dict)
    _said: dict[int, tuple[str, Mapping[str, str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, tx: Transaction, panel: str, segments: Sequence[Segment | None], newest: int) -> "JudgedWindows | None":
        """So many of the newest ones; None where none is judged."""
        judged = tx.cycles.find(panel=panel, states=[CycleState.JUDGED], newest=newest)
        return cls(tx, tx.panels.get(judged[-1].panel_version), tuple(segments), tuple(judged)) if judged else None

    def together(self, windows: int, *, is_change: bool = False) -> tuple[NewestTogether, ...]:
        """So many of the newest, or their change from as many before: an answer for classifiers with the same windows.

        Of classifiers without a window before there is an answer without estimates. Raises where labels of a window
        cannot be pooled.
        """
        asked = (1 + is_change) * windows
        judged = self.judged[-asked:]
        few = _few_text(len(judged), asked)
        several = []
        for left_out, names in self._classifiers_by_what_is_left_out(judged).items():
            reasons = dict(left_out)
            why = _left_out_text([(one, reasons[one.id]) for one in judged if one.id in reasons])
            alike = [one for one in judged if one.id not in reasons]
            several.append(self._together(names, alike[-windows:], alike[:-windows], why or few, is_change=is_change))
        return tuple(one for one in several if one.newest)

    def _classifiers_by_what_is_left_out(self, judged: Sequence[Cycle]) -> dict[tuple[tuple[int, str], ...], list[str]]:
        """The classifiers by the windows that say nothing of them, and why."""
        found: dict[tuple[tuple[int, str], ...], list[str]] = defaultdict(list)
        for classifier in self.spec.classifiers:
            reasons = [(one.id, self._why_not(classifier, one)) for one in judged]
            found[tuple((number, why_not) for number, why_not in reasons if why_not)].append(classifier.name)
        return found

    def _together(
        self, names: Sequence[str], newest: Sequence[Cycle], before: Sequence[Cycle], why: str, *, is_change: bool
    ) -> NewestTogether:
        """The estimates of these classifiers in windows that all have them; none where there is nothing to estimate."""
        gaps = [one for one in (*before, *newest) if self._labels_of(one).is_gap]
        newest, before = (tuple(one for one in some if one not in gaps) for some in (newest, before))
        no_labels = f"the window from {gaps[-1].window.start:%Y-%m-%d} has no labels" if gaps else ""
        found = NewestTogether(
            tuple(names), before if is_change else (), newest, (), why.replace(_NAMES, " and ".join(names)) or no_labels
        )
        if not newest or (is_change and not before):
            return found
        pooled = PooledWindows(tuple(self._labels_of(one) for one in (*before, *newest)))
        request = EstimationRequest(self.spec.confidence, metrics_shown(self.spec), self.segments)
        earlier, later = range(len(before)), range(len(before), len(before) + len(newest))
        estimates = (
            change_of_windows(pooled, earlier, later, self._names, request)
            if is_change
            else pooled.estimates(later, self._names, request)
        )
        return replace(found, estimates=tuple(one for one in estimates if one.classifier in names))

    def _why_not(self, classifier: ClassifierSpec, cycle: Cycle) -> str:
        """Why a window says nothing of a classifier as it is now; empty where it does."""
        question, rules = self._said_by(cycle.panel_version)
        if question != self._question:
            return "asked another question"
        if classifier.name not in rules:
            return f"was without {_NAMES}"
        same = rules[classifier.name] == call_rule(classifier)
        return "" if same else f"had {_NAMES} say yes by another rule: {rules[classifier.name]}"

    def _said_by(self, version: int) -> tuple[str, Mapping[str, str]]:
        """What a specification asked, and the rule by which each classifier says yes."""
        if version not in self._said:
            then = self.tx.panels.get(version)
            rules = {one.name: call_rule(one) for one in then.classifiers}
            self._said[version] = self.tx.panels.question_key(then), rules
        return self._said[version]

    @cached_property
    def _question(self) -> str:
        return self.tx.panels.question_key(self.spec)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(classifier.name for classifier in self.spec.classifiers)

    def _labels_of(self, cycle: Cycle) -> WindowLabels:
        if cycle.id not in self._labels:
            found = window_labels(self.tx, cycle, self._names, self.segments)
            if found is None:
                when = f"{cycle.window.start:%Y-%m-%d}"
                raise StratawatchError(
                    f"the labels of the window from {when} cannot be counted together with others",
                    expected="windows of a design with difference estimates, its own variances and no clusters",
                    hint="`stratawatch estimates --history` shows each window by itself",
                )
            self._labels[cycle.id] = found
        return self._labels[cycle.id]


def _left_out_text(left_out: Sequence[tuple[Cycle, str]]) -> str:
    """Why windows are left out, the newest one by its date."""
    if not left_out:
        return ""
    newest, why_not = left_out[-1]
    others = len(left_out) - 1
    older = (
        f", and {count_text(others, 'older window')} {'is' if others == 1 else 'are'} left out too" if others else ""
    )
    return f"the window from {newest.window.start:%Y-%m-%d} {why_not}{older}"


def _few_text(judged: int, asked: int) -> str:
    if judged >= asked:
        return ""
    return f"only {count_text(judged, 'window')} {'is' if judged == 1 else 'are'} judged"
