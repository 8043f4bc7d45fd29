import numpy as np
import pytest

from stratawatch.errors import StratawatchError
from stratawatch.literature.bennett.precision_estimate import estimate_precision
from stratawatch.literature.bennett.sampling_rounds import (
    SamplingProgress,
    StoppingRule,
    next_totals,
    plan_round,
    progress_after,
    replay_rounds,
)
from stratawatch.literature.stratum_counts import StratumCounts

SIZES = np.array([400, 300, 200, 100])
RATES = np.array([0.7, 0.85, 0.95, 1.0])


def counts_of(drawn, labels, yes):
    return StratumCounts(*(np.array(counts) for counts in (drawn, labels, yes)))


class People:
    """Items of every bin in a fixed order, with their labels: a bin's first n are its draw."""

    def __init__(self, seed, sizes=SIZES, rates=RATES):
        rng = np.random.default_rng(seed)
        labels = [np.arange(n) < round(n * p) for n, p in zip(sizes, rates, strict=True)]
        self.labels = [rng.permutation(bin_) for bin_ in labels]

    def judge(self, totals):
        yes = np.array([int(bin_[:n].sum()) for bin_, n in zip(self.labels, totals, strict=True)])
        return StratumCounts.all_answered(np.array(totals), yes)


def finish(rule, people, seed, sizes=SIZES):
    rounds = []
    while (totals := plan_round(rule, sizes, rounds, np.random.default_rng([seed, len(rounds)]))) is not None:
        rounds.append(people.judge(totals))
    return rounds


