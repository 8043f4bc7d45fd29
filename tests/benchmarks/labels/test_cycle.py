"""The product in the benchmark's harness: a census of the items, pools by the smallest numbers, labels that are paid."""

import numpy as np
import pytest

from benchmarks.labels.cycle import Period, _pools, past, run_cycle
from benchmarks.labels.kinds import FOUR
from benchmarks.labels.worlds import World
from stratawatch.core.goals import SurveySpec
from stratawatch.core.score_bins import BIN_COUNT
from stratawatch.core.stratification.stratify import stratify


@pytest.fixture(scope="module")
def period():
    return Period(FOUR.classifiers, World(FOUR, 5, items=30_000).week(3))


@pytest.fixture(scope="module")
def u(period):
    return np.random.default_rng(8).random(len(period.items))


class TestPeriod:
    def test_census_counts_every_item_once_in_order(self, period):
        census = period.census
        rows = list(zip(census.patterns, census.bins.tolist(), strict=True))
        assert census.size == len(period.items)
        assert rows == sorted(set(rows))

    def test_every_item_is_in_the_atom_of_its_pattern_and_bin(self, period):
        atoms = stratify(period.census, SurveySpec(budget=500))
        homes = period.atoms_of_items(atoms)
        sizes = np.bincount(homes, minlength=len(atoms))
        assert sizes.tolist() == [atom.size for atom in atoms]
        for row in range(0, len(period.items), 997):
            atom = atoms[homes[row]]
            assert int(atom.pattern, 2) == period.items.patterns[row]
            assert atom.first_bin <= period.items.bins[row] <= atom.last_bin < BIN_COUNT

    def test_truth_by_counting(self, period):
        calls, truth = period.items.calls[:, 0], period.items.truth
        assert period.truth_of("precision")["vote"] == pytest.approx(truth[calls].mean())
        assert period.truth_of("recall")["vote"] == pytest.approx(calls[truth].mean())


class TestPools:
    @pytest.mark.parametrize("wanted", [(3, 0, 900), (1000, 1000, 1000), (0, 0, 1)])
    def test_the_smallest_of_every_stratum(self, wanted):
        rng = np.random.default_rng(1)
        strata, numbers = rng.integers(0, 3, 3000), rng.random(3000)
        wanted = tuple(min(n, int((strata == h).sum())) for h, n in enumerate(wanted))
        rows = _pools(strata, numbers, wanted)
        for stratum, n in enumerate(wanted):
            inside = np.flatnonzero(strata == stratum)
            assert sorted(rows[strata[rows] == stratum]) == sorted(inside[np.argsort(numbers[inside])[:n]])

    def test_unlucky_numbers_are_looked_for_everywhere(self):
        """All numbers of a stratum are large: the first look finds none of them."""
        strata, numbers = np.zeros(1000, dtype=np.int64), np.linspace(0.9, 0.99, 1000)
        assert _pools(strata, numbers, (5,)).tolist() == [0, 1, 2, 3, 4]


class TestRunCycle:
    def test_a_budget_is_spent_exactly_and_the_weights_add_up(self, period, u):
        cycle = run_cycle(period, SurveySpec(budget=300), u)
        assert cycle.labels_new == len(cycle.drawn) == len(set(cycle.drawn.tolist())) == 300
        assert cycle.weights.sum() == pytest.approx(len(period.items))

    def test_known_labels_are_free(self, period, u):
        known = np.zeros(len(u), dtype=bool)
        known[run_cycle(period, SurveySpec(budget=100), u).drawn] = True
        again = run_cycle(period, SurveySpec(budget=300), u, known=known)
        assert again.labels_new == (~known[again.drawn]).sum() <= 300
        assert len(again.drawn) > 340

    def test_the_same_numbers_draw_the_same_items(self, period, u):
        one, two = (run_cycle(period, SurveySpec(budget=120), u) for _ in range(2))
        assert (one.drawn == two.drawn).all()
        assert one.estimates == two.estimates

    def test_the_past_holds_what_was_drawn(self, period, u):
        cycle = run_cycle(period, SurveySpec(budget=120), u)
        history = past(period, cycle)
        assert len(history) == 120
        assert history.positive.tolist() == period.items.truth[cycle.drawn].tolist()
        assert int(history.patterns[7], 2) == period.items.patterns[cycle.drawn[7]]
        assert history.scores == pytest.approx(period.items.z[cycle.drawn], abs=0.02)
