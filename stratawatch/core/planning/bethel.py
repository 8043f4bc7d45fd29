"""The fewest labels that keep many variances within their limits: Chromy's and Bethel's allocation, with its dual."""

from dataclasses import dataclass, replace

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Counts, Floats
from stratawatch.core.tuning import SOLVER
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class Solution:
    """Labels by stratum, the price of each limit, and which share of the cost might still be saved.

    At the optimum c_h n_h^2 = sum_j multiplier_j A_jh between floor and cap. `feasible` False: not even the caps keep
    the limits, and `n` are the caps.
    """

    n: Floats
    multipliers: Floats
    gap: float
    feasible: bool


@dataclass(frozen=True)
class _Problem:
    """min c.n subject to W (1/n) <= 1 and low <= n <= high; rows are limits, columns strata."""

    weights: Floats
    costs: Floats
    low: Floats
    high: Floats

    def cheapest_at(self, prices: Floats) -> Floats:
        """The n of least c.n + prices.W(1/n): sqrt(prices.W / c), held between low and high."""
        return np.clip(np.sqrt(prices @ self.weights / self.costs), self.low, self.high)

    def used_shares(self, n: Floats) -> Floats:
        """The part of each limit that n uses up; above 1 the limit is exceeded."""
        return np.asarray(self.weights @ (1 / n), dtype=np.float64)

    def excess(self, n: Floats) -> Floats:
        """By how much the strata below their caps must grow for each limit: U/(1 - C), U their part, C the others'."""
        full = n >= self.high
        rest = 1 - self.weights @ np.where(full, 1 / n, 0.0)
        return np.asarray((self.weights @ np.where(full, 0.0, 1 / n)) / np.maximum(rest, 1e-300), dtype=np.float64)

    def multiplicative_step(self, prices: Floats, n: Floats) -> Floats:
        """Chromy's step: a limit that n exceeds twofold becomes four times as dear."""
        return np.maximum(prices, SOLVER.no_price * float(prices.max())) * np.clip(self.excess(n), 0.1, 1e6) ** 2

    def feasible_multiple(self, n: Floats) -> Floats | None:
        """A multiple of n, held between low and high, that keeps all limits; None when twelve tries find none."""
        scale = 1.0
        for _ in range(SOLVER.feasible_tries):
            scaled = np.clip(scale * n, self.low, self.high)
            if float(self.used_shares(scaled).max(initial=0.0)) <= 1:
                return scaled
            scale *= max(float(self.excess(scaled).max()), 1.0) * (1 + 1e-12)
        return None


def minimise_labels(
    weights: Floats,
    limits: Floats,
    sizes: Floats,
    floors: Floats,
    costs: Floats | None = None,
    *,
    caps: Floats | None = None,
) -> Solution:
    """Minimise c.n subject to sum_h A_jh (1/n_h - 1/N_h) <= limit_j for all j, floors <= n <= caps (sizes if None).

    `weights` is A, goals x strata. Chromy's (1987) steps price_j <- price_j used_j^2 of Bethel (1989), then Newton's on
    the concave dual D = min_n c.n + prices.(used(n) - 1), until (cost - D)/cost <= 1e-6. A stratum that a limit
    weighs gets at least one label.

    >>> minimise_labels(np.array([[9.0, 1.0]]), np.array([0.1]), np.array([1e9, 1e9]), np.zeros(2)).n.round(3).tolist()
    [120.0, 40.0]
    """
    caps = sizes if caps is None else np.minimum(caps, sizes)
    costs = np.ones_like(sizes) if costs is None else costs
    if not bool(np.all(costs > 0)):
        raise StratawatchError("a stratum's labels cost nothing", expected="costs above 0", got=str(costs.min()))
    low = np.where(weights.any(axis=0), np.minimum(np.maximum(floors, 1), caps), np.minimum(floors, caps))
    prices = np.zeros(len(limits))
    if not bool(np.all(limits_met(weights, limits, sizes, caps))):
        return Solution(caps, prices, np.inf, feasible=False)
    rows = ~limits_met(weights, limits, sizes, low)
    if not rows.any():
        return Solution(low, prices, 0.0, feasible=True)
    columns = weights[rows].any(axis=0)
    bounds = limits + _inverse_sum(weights, sizes)
    problem = _Problem(weights[rows][:, columns] / bounds[rows, None], costs[columns], low[columns], caps[columns])
    n, found, rest = _optimum(problem)
    prices[rows] = found / bounds[rows]
    whole = low.copy()
    whole[columns] = n
    return Solution(whole, prices, rest, feasible=True)


def limits_met(weights: Floats, limits: Floats, sizes: Floats, n: Floats) -> Flags:
    """Which limits n keeps; a stratum that is counted whole adds no variance, one without a label all there is."""
    return np.asarray(achieved_variances(weights, sizes, n) <= _allowances(weights, limits, sizes))