class TestARun:
    def test_ends_when_the_interval_is_narrow(self):
        rule = StoppingRule(margin=0.05)
        last = finish(rule, People(1), 1)[-1]
        found = estimate_precision(SIZES, last.labels, last.yes)
        assert found.half_width <= 0.05
        assert abs(found.value - 0.825) < 0.1

    def test_every_round_is_d_labels_a_bin_and_only_adds(self):
        rounds = finish(StoppingRule(margin=0.06, per_bin=3), People(2), 2)
        drawn = np.array([counts.drawn for counts in rounds])
        assert np.diff(drawn.sum(axis=1), prepend=0).tolist() == [12] * len(rounds)
        assert bool(np.all(np.diff(drawn, axis=0) >= 0))

    def test_a_margin_that_cannot_be_met_ends_with_all_items(self):
        rounds = finish(StoppingRule(margin=1e-9, per_bin=20), People(3), 3)
        last = rounds[-1]
        assert last.drawn.tolist() == SIZES.tolist()
        assert estimate_precision(SIZES, last.labels, last.yes).value == pytest.approx(0.825)

    def test_it_can_be_taken_up_again_after_any_round(self):
        rule, people = StoppingRule(margin=0.08), People(4)
        rounds = finish(rule, people, 4)
        for done in range(len(rounds)):
            totals = plan_round(rule, SIZES, rounds[:done], np.random.default_rng([4, done]))
            assert totals == tuple(rounds[done].drawn.tolist())

    @pytest.mark.parametrize("margin", [None, 0.001])
    def test_a_budget_is_spent_to_the_last_label_and_not_beyond(self, margin):
        rounds = finish(StoppingRule(margin, budget=101), People(7), 7)
        assert rounds[-1].drawn.sum() == 101
        assert rounds[-2].drawn.sum() == 96

    def test_a_margin_that_is_met_spares_the_budget(self):
        rule, people = StoppingRule(margin=0.08), People(4)
        richer = finish(StoppingRule(margin=0.08, budget=600), people, 4)
        assert [r.drawn.tolist() for r in richer] == [r.drawn.tolist() for r in finish(rule, people, 4)]

    def test_with_replacement_a_bin_can_be_drawn_more_often_than_it_holds(self):
        rule, sizes = StoppingRule(margin=0.05, replacement=True), np.array([30])
        rounds, rng = [], np.random.default_rng(5)
        while (totals := plan_round(rule, sizes, rounds, rng)) is not None:
            rounds.append(StratumCounts.all_answered(np.array(totals), np.array(totals) // 2))
        assert rounds[-1].drawn[0] == pytest.approx(384, abs=6)


class TestStopping:
    narrow = counts_of([200, 200, 150, 90], [200, 200, 150, 90], [140, 170, 142, 90])

    def more(self, counts, by):
        return counts_of(counts.drawn + by, counts.labels + by, counts.yes + by)

    def test_the_first_draw_is_not_judged(self):
        progress = replay_rounds(StoppingRule(margin=0.5, in_a_row=1), SIZES, [self.narrow])
        assert (int(progress.narrow_rounds), bool(progress.over)) == (0, False)

    def test_two_rounds_running(self):
        rounds = [self.narrow, self.more(self.narrow, 1), self.more(self.narrow, 2)]
        assert [bool(replay_rounds(StoppingRule(margin=0.5), SIZES, rounds[:n]).over) for n in (1, 2, 3)] == [
            False,
            False,
            True,
        ]

    def test_a_round_that_misses_starts_again(self):
        """Eight labels are known to +- .37, three hundred to +- .05."""
        rule, sizes = StoppingRule(margin=0.2, in_a_row=2), np.array([1000])
        wide, narrow = counts_of([8], [8], [4]), counts_of([300], [300], [150])
        met = []
        progress = SamplingProgress.start(1)
        for counts in (wide, narrow, wide, narrow, narrow):
            progress = progress_after(rule, sizes, progress, counts)
            met.append(int(progress.narrow_rounds))
        assert met == [0, 1, 0, 1, 2]

    @pytest.mark.parametrize("in_a_row", [1, 2, 3])
    def test_the_last_rounds_say_as_much_as_all_of_them(self, in_a_row):
        rule, people = StoppingRule(margin=0.12, in_a_row=in_a_row), People(6)
        rounds, progress = finish(rule, people, 6), SamplingProgress.start(4)
        for done, counts in enumerate(rounds, 1):
            progress = progress_after(rule, SIZES, progress, counts)
            assert bool(replay_rounds(rule, SIZES, rounds[:done]).over) == bool(progress.over)
        assert bool(progress.over)

    def test_unanswered_items_do_not_narrow_the_interval(self):
        drawn = counts_of([400, 300, 200, 100], [20, 20, 20, 10], [14, 17, 19, 10])
        progress = replay_rounds(
            StoppingRule(margin=0.03), SIZES, [counts_of([20, 20, 20, 10], [9, 9, 9, 9], [6, 8, 9, 9]), drawn]
        )
        assert int(progress.narrow_rounds) == 0
        assert bool(progress.over), "there is nobody left to ask"


def test_runs_side_by_side_are_runs_alone():
    rule = StoppingRule(margin=0.05)
    rounds = [People(seed).judge([9, 7, 5, 3]) for seed in range(3)]
    together = StratumCounts.all_answered(np.array([r.labels for r in rounds]), np.array([r.yes for r in rounds]))
    many = progress_after(rule, SIZES, SamplingProgress.start(3, 4), together)
    alone = [progress_after(rule, SIZES, SamplingProgress.start(4), counts) for counts in rounds]
    for found in (SamplingProgress.rates, SamplingProgress.half_widths):
        assert found(many, SIZES, rule).tolist() == [found(one, SIZES, rule).tolist() for one in alone]
    assert next_totals(rule, SIZES, many, np.random.default_rng(0)).sum(axis=1).tolist() == [32, 32, 32]


def test_opt_draws_where_labels_disagree():
    """Sixty labels each: half yes in the first bin, all yes in the others, of equal size."""
    sizes, labels = np.full(4, 1000), np.full((2000, 4), 60)
    yes = np.tile([30, 60, 60, 60], (2000, 1))
    progress = progress_after(
        StoppingRule(margin=0.01), sizes, SamplingProgress.start(2000, 4), StratumCounts.all_answered(labels, yes)
    )
    added = (next_totals(StoppingRule(margin=0.01), sizes, progress, np.random.default_rng(1)) - labels).mean(axis=0)
    sigma = np.sqrt((half := 1 / (2 * 60**0.5)) * (60 + half)) / (60 + 2 * half)
    assert added[0] == pytest.approx(8 * 0.5 / (0.5 + 3 * sigma), abs=0.06)


class TestRefusals:
    @pytest.mark.parametrize("sizes", [[], [5, 0]])
    def test_empty_bins(self, sizes):
        with pytest.raises(StratawatchError, match="a bin is empty"):
            plan_round(StoppingRule(margin=0.1), np.array(sizes, dtype=np.int64), [], np.random.default_rng(0))

    @pytest.mark.parametrize(
        ("rounds", "words"),
        [
            ([([1, 1], [1, 1], [1, 1])], "counts do not fit the bins"),
            ([([2, 2, 2, 2], [1, 1, 1, 1], [2, 1, 1, 1])], "counts contradict one another"),
            ([([1, 1, 1, 1], [2, 1, 1, 1], [1, 1, 1, 1])], "counts contradict one another"),
            ([([1, 1, 1, 101], [1, 1, 1, 1], [1, 1, 1, 1])], "more was drawn than a bin holds"),
            ([([2, 2, 2, 2], [2, 2, 2, 2], [2, 2, 2, 2]), ([1, 3, 3, 3], [1, 1, 1, 1], [1, 1, 1, 1])], "fewer draws"),
        ],
    )
    def test_counts_that_cannot_be(self, rounds, words):
        with pytest.raises(StratawatchError, match=words):
            plan_round(
                StoppingRule(margin=0.1), SIZES, [counts_of(*counts) for counts in rounds], np.random.default_rng(0)
            )
