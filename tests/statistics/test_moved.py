"""Monte Carlo: the parts of a change, and cut-offs, hold the truth as often as they promise; the long form is
`benchmarks.moved`, on the demo's world.
"""

import numpy as np
import pytest
from scipy.stats import binom

from stratawatch.core.alarms.cut_offs import LimitLine, choose_cut_off
from stratawatch.core.alarms.moved import LabelledWindow, what_moved
from stratawatch.core.alarms.rate_and_mix import DomainWeights, decompose
from stratawatch.core.alarms.score_groups import score_groups
from stratawatch.core.alarms.scored_labels import ScoredWindow
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Atom, Candidates, Segment
from stratawatch.core.score_bins import OWN_BIN_COUNT, own_bin_foot, own_bins_of
from stratawatch.core.verdicts import VerdictsByItem

REPEATS = 100
CUT_OFF = 0.5
NORTH, SOUTH = Segment("region", "north"), Segment("region", "south")
# Strata by score, and the labels and candidates of each.
ENDS = np.array([0.0, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
LABELS, POOL = 30, 90


class World:
    """20,000 items of one classifier; `loss` of its right calls in the north are wrong."""

    def __init__(self, seed: int, loss: float = 0.0, items: int = 20_000) -> None:
        rng = np.random.default_rng(seed)
        self.scores = rng.beta(0.5, 1.2, items)
        self.north = rng.random(items) < 0.4
        self.truth = rng.random(items) < np.clip(self.scores * 1.1 - 0.03, 0, 0.97)
        self.truth &= ~(self.north & (self.scores >= CUT_OFF) & (rng.random(items) < loss))
        self.strata = np.searchsorted(ENDS, self.scores, side="right") - 1
        self.atoms = tuple(
            Atom(
                "1" if low >= CUT_OFF else "0",
                0,
                1023,
                int((self.strata == h).sum()),
                float(self.scores[self.strata == h].mean()),
                {NORTH: self._inside(h, north=True), SOUTH: self._inside(h, north=False)},
                h,
            )
            for h, low in enumerate(ENDS[:-1])
        )

    def _inside(self, stratum: int, *, north: bool) -> int:
        return int(((self.strata == stratum) & (self.north == north)).sum())

    def draw(self, rng) -> LabelledWindow:
        """A pool of every stratum, and labels of a third of it."""
        pools = [rng.choice(np.flatnonzero(self.strata == h), POOL, replace=False) for h in range(len(self.atoms))]
        rows = np.concatenate(pools)
        names = tuple(f"i{row}" for row in rows.tolist())
        drawn = [name for place, name in enumerate(names) if place % POOL < LABELS]
        candidates = Candidates(
            names,
            np.repeat(np.arange(len(pools)), POOL),
            tuple(format(place, "032x") for place in rng.permutation(len(rows)).tolist()),
            {"region": tuple("north" if self.north[row] else "south" for row in rows.tolist())},
        )
        verdicts = {name: "yes" if self.truth[int(name[1:])] else "no" for name in drawn}
        return LabelledWindow(FrozenDesign(("a",), self.atoms, candidates), VerdictsByItem(verdicts), drawn)

    def domains(self):
        """Items and positives of north and south, called and not; and of no region."""
        domain = 2 * ~self.north + (self.scores < CUT_OFF)
        return np.bincount(domain, minlength=6).astype(float), np.bincount(domain, self.truth, 6)


def true_parts(before: World, after: World, metric: str):
    """Rate and mix of north and south."""
    counts = [world.domains() for world in (before, after)]
    shares = tuple(sizes / sizes.sum() for sizes, _ in counts)
    rates = tuple(positives / np.maximum(sizes, 1) for sizes, positives in counts)
    parts = decompose(DomainWeights.of(metric_named(metric), 3), shares, rates)
    return {
        (kind, segment): float(part[2 * place : 2 * place + 2].sum())
        for kind, part in zip(("rate", "mix"), parts, strict=True)
        for place, segment in enumerate((NORTH, SOUTH))
    }


@pytest.mark.parametrize(("metric", "loss"), [("precision", 0.2), ("recall", 0.0)])
def test_intervals_of_parts_hold_the_truth(metric, loss):
    before, after = World(1), World(2, loss)
    truth, rng = true_parts(before, after, metric), np.random.default_rng([3, round(10 * loss)])
    held, named = dict.fromkeys(truth, 0), 0
    for _ in range(REPEATS):
        found = what_moved([before.draw(rng)], [after.draw(rng)], "a", metric, (NORTH, SOUTH))
        named += SOUTH in found.named_segments
        for part in found.parts:
            key = part.kind, part.domain.segment
            if key in held:
                held[key] += part.change.low - 1e-9 <= truth[key] <= part.change.high + 1e-9
    assert min(held.values()) >= binom.ppf(0.001, REPEATS, 0.93), held
    assert named <= binom.ppf(0.99, REPEATS, 0.1)


def test_cut_offs_hold_the_truth_and_so_does_the_chosen_one():
    world, rng = World(2, 0.2), np.random.default_rng(5)
    bins = own_bins_of(world.scores)
    precision, calls, chosen = [], [], []
    for _ in range(REPEATS):
        window = world.draw(rng)
        of_items = {item: int(bins[int(item[1:])]) for item in window.design.candidates.items}
        found = choose_cut_off([ScoredWindow(window, of_items)], "a", LimitLine("precision", 0.78), in_use=CUT_OFF)
        for one in (found.in_use, *found.others):
            called = world.scores >= (CUT_OFF if one.score is None else one.score)
            truth = world.truth[called].mean()
            precision.append(one.precision.low <= truth <= one.precision.high)
            calls.append(one.calls.low <= called.sum() <= one.calls.high)
            if one == found.suggested:
                chosen.append(precision[-1])
    # Cut-offs of one draw share their labels: the error bar is that of the draws.
    assert np.mean(precision) >= binom.ppf(0.01, REPEATS, 0.92) / REPEATS
    assert np.mean(calls) >= binom.ppf(0.01, REPEATS, 0.92) / REPEATS
    assert len(chosen) > REPEATS / 2
    assert np.mean(chosen) >= binom.ppf(0.01, len(chosen), 0.90) / len(chosen)


def test_shares_of_positives_by_score_hold_the_truth():
    before, after = World(1), World(2, 0.3)
    rng, feet = np.random.default_rng(8), np.array([own_bin_foot(bin_) for bin_ in range(OWN_BIN_COUNT)])

    def scored(world):
        window, bins = world.draw(rng), own_bins_of(world.scores)
        return ScoredWindow(window, {item: int(bins[int(item[1:])]) for item in window.design.candidates.items})

    held, shares = [], []
    for _ in range(REPEATS):
        groups = score_groups([scored(before)], [scored(after)], "a")
        assert groups[0].low == 0
        assert groups[-1].high == 1
        assert sum(group.now.share for group in groups) == pytest.approx(1)
        for group in groups:
            for world, reading in ((before, group.before), (after, group.now)):
                scores = feet[own_bins_of(world.scores)]
                inside = (scores >= group.low) & ((scores < group.high) | (group.high == 1))
                held.append(reading.positives.low <= world.truth[inside].mean() <= reading.positives.high)
                shares.append(reading.share - inside.mean())
    assert np.mean(held) >= binom.ppf(0.01, REPEATS, 0.93) / REPEATS
    assert abs(np.mean(shares)) < 0.005
