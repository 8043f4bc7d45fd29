from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from stratawatch.core.planning.bethel import achieved_variances, integer_solution, limits_met, minimise_labels
from stratawatch.core.tuning import SOLVER
from stratawatch.errors import StratawatchError
from tests.support.hypothesis_examples import examples


def floats(*values):
    return np.array(values, dtype=float)


def drawn(strata: int, goals: int, seed: int = 1):
    """Needs, limits that a tenth of the items would about hold, and sizes."""
    rng = np.random.default_rng(seed)
    sizes = np.round(np.exp(rng.normal(5, 1, strata))) + 2
    needs = (sizes * rng.normal(size=(goals, strata))) ** 2 * rng.uniform(0.01, 0.25, strata)
    limits = achieved_variances(needs, sizes, np.maximum(1, sizes / 10)) * np.exp(rng.normal(0, 0.3, goals))
    return needs, limits, sizes


class TestOneLimit:
    def test_is_neyman(self):
        """N S = 30, 20, 10 and V = 60 sum N S / n: n = 60 x (30, 20, 10)/V."""
        needs = floats(30, 20, 10)[None, :] ** 2
        found = minimise_labels(needs, floats(45), np.full(3, 1e12), np.zeros(3))
        assert found.n.tolist() == pytest.approx([40, 80 / 3, 40 / 3], rel=1e-5)

    def test_with_costs_is_neyman_over_their_roots(self):
        """n proportional to N S / sqrt(c): 30/3, 20/2, 10/1."""
        needs = floats(30, 20, 10)[None, :] ** 2
        found = minimise_labels(needs, floats(45), np.full(3, 1e12), np.zeros(3), floats(9, 4, 1))
        assert (found.n / found.n[0]).tolist() == pytest.approx([1, 1, 1], rel=1e-5)
        assert float(needs[0] @ (1 / found.n)) == pytest.approx(45, rel=1e-5)

    def test_counts_the_finite_population(self):
        """One stratum of 100 with N^2 S^2 = 2500 and V <= 25: 2500 (1/n - 1/100) = 25, n = 50."""
        assert minimise_labels(floats(2500)[None, :], floats(25), floats(100), floats(2)).n.tolist() == pytest.approx(
            [50]
        )

    def test_a_stratum_at_its_cap_leaves_the_rest_to_the_others(self):
        """The first is counted whole (10 items) and adds nothing; the other needs 400/n - 400/1e6 = 4."""
        found = minimise_labels(floats(1e6, 400)[None, :], floats(4), floats(10, 1e6), np.zeros(2))
        assert found.n.tolist() == pytest.approx([10, 1 / (0.01 + 1e-6)], rel=1e-5)

    def test_a_pool_below_the_items_leaves_variance(self):
        """10 of 20 labels: 100 (1/10 - 1/20) = 5 of the 9 stay; 16/n - 16/1e6 = 4."""
        found = minimise_labels(floats(100, 16)[None, :], floats(9), floats(20, 1e6), np.zeros(2), caps=floats(10, 1e6))
        assert found.n.tolist() == pytest.approx([10, 1 / (0.25 + 1e-6)], rel=1e-5)

    def test_a_step_that_leaves_no_price_is_taken_back(self):
        """All but the last stratum stay at their floors: a long step of Newton's would take the only price to 0."""
        needs = floats(0, 378.3, 4968.7, 41324.7, 1.635, 418.04)[None, :]
        sizes, floors = floats(226, 212, 293, 383, 56, 79), floats(13, 14, 12, 31, 15, 1)
        with np.errstate(all="raise"):
            found = minimise_labels(needs, floats(2030.283), sizes, floors)
        assert found.n[:5].tolist() == pytest.approx(floors[:5].tolist())
        assert 1 < found.n[5] < 1.1
        assert found.gap <= SOLVER.gap

    def test_floors_that_are_enough_once_the_scarce_strata_are_counted_whole(self):
        """The first limit takes all 10 of its stratum; the second exceeds its floor only there."""
        needs = np.array([[1e4, 0.0], [1e4, 16.0]])
        sizes = floats(10, 1e6)
        found = minimise_labels(needs, floats(0, 2), sizes, floats(2, 8))
        assert found.n.tolist() == [10, 8]
        assert found.gap == 0

    def test_a_floor_saves_labels_elsewhere(self):
        """100 labels of the first: 1 of the 10; 100/n = 9."""
        found = minimise_labels(floats(100, 100)[None, :], floats(10), np.full(2, 1e12), floats(100, 0))
        assert found.n.tolist() == pytest.approx([100, 100 / 9], rel=1e-5)