def _allowances(weights: Floats, limits: Floats, sizes: Floats) -> Floats:
    """The limits with what rounding errors of sums may add to a variance."""
    return np.asarray(limits * (1 + SOLVER.slack) + 1e-13 * _inverse_sum(weights, sizes), dtype=np.float64)


def achieved_variances(weights: Floats, sizes: Floats, n: Floats) -> Floats:
    """sum_h A_jh (1/n_h - 1/N_h); infinite where a weighed stratum has no label."""
    inside = n > 0
    each = np.where(inside, (1 - n / np.maximum(sizes, 1)) / np.where(inside, n, 1), 0.0)
    blind = weights[:, ~inside].any(axis=1)
    return np.asarray(np.where(blind, np.inf, weights @ each), dtype=np.float64)


def _inverse_sum(weights: Floats, sizes: Floats) -> Floats:
    return np.asarray(weights @ (1 / np.maximum(sizes, 1)), dtype=np.float64)


def _optimum(problem: _Problem) -> tuple[Floats, Floats, float]:
    """The cheapest n that was found, the prices that prove it, and the gap between them."""
    problem, census = _fix_full_strata(problem)
    rows = ~census
    prices = np.zeros(len(rows))
    # Strata that are counted whole may leave nothing to decide: the floors keep the other limits.
    if float(problem.used_shares(problem.low).max(initial=0.0)) <= 1:
        return problem.low, prices, 0.0
    best, cost, bound = problem.high, float(problem.costs @ problem.high), 0.0
    active = problem
    guess = np.sqrt(active.weights * active.costs).sum(axis=1) ** 2 / max(int(rows.sum()), 1)
    for step in range(SOLVER.max_steps):
        n = active.cheapest_at(guess)
        used = active.used_shares(n)
        value = float(active.costs @ n + guess @ (used - 1))
        if value > bound:
            bound, prices[rows] = value, guess
        point = active.feasible_multiple(n)
        if point is not None and float(active.costs @ point) < cost:
            best, cost = point, float(active.costs @ point)
        # Every dual value bounds the optimum from below, every feasible point from above: their gap is a proof.
        if cost - bound <= SOLVER.gap * cost:
            break
        guess = (
            active.multiplicative_step(guess, n)
            if step < SOLVER.first_steps
            else _newton(active, guess, n, used, value)
        )
    return best, prices, max(cost - bound, 0.0) / cost


def _fix_full_strata(problem: _Problem) -> tuple[_Problem, Flags]:
    """Limits that only the caps keep raise the floors of their strata to the caps, and are done with."""
    census = problem.used_shares(problem.high) >= 1 - 1e-12
    if not census.any():
        return problem, census
    full = problem.weights[census].any(axis=0)
    low = np.where(full, problem.high, problem.low)
    return replace(problem, low=low, weights=problem.weights[~census]), census


def _newton(problem: _Problem, prices: Floats, n: Floats, used: Floats, value: float) -> Floats:
    """A projected Newton step upwards on the dual; the multiplicative step when it does not climb."""
    # n(prices) minimises the Lagrangian, so the dual's gradient is used - 1 (Danskin). Its Hessian is
    # -W diag(1/2 sqrt(c) (prices.W)^(-3/2)) W^T over the strata strictly between their bounds: the others do not
    # answer to a small change of prices.
    slope = used - 1
    pushed = prices @ problem.weights
    free = (n > problem.low) & (n < problem.high)
    bend = np.where(free, 0.5 * np.sqrt(problem.costs) / np.maximum(pushed, 1e-200) ** 1.5, 0.0)
    curvature = (problem.weights * bend) @ problem.weights.T
    # Where a stratum meets a bound the dual has a kink, and the quadratic model is wrong beyond it: the step is
    # taken back until it climbs by a ten-thousandth of what its slope promises (Armijo's rule).
    for reach in SOLVER.trust_regions:
        tried = np.maximum(prices + _bounded_step(prices, slope, curvature, reach), 0)
        # At prices of nothing the dual has no optimum (the floors exceed a limit), and no step has a scale from there.
        if not tried.any():
            continue
        there = problem.cheapest_at(tried)
        climbed = float(problem.costs @ there + tried @ (problem.used_shares(there) - 1)) - value
        if climbed > 1e-4 * float(slope @ (tried - prices)) >= 0:
            return tried
    return problem.multiplicative_step(prices, n)


