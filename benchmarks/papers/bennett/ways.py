"""Ways of sampling, and what each took on all categories."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.papers.bennett.populations import Bins, categories
from benchmarks.papers.bennett.simulation import Ended, at_once, converge
from benchmarks.papers.bennett.yardsticks import in_conf, oracle, percent_change
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.population import Floats
from stratawatch.literature.bennett.allocation_rules import ALLOCATION_RULES
from stratawatch.literature.bennett.sampling_rounds import StoppingRule

MARGIN: Final = 0.01


@dataclass(frozen=True)
class Way:
    """How bins are cut (None: one bin, random sampling) and how labels are thrown, by the name in the paper."""

    name: str
    binning: str | None
    style: str


RANDOM: Final = Way("random", None, "pps")
WAYS: Final = (
    RANDOM,
    *(Way(f"strat {cut} {style}", cut, style) for cut in ("equal", "perc") for style in ("uni", "pps", "opt")),
)
"""In the paper's order."""
PERC_OPT: Final = WAYS[-1]


@dataclass(frozen=True)
class Found:
    """A way on every category: mean labels and their standard error, oracle, and how often the truth was within."""

    labels: Floats
    errors: Floats
    oracles: Floats
    within: Floats
    covered: Floats
    runs: int
    proportional: float

    @property
    def total(self) -> float:
        """Labels of all categories together."""
        return float(self.labels.sum())

    @property
    def error(self) -> float:
        """The standard error of the total."""
        return float(np.sqrt((self.errors**2).sum()))

    @property
    def percent_oracle(self) -> float:
        """%Oracle of the totals."""
        return percent_change(self.total, float(self.oracles.sum()))

    @property
    def percent_proportional(self) -> float:
        """The same against an oracle that knows every p_k but gives a bin its share of items."""
        return percent_change(self.total, self.proportional)

    def change(self, random: "Found") -> tuple[float, float]:
        """%Change of the totals, and its standard error."""
        ratio = self.total / random.total
        error = 0.0 if self is random else ratio * float(np.hypot(self.error / self.total, random.error / random.total))
        return percent_change(self.total, random.total), 100 * error

    @property
    def in_conf(self) -> float:
        """InConf, the mean over categories."""
        return float(self.within.mean())

    @property
    def error_of_in_conf(self) -> float:
        """Its standard error."""
        return float(np.sqrt((self.within * (1 - self.within) / self.runs).sum())) / len(self.within)


def measure(
    way: Way, seed: int, runs: int, margin: float = MARGIN, per_bin: int = 2, *, replacement: bool = True
) -> Found:
    """One way of sampling on all categories."""
    rule = StoppingRule(margin, style=way.style, per_bin=per_bin, replacement=replacement)
    bins = [one.bins(way.binning) for one in categories()]
    drawn = (seed, WAYS.index(way), per_bin, round(1000 * margin), int(replacement))
    return _found(converge(rule, bins, runs, np.random.default_rng(drawn)), bins, margin, replacement=replacement)


def measure_once(way: Way, seed: int, runs: int, margin: float = MARGIN) -> Found:
    """As many labels as the oracle says, and where it says, drawn at once."""
    bins, rng = [one.bins(way.binning) for one in categories()], np.random.default_rng([seed, WAYS.index(way)])
    chances = [ALLOCATION_RULES["opt"](one.sizes, one.rates) for one in bins]
    totals = [np.rint(oracle(b.sizes, b.rates, margin) * c / c.sum()) for b, c in zip(bins, chances, strict=True)]
    ended = [at_once(n.astype(np.int64), one, runs, rng) for n, one in zip(totals, bins, strict=True)]
    return _found(ended, bins, margin, replacement=True)


def _found(ended: Sequence[Ended], bins: Sequence[Bins], margin: float, *, replacement: bool) -> Found:
    runs = len(ended[0].labels)
    pairs = list(zip(ended, bins, strict=True))
    return Found(
        labels=_array(e.labels.mean() for e in ended),
        errors=_array(e.labels.std(ddof=1) / np.sqrt(runs) for e in ended),
        oracles=_array(oracle(b.sizes, b.rates, margin, replacement=replacement) for b in bins),
        within=_array(in_conf(e.values, b.precision, margin) for e, b in pairs),
        covered=_array(e.covered(b.precision) for e, b in pairs),
        runs=runs,
        proportional=sum(proportional_oracle(b, margin) for b in bins),
    )


def proportional_oracle(bins: Bins, margin: float) -> float:
    """Labels that the interval takes with proportional allocation, with replacement: sum W_k sigma_k^2 (z/margin)^2."""
    within = float(bins.sizes @ (bins.rates * (1 - bins.rates)) / bins.sizes.sum())
    return within * (normal_quantile(0.95) / margin) ** 2


def _array(numbers: Iterable[float]) -> Floats:
    return np.array(list(numbers), dtype=np.float64)