class TestManyLimits:
    def test_a_slack_limit_has_no_price(self):
        found = minimise_labels(
            floats(900, 100).reshape(1, 2).repeat(2, 0), floats(45, 90), np.full(2, 1e12), np.zeros(2)
        )
        assert found.multipliers[0] > 0
        assert found.multipliers[1] == pytest.approx(0, abs=1e-6 * found.multipliers[0])

    def test_limits_on_strata_of_their_own_are_solved_apart(self):
        found = minimise_labels(np.diag([100.0, 64.0]), floats(5, 2), np.full(2, 1e12), np.zeros(2))
        assert found.n.tolist() == pytest.approx([20, 32], rel=1e-5)

    @pytest.mark.parametrize("seed", range(6))
    def test_prices_prove_the_optimum(self, seed):
        """Karush, Kuhn and Tucker: c n^2 = prices.A inside, no less at a cap, no more at a floor."""
        needs, limits, sizes = drawn(60, 8, seed)
        costs = np.random.default_rng(seed).uniform(0.5, 3, 60)
        floors = np.minimum(2.0, sizes)
        found = minimise_labels(needs, limits, sizes, floors, costs)
        assert found.gap <= SOLVER.gap
        pull = np.sqrt(found.multipliers @ needs / costs)
        inside = (found.n > floors * 1.001) & (found.n < sizes * 0.999)
        assert found.n[inside].tolist() == pytest.approx(pull[inside].tolist(), rel=0.01)
        assert bool(np.all(pull[found.n <= floors * 1.001] <= 1.01 * floors[found.n <= floors * 1.001]))
        assert bool(np.all(pull[found.n >= sizes * 0.999] >= 0.99 * sizes[found.n >= sizes * 0.999]))

    @pytest.mark.parametrize("seed", range(4))
    def test_a_general_solver_finds_nothing_cheaper(self, seed):
        needs, limits, sizes = drawn(8, 4, seed)
        floors = np.minimum(2.0, sizes)
        found = minimise_labels(needs, limits, sizes, floors)
        general = minimize(
            lambda n: n.sum(),
            np.minimum(1.2 * found.n, sizes),
            jac=np.ones_like,
            method="SLSQP",
            bounds=list(zip(floors, sizes, strict=True)),
            constraints={
                "type": "ineq",
                "fun": lambda n: 1 - achieved_variances(needs, sizes, n) / limits,
                "jac": lambda n: needs / n**2 / limits[:, None],
            },
            options={"maxiter": 500, "ftol": 1e-12},
        )
        assert general.success
        assert found.n.sum() == pytest.approx(general.fun, rel=1e-5)

    def test_the_same_limit_twice_changes_nothing(self):
        needs, limits, sizes = drawn(40, 5)
        once, twice = minimise_labels(needs, limits, sizes, np.ones(40)), None
        twice = minimise_labels(np.vstack([needs, needs]), np.r_[limits, limits], sizes, np.ones(40))
        assert twice.gap <= SOLVER.gap
        assert twice.n.sum() == pytest.approx(once.n.sum(), rel=2 * SOLVER.gap)

    def test_nested_cut_offs_of_one_score_do_not_stall(self):
        """Rows that are almost the same row: limits on the totals above twenty-five cut-offs."""
        sizes = np.full(300, 200.0)
        above = (np.arange(300)[None, :] >= np.linspace(100, 290, 25)[:, None]).astype(float)
        needs = above * sizes**2 * np.linspace(0.01, 0.25, 300)
        limits = achieved_variances(needs, sizes, np.full(300, 20.0)) * np.linspace(0.8, 1.2, 25)
        assert minimise_labels(needs, limits, sizes, np.full(300, 2.0)).gap <= SOLVER.gap


