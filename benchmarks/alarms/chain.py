"""A panel watched week after week by the product's own designs: each is made from the labels of the weeks before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from benchmarks.alarms.frozen_weeks import METRICS, limits_of
from benchmarks.alarms.panel_years import WEEKS_A_YEAR
from benchmarks.labels.chain import gone, handed_on
from benchmarks.labels.cycle import Cycle, Period, past, run_cycle
from benchmarks.labels.worlds import Flags, Integers, Items
from stratawatch.core.alarms.evidence.e_values import window_e_values
from stratawatch.core.alarms.evidence.linear_tests import LimitTest
from stratawatch.core.alarms.evidence.persistence import persisting_shares
from stratawatch.core.alarms.evidence.window_labels import DrawnLabel
from stratawatch.core.alarms.judge import page_by_window, page_confidence
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.pooled_windows import WindowLabels
from stratawatch.core.goals import Focus, Limit, SurveySpec
from stratawatch.core.history.model_trust import with_variance_ratios
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.tuning import EVIDENCE

Stream = tuple[str, str]
"""Classifier and metric."""
ByBet = Mapping[float, float]
"""Log E by the loss that is bet on."""

SHARES: Final = (1 - EVIDENCE.evidence_share, EVIDENCE.window_share, 1.0)
"""The parts of the promise at which one window's interval is looked at: beside evidence, instead of it, and ADR 6."""


@dataclass(frozen=True)
class Watched:
    """A panel's survey, and in how many rounds it asks (None: as the product does). Every metric sits at its floor."""

    classifiers: tuple[str, ...]
    survey: SurveySpec
    rounds: int | None = None


@dataclass(frozen=True)
class ChainWeek:
    """What a week says of every stream.

    `first_use` are log E from the labels that may bet, `all_labels` those from every label; `outside` the streams whose
    interval lies beyond their limit, by the share of the promise. `persists` is the largest share of what a limit looks
    at that was in an earlier pool; `fresh` the share of labels that no earlier week used.
    """

    truth: Mapping[Stream, float]
    estimates: Mapping[Stream, Estimate]
    first_use: Mapping[Stream, ByBet]
    all_labels: Mapping[Stream, ByBet]
    outside: Mapping[float, frozenset[Stream]]
    persists: float
    fresh: float
    labels_new: int


class Chain:
    """One panel's own luck: its random numbers, its labels, its history."""

    def __init__(self, watched: Watched, seed: Sequence[int]) -> None:
        self._watched = watched
        self._rng = np.random.default_rng(seed)
        self._history, self._rows = NO_HISTORY, np.zeros(0, dtype=np.int64)
        self._u = np.zeros(0)
        self._labelled, self._pooled = np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.bool_)
        self._newest: Cycle | None = None

    def watch(self, items: Items, new: Integers, focus: Focus | None = None) -> ChainWeek:
        """Label and judge a week; the rows `new` hold other items than the week before."""
        self._renew(len(items), new)
        period = Period(self._watched.classifiers, items)
        survey = replace(self._watched.survey, focus=focus)
        known, rounds = self._labelled.copy(), self._watched.rounds
        cycle = run_cycle(period, survey, self._u, history=self._history, known=known, rounds=rounds)
        found, self._newest = self._found(period, cycle, known), cycle
        self._labelled[cycle.drawn] = True
        self._pooled[np.array(cycle.design.candidates.items, dtype=np.int64)] = True
        self._remember(period, cycle)
        return found

    def window_labels(self) -> WindowLabels:
        """What the labels of the newest week say of its totals, to be pooled with those of other weeks."""
        if self._newest is None:
            raise ValueError("no week was watched yet")
        return self._newest.design.window_labels(self._newest.ledger, DrawnItems.of_rounds(self._newest.rounds))

    def _renew(self, items: int, new: Integers) -> None:
        if len(self._u) == 0:
            self._u = np.empty(items)
            self._labelled, self._pooled = np.zeros(items, dtype=np.bool_), np.zeros(items, dtype=np.bool_)
        self._u[new] = self._rng.random(len(new))
        self._labelled[new] = self._pooled[new] = False
        self._history = gone(self._history, self._rows, new)

    def _remember(self, period: Period, cycle: Cycle) -> None:
        latest = replace(past(period, cycle), drawable=np.ones(len(cycle.drawn), dtype=np.bool_))
        self._history = with_variance_ratios(handed_on(self._history, latest))
        self._rows = np.concatenate([cycle.drawn, self._rows])[: len(self._history)]

    def _found(self, period: Period, cycle: Cycle, known: Flags) -> ChainWeek:
        tests = limits_of(period.classifiers, period.items)
        before = {item for item in cycle.design.candidates.items if self._pooled[int(item)]}
        persists = float(persisting_shares(cycle.design, tests, before).max())
        nothing = np.zeros_like(known)
        first_use = _log_e(cycle, tests, known)
        return ChainWeek(
            truth={_stream(test): test.limit for test in tests},
            estimates={_stream(one): one for one in cycle.estimates},
            first_use=first_use,
            all_labels=_log_e(cycle, tests, nothing) if known[cycle.drawn].any() else first_use,
            outside={share: _outside(cycle, tests, share) for share in SHARES},
            persists=persists,
            fresh=float((~known[cycle.drawn]).mean()),
            labels_new=cycle.labels_new,
        )


def _log_e(cycle: Cycle, tests: Sequence[LimitTest], known: Flags) -> dict[Stream, ByBet]:
    """The week's log E of every stream; labels of items that were labelled before do not bet."""
    labels = [[_drawn_label(cycle, item, known) for item in sorted(drawn)] for drawn in cycle.rounds]
    found: dict[Stream, dict[float, float]] = {_stream(test): {} for test in tests}
    for one in window_e_values(cycle.design, labels, tests):
        sums = found[_stream(tests[one.test])]
        sums[one.loss] = sums.get(one.loss, 0.0) + one.log_e
    return dict(found)


def _drawn_label(cycle: Cycle, item: str, known: Flags) -> DrawnLabel:
    is_known = bool(known[int(item)])
    verdict = cycle.ledger.verdicts[item]
    return DrawnLabel(item, first_use=not is_known, bets=not is_known, verdict=verdict, answered_before=is_known)


def _outside(cycle: Cycle, tests: Sequence[LimitTest], share: float) -> frozenset[Stream]:
    """The streams that the product would page for this week's interval alone, at a share of one page a year."""
    drawn = DrawnItems.of_rounds(cycle.rounds)
    confidence = page_confidence(len(tests), WEEKS_A_YEAR, share)
    wide = cycle.design.estimate(cycle.ledger, drawn, confidence=confidence, metrics=METRICS)
    for_page, ordinary = ({_stream(one): one for one in found} for found in (wide, cycle.estimates))
    limits = {_stream(test): Limit(test.metric, floor=test.limit, classifiers=(test.classifier,)) for test in tests}
    return frozenset(key for key, limit in limits.items() if page_by_window(ordinary[key], for_page[key], limit))


def _stream(one: LimitTest | Estimate) -> Stream:
    return one.classifier, one.metric