def _bounded_step(prices: Floats, slope: Floats, curvature: Floats, reach: float) -> Floats:
    """The step s of greatest slope.s - s.curvature.s/2 with prices + s >= 0, and |s| <= reach x price where it is flat.

    An active set as in Lawson and Hanson's (1974) least squares: prices that fall to 0 stay there until the slope
    pulls them up again. Each pass climbs, so that it may end at any.
    """
    # The diagonal makes a step of `reach` times its price cost a direction as much as its slope gains there: it bounds
    # steps where the curvature is nearly none, and keeps the matrix regular when limits bind together.
    far = reach * np.maximum(prices, SOLVER.faint_price * float(prices.max()))
    matrix = curvature + np.diag(1e-10 * curvature.diagonal() + np.abs(slope) / far + 1e-300)
    target = slope + matrix @ prices
    reached, free = prices.copy(), prices > 0
    for _ in range(3 * len(prices)):
        rows = np.flatnonzero(free)
        optimum = np.linalg.solve(matrix[np.ix_(rows, rows)], target[rows])
        fallen = np.flatnonzero(optimum <= 0)
        if fallen.size:
            # Go towards the optimum of the free prices until the first of them is 0, and hold it there.
            here = reached[rows[fallen]]
            part = here / np.maximum(here - optimum[fallen], 1e-300)
            reached[rows] += part.min() * (optimum - reached[rows])
            gone = rows[fallen[part <= part.min()]]
            reached[gone], free[gone] = 0, False
            continue
        reached[rows] = optimum
        pull = np.where(free, 0.0, target - matrix @ reached)
        if float(pull.max(initial=0.0)) <= SOLVER.level_slope:
            break
        free[int(pull.argmax())] = True
    return reached - prices


def integer_solution(
    solution: Solution,
    weights: Floats,
    limits: Floats,
    sizes: Floats,
    floors: Counts,
    caps: Counts,
    costs: Floats | None = None,
) -> Counts:
    """Whole numbers of labels that keep all limits, from the prices of the continuous solution.

    The whole n of least c n + q/n (the smallest with n (n + 1) >= q/c) to begin with; then one label more where it
    mends most for its cost while a limit is exceeded, and one less where it does least harm while all are kept. The
    same from prices that are a little too low, because labels well added often beat labels taken away.
    """
    costs = np.ones_like(sizes) if costs is None else costs
    weighed = weights.any(axis=0)
    low = np.where(weighed, np.minimum(np.maximum(floors, 1), caps), floors)
    caps = np.maximum(caps, low)
    if not solution.feasible:
        return caps
    prices = np.maximum(solution.multipliers, SOLVER.faint_price * solution.multipliers.max(initial=0.0))
    repair = _Repair(weights, limits, sizes, costs, prices)
    root = np.sqrt(solution.multipliers @ weights / costs)
    missing = min(SOLVER.fewer_part, SOLVER.fewer_labels / max(float(solution.n.sum()), 1.0))
    # Rounding up every stratum overshoots by up to half a label each, and taking labels away greedily ends in another
    # optimum than adding them does: both ways are tried, and the cheaper one is kept.
    found = []
    for share in (1.0, 1 - missing):
        priced = np.clip(np.ceil(np.sqrt((share * root) ** 2 + 0.25) - 0.5), low, caps)
        start = np.where(solution.n >= caps, caps, priced).astype(np.int64)
        found.append(repair.take_while_met(repair.add_until_met(start, caps), low))
    return min(found, key=lambda n: float(costs @ n))


@dataclass(frozen=True)
class _Repair:
    """Steps of one label, judged by the prices of the limits."""

    weights: Floats
    limits: Floats
    sizes: Floats
    costs: Floats
    prices: Floats

    def add_until_met(self, n: Counts, caps: Counts) -> Counts:
        """Labels are added until every limit is kept."""
        n = n.copy()
        variances = achieved_variances(self.weights, self.sizes, n.astype(np.float64))
        allowed = _allowances(self.weights, self.limits, self.sizes)
        open_ = n < caps
        # Rounding leaves limits exceeded. A label more in stratum h lowers V_j by A_jh/(n (n + 1)); what it lowers
        # beyond the limit is worth nothing, hence the cap at what is missing. Prices weigh limits against one another.
        while open_.any() and (exceeded := np.flatnonzero(variances > allowed)).size:
            missing = (variances - self.limits)[exceeded]
            each = np.minimum(self.weights[exceeded] / np.maximum(n * (n + 1.0), 1), missing[:, None])
            best = int(np.where(open_, self.prices[exceeded] @ each / self.costs, -1.0).argmax())
            n[best] += 1
            open_[best] = n[best] < caps[best]
            variances = achieved_variances(self.weights, self.sizes, n.astype(np.float64))
        return n

    def take_while_met(self, n: Counts, low: Counts) -> Counts:
        """Labels are taken away while every limit stays kept."""
        n = n.copy()
        # A label less raises V_j by A_jh/(n (n - 1)); only strata where no limit is exceeded by that may lose one.
        while True:
            spare = self.limits - achieved_variances(self.weights, self.sizes, n.astype(np.float64))
            fewer = np.flatnonzero(n > low)
            harm = self.weights[:, fewer] / (n[fewer] * (n[fewer] - 1.0))
            possible = fewer[(harm <= spare[:, None]).all(axis=0)]
            if possible.size == 0:
                return n
            price = self.prices @ self.weights[:, possible] / (n[possible] * (n[possible] - 1.0))
            n[possible[int((price / self.costs[possible]).argmin())]] -= 1