class TestBounds:
    def test_limits_that_the_floors_keep_cost_nothing_more(self):
        found = minimise_labels(floats(9, 1)[None, :], floats(100), floats(50, 60), floats(3, 4))
        assert (found.n.tolist(), found.multipliers.tolist(), found.gap) == ([3, 4], [0], 0)

    def test_a_limit_that_not_even_all_labels_keep_is_a_clear_result(self):
        found = minimise_labels(floats(100, 16)[None, :], floats(1), floats(20, 50), np.zeros(2), caps=floats(10, 50))
        assert not found.feasible
        assert found.n.tolist() == [10, 50]
        assert integer_solution(
            found, floats(100, 16)[None, :], floats(1), floats(20, 50), *caps_of([0, 0], [10, 50])
        ).tolist() == [10, 50]

    def test_a_stratum_that_counts_but_cannot_be_drawn_is_infeasible(self):
        assert not minimise_labels(
            floats(5, 5)[None, :], floats(4), floats(9, 9), np.zeros(2), caps=floats(0, 9)
        ).feasible

    def test_no_variance_at_all_means_counting_everything_that_matters(self):
        found = minimise_labels(floats(5, 0, 7)[None, :], floats(0), floats(30, 40, 50), np.full(3, 2.0))
        assert (found.n.tolist(), found.feasible) == ([30, 2, 50], True)

    def test_one_limit_of_none_beside_others(self):
        needs = np.array([[5.0, 0, 0], [9.0, 900, 400]])
        found = minimise_labels(needs, floats(0, 20), floats(30, 1e6, 1e6), np.full(3, 2.0))
        assert found.n[0] == 30
        assert found.gap <= SOLVER.gap
        assert bool(np.all(limits_met(needs, floats(0, 20), floats(30, 1e6, 1e6), found.n)))

    def test_strata_that_no_limit_weighs_stay_on_their_floor(self):
        found = minimise_labels(floats(0, 400)[None, :], floats(4), floats(90, 1e9), floats(3, 0))
        assert found.n[0] == 3
        assert minimise_labels(floats(0, 400)[None, :], floats(4), floats(0, 1e9), np.zeros(2)).n[0] == 0

    def test_no_limits(self):
        assert minimise_labels(np.zeros((0, 2)), np.zeros(0), floats(9, 9), floats(2, 1)).n.tolist() == [2, 1]

    def test_labels_that_cost_nothing_are_refused(self):
        with pytest.raises(StratawatchError, match="cost nothing; expected costs above 0; got 0"):
            minimise_labels(floats(1, 1)[None, :], floats(1), floats(9, 9), np.zeros(2), floats(0, 1))


def caps_of(floors, caps):
    return np.array(floors, dtype=np.int64), np.array(caps, dtype=np.int64)


class TestWholeNumbers:
    def test_one_stratum_is_rounded_up(self):
        """2500 (1/n - 1/100) <= 26: n >= 49.02."""
        needs, limits, sizes = floats(2500)[None, :], floats(26), floats(100)
        found = minimise_labels(needs, limits, sizes, floats(2))
        assert integer_solution(found, needs, limits, sizes, *caps_of([2], [100])).tolist() == [50]

    def test_a_whole_solution_is_kept(self):
        needs, limits, sizes = np.diag([100.0, 64.0]), floats(5, 2), np.full(2, 1e12)
        found = minimise_labels(needs, limits, sizes, np.zeros(2))
        assert integer_solution(found, needs, limits, sizes, *caps_of([0, 0], [10**9] * 2)).tolist() == [20, 32]

    def test_a_counted_stratum_stays_counted(self):
        needs, limits, sizes = np.array([[5.0, 0], [1.0, 900]]), floats(0, 20), floats(3000, 1e6)
        found = minimise_labels(needs, limits, sizes, np.full(2, 2.0))
        assert integer_solution(found, needs, limits, sizes, *caps_of([2, 2], [3000, 10**6])).tolist() == [3000, 45]

    def test_without_limits_floors_do(self):
        found = minimise_labels(np.zeros((0, 2)), np.zeros(0), floats(9, 9), floats(2, 1))
        assert integer_solution(
            found, np.zeros((0, 2)), np.zeros(0), floats(9, 9), *caps_of([2, 1], [9, 9])
        ).tolist() == [2, 1]

    @pytest.mark.parametrize("seed", range(5))
    def test_costs_little_more_than_the_fractions(self, seed):
        needs, limits, sizes = drawn(300, 12, seed)
        floors = np.minimum(2, sizes).astype(np.int64)
        found = minimise_labels(needs, limits, sizes, floors.astype(float))
        labels = integer_solution(found, needs, limits, sizes, floors, sizes.astype(np.int64))
        assert bool(np.all(limits_met(needs, limits, sizes, labels.astype(float))))
        assert labels.sum() <= 1.003 * found.n.sum()

    def test_the_remainder_goes_where_labels_are_cheap(self):
        """Both would be 10.5; labels of the first cost nine times as much, and 11 with 8 is the cheapest pair."""
        needs, sizes = floats(9 * 10.5**2, 10.5**2)[None, :], np.full(2, 1e12)
        found = minimise_labels(needs, floats(105), sizes, np.zeros(2), floats(9, 1))
        labels = integer_solution(found, needs, floats(105), sizes, *caps_of([0, 0], [99, 99]), floats(9, 1))
        pairs = [
            (9 * a + b, [a, b]) for a in range(1, 40) for b in range(1, 40) if needs[0] @ (1 / floats(a, b)) <= 105
        ]
        assert labels.tolist() == min(pairs)[1] == [11, 8]


