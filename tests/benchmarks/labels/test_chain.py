"""Weeks in a chain: what is handed on, what persists, what is told."""

import numpy as np
import pytest

from benchmarks.labels import chain
from benchmarks.labels.chain import MEMORY, ChainWeek, Watch, gone, handed_on, watch
from benchmarks.labels.kinds import FOUR
from stratawatch.core.history.past_labels import NO_HISTORY, History


def history_of(ages, *, drawable=True, ratios=None) -> History:
    n = len(ages)
    return History(
        ages=np.array(ages),
        patterns=("0000",) * n,
        scores=np.full(n, 0.1),
        positive=np.zeros(n, dtype=bool),
        weights=np.ones(n),
        drawable=np.full(n, drawable),
        ratios=ratios or {},
    )


class TestHandedOn:
    def test_everything_ages_and_the_latest_comes_first(self):
        handed = handed_on(history_of([1, 2], ratios={1: {"recall": 1.5}}), history_of([1, 1, 1]))
        assert handed.ages.tolist() == [1, 1, 1, 2, 3]
        assert handed.ratios == {2: {"recall": 1.5}}
        assert len(handed.patterns) == 5

    def test_the_oldest_are_forgotten(self):
        handed = handed_on(history_of([1, MEMORY - 1, MEMORY]), history_of([1]))
        assert handed.ages.tolist() == [1, 2, MEMORY]

    def test_an_empty_past_is_only_the_latest(self):
        assert len(handed_on(NO_HISTORY, history_of([1, 1]))) == 2


class TestGone:
    def test_labels_of_replaced_items_cannot_come_again(self):
        history = gone(history_of([1, 1, 2]), np.array([4, 9, 4]), np.array([4, 5]))
        assert history.drawable.tolist() == [False, True, False]

    def test_what_is_gone_stays_gone(self):
        history = gone(history_of([1], drawable=False), np.array([4]), np.array([7]))
        assert history.drawable.tolist() == [False]


@pytest.fixture(scope="module")
def results():
    return watch(Watch(FOUR, 1, 3, range(2), seed=11))


class TestWatch:
    def test_every_week_of_every_chain_is_told(self, results):
        assert [(one.week, one.chain) for one in results] == [(w, c) for w in (1, 2, 3) for c in (0, 1)]
        assert all(len(one.covered) == len(one.widths) == 8 for one in results)

    def test_errors_lie_inside_the_intervals_that_cover(self, results):
        """Intervals are not symmetric: a covered error may be a little more than the half-width."""
        for one in results:
            inside = [abs(e) <= 1.5 * w for e, w, c in zip(one.errors, one.widths, one.covered, strict=True) if c]
            assert all(inside)

    def test_chains_have_luck_of_their_own(self, results):
        assert results[0].widths != results[1].widths

    def test_later_weeks_know_the_first(self, results, monkeypatch):
        """Without what is handed on, every week is as cold as the first: a pilot, then as many labels as that says."""
        seen = []
        run = chain.run_cycle
        monkeypatch.setattr(chain, "run_cycle", lambda *a, **k: seen.append(len(k["history"])) or run(*a, **k))
        again = watch(Watch(FOUR, 1, 2, range(1), seed=11))
        assert seen == [0, again[0].labels_new]
        assert again[1] == results[2]

    def test_persisting_items_bring_their_labels(self, results):
        persisting = watch(Watch(FOUR, 1, 3, range(1), seed=11, persisting=0.5))
        assert persisting[0] == results[0]
        assert persisting[2].labels_new < 0.85 * results[4].labels_new


class TestTold:
    @pytest.mark.parametrize(("widths", "held"), [((0.9, 1.0), True), ((0.9, 1.001), False), ((np.inf,), False)])
    def test_a_week_is_held_when_every_goal_is(self, widths, held):
        assert ChainWeek(1, 0, 1, 900, (True,) * len(widths), widths, widths).held is held
