"""How often the intervals of precision cover, by option: what the paper's figures do not show.

The paper's interval is p +- z sqrt(p (1 - p)/n_C), which takes the draws of S_C for independent. After UniformSample
they are so only given S: its mean has the variance of S and that of drawing again from S. Ours counts how often each
draw stands in S_C, and that S+ and S- are two strata (see `precisions`). A chain is the recursion that the paper names
as UniformSample's use: the child becomes a parent in its turn.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from benchmarks.papers.tripathi.labelling import answers, runs
from benchmarks.shape import Options, Result, Verdict
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.population import Counts, Floats
from stratawatch.literature.tripathi.mixing import UNIFORM_SAMPLE, UNIFORM_SHUFFLE
from stratawatch.literature.tripathi.panel_draw import draw_panel
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns, Overlap
from stratawatch.literature.tripathi.precisions import estimate_precisions
from stratawatch.literature.tripathi.recycling import recycle_samples_for_precision
from stratawatch.literature.tripathi.share_estimate import ShareEstimate, smoothed_share

FULL, QUICK = 4000, 300
ITEMS: Final = 400_000
"""Items in both, so that hardly any draw repeats by chance."""
CONFIDENCE: Final = 0.95
OPTIONS: Final = (UNIFORM_SHUFFLE, UNIFORM_SAMPLE)


@dataclass(frozen=True)
class Case:
    """A child and its parent: PIR, CIR, precision in both and outside, n_P and n_C; `chain` children of children."""

    name: str
    pir: float
    cir: float
    both: float
    outside: float
    parent: int = 1068
    child: int = 1068
    chain: int = 1

    @property
    def precision(self) -> float:
        """p_C."""
        return self.cir * self.both + (1 - self.cir) * self.outside


CASES: Final = (
    Case("no overlap", 0.0, 0.0, 0.8, 0.8),
    Case("a quarter", 0.25, 0.25, 0.8, 0.8),
    Case("most, alike outside", 0.85, 0.85, 0.8, 0.8),
    Case("most, worse outside", 0.85, 0.85, 0.9, 0.3),
    Case("half, worse outside", 0.5, 0.5, 0.95, 0.45),
    Case("the same items", 1.0, 1.0, 0.8, 0.8),
    Case("the same items, few errors", 1.0, 1.0, 0.97, 0.97),
    Case("a parent twice as long", 1.0, 1.0, 0.8, 0.8, parent=2136),
    Case("a chain of two", 1.0, 1.0, 0.8, 0.8, chain=2),
    Case("a chain of three", 1.0, 1.0, 0.8, 0.8, chain=3),
)


@dataclass(frozen=True)
class Found:
    """Estimates of one case and option, and the effective draws of each."""

    case: Case
    values: Floats
    effective: Floats

    @property
    def nominal(self) -> float:
        """Coverage of the paper's interval."""
        half = normal_quantile(CONFIDENCE) * np.sqrt(self.values * (1 - self.values) / self.case.child)
        return float((np.abs(self.values - self.case.precision) <= half).mean())

    @property
    def ours(self) -> float:
        """Coverage of Wilson's interval with the effective draws."""
        known = [
            _rate(v, n).interval(CONFIDENCE) for v, n in zip(self.values.tolist(), self.effective.tolist(), strict=True)
        ]
        return float(np.mean([one.low <= self.case.precision <= one.high for one in known]))

    @property
    def spread(self) -> float:
        """Standard deviation in units of that of a plain sample."""
        p = self.case.precision
        return float(self.values.std() / (p * (1 - p) / self.case.child) ** 0.5)


def run(options: Options) -> Result:
    """Every case with both options."""
    trials = runs(options, FULL, QUICK)
    found = simulate(options.seed, trials)
    rows = [
        {
            "coverage of 95%": case.name,
            "option": option,
            "the paper's interval": one.nominal,
            "ours": one.ours,
            "+-": (0.05 * 0.95 / trials) ** 0.5,
            "sd / plain sample's": one.spread,
            "sd +-": one.spread / (2 * trials) ** 0.5,
        }
        for (case, option), one in found.items()
    ]
    error = 4 * (0.05 * 0.95 / trials) ** 0.5
    direct = [one for (case, option), one in found.items() if option == UNIFORM_SAMPLE and case.chain == 1]
    shuffled = min(one.nominal for (_, option), one in found.items() if option == UNIFORM_SHUFFLE)
    return Result(
        rows,
        [
            Verdict("UniformShuffle: lowest coverage of the paper's interval", "must", shuffled, 0.95 - error, ">="),
            Verdict("UniformSample: lowest coverage", "must", min(one.nominal for one in direct), 0.88, "<="),
            Verdict(
                "either, repeats and parts counted", "must", min(one.ours for one in found.values()), 0.95 - error, ">="
            ),
        ],
    )


@cache
def simulate(seed: int, trials: int) -> Mapping[tuple[Case, str], Found]:
    """Estimates of every case and option."""
    rng = np.random.default_rng([seed, 4])
    estimate = {True: _chained, False: _direct}
    found = {}
    for case in CASES:
        for option in OPTIONS:
            pairs = [estimate[case.chain > 1](case, option, rng) for _ in range(trials)]
            values, effective = np.array(pairs).T
            found[case, option] = Found(case, values, effective)
    return found


def _direct(case: Case, option: str, rng: np.random.Generator) -> tuple[float, float]:
    """One parent, one child."""
    both = ITEMS if case.cir else 0
    alone = [round(ITEMS / ratio) - ITEMS if ratio else ITEMS for ratio in (case.cir, case.pir)]
    patterns = CallPatterns.of(["01", "10", "11"], np.array([*alone, both]), 2)
    yes = np.round(np.array([case.outside, 0.5, case.both]) * patterns.sizes).astype(np.int64)
    draw = draw_panel(patterns, np.array([case.parent, case.child]), 0, rng, option)
    rate = estimate_precisions(draw, answers(draw, yes, rng)).shares[1]
    assert isinstance(rate, ShareEstimate)  # noqa: S101 - every draw has an answer
    return rate.value, rate.n_eff


def _chained(case: Case, option: str, rng: np.random.Generator) -> tuple[float, float]:
    """Child after child of the same items: each sequence is made of the one before."""
    labels = rng.random(case.parent) < case.both
    sequence: Counts = np.arange(case.parent)
    same = Overlap(ITEMS, ITEMS, ITEMS)
    for _ in range(case.chain):
        inside = np.ones(len(sequence), dtype=np.bool_)
        sequence = recycle_samples_for_precision(sequence, inside, same, case.child, _none, rng, option).sequence
    times = np.bincount(sequence, minlength=case.parent)
    return float(labels[sequence].mean()), case.child**2 / float(times @ times)


def _none(_outside: bool, count: int) -> Counts:
    return np.zeros(count, dtype=np.int64)


def _rate(value: float, n_eff: float) -> ShareEstimate:
    share = smoothed_share(value, n_eff)
    return ShareEstimate(value, share * (1 - share) / n_eff, n_eff)