def cheapest(needs, limits, sizes, floors) -> int:
    """The fewest whole labels that keep all limits, by trying all."""
    ranges = [range(int(low), int(size) + 1) for low, size in zip(floors, sizes, strict=True)]
    found = [sum(n) for n in product(*ranges) if limits_met(needs, limits, sizes, np.array(n, dtype=float)).all()]
    return min(found)


tiny = st.tuples(st.integers(1, 7), st.floats(0.1, 10), st.floats(0.1, 10))


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(tiny, min_size=1, max_size=4), st.floats(0.01, 0.9), st.floats(0.01, 0.9))
def test_all_whole_allocations_of_tiny_strata(rows, first, second):
    """Between the continuous optimum and one label above the best of all whole ones."""
    sizes = floats(*(row[0] for row in rows))
    needs = np.array([[row[1] for row in rows], [row[2] for row in rows]]) * sizes**2
    floors = np.ones(len(rows))
    limits = floats(first, second) * achieved_variances(needs, sizes, floors)
    found = minimise_labels(needs, limits, sizes, floors)
    best = cheapest(needs, limits, sizes, floors)
    labels = integer_solution(found, needs, limits, sizes, *caps_of(floors, sizes))
    assert found.feasible
    assert bool(np.all(limits_met(needs, limits, sizes, labels.astype(float))))
    assert found.n.sum() * (1 - 2e-6) - 1e-9 <= best <= labels.sum() <= best + 1


need = st.just(0.0) | st.floats(1e-6, 1)
stratum = st.tuples(st.integers(1, 10**6), need, need, st.integers(0, 30), st.floats(0.05, 1))


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(stratum, min_size=1, max_size=25), st.floats(1e-4, 1), st.floats(1e-4, 1), st.floats(0.2, 5))
def test_within_bounds_within_limits_and_proven(rows, first, second, cost):
    sizes, one, other, floors, pools = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    needs = np.stack([one, other]) * sizes**2
    caps = np.ceil(pools * sizes)
    costs = np.where(np.arange(len(rows)) % 2, cost, 1.0)
    floors = np.minimum(floors, caps)
    limits = floats(first, second) * achieved_variances(needs, sizes, np.ones_like(sizes))
    found = minimise_labels(needs, limits, sizes, floors, costs, caps=caps)
    assert found.feasible == bool(limits_met(needs, limits, sizes, caps).all())
    assume(found.feasible)
    low = np.where(needs.any(axis=0), np.maximum(floors, 1), floors)
    assert bool(np.all((found.n >= low) & (found.n <= caps)))
    assert bool(np.all(limits_met(needs, limits, sizes, found.n)))
    assert found.gap * (costs @ found.n) <= max(SOLVER.gap * (costs @ found.n), 1e-3)
    labels = integer_solution(found, needs, limits, sizes, floors.astype(np.int64), caps.astype(np.int64), costs)
    assert bool(np.all((labels >= low) & (labels <= caps)))
    assert bool(np.all(limits_met(needs, limits, sizes, labels.astype(float))))
    assert costs @ labels <= costs @ np.ceil(found.n - 1e-6) + costs.max() * len(rows)
