"""What the paper does not show: looser margins, fewer looks, small populations, and precision near 1."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from benchmarks.papers.bennett.populations import SEED, Bins, category
from benchmarks.papers.bennett.simulation import Ended, converge
from benchmarks.papers.bennett.ways import PERC_OPT, RANDOM, WAYS, Found, Way, measure, measure_once
from benchmarks.papers.bennett.yardsticks import in_conf
from benchmarks.shape import Result, Row
from stratawatch.core.population import Floats
from stratawatch.literature.bennett.sampling_rounds import StoppingRule

PRECISIONS: Final = (0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
MARGINS: Final = (0.01, 0.03)
ALONE: Final = (RANDOM, PERC_OPT)
DESIGN_PRECISIONS: Final = (0.7, 0.8, 0.9, 0.95, 0.98)
DESIGN_RULES: Final = (
    StoppingRule(0.01),
    StoppingRule(0.03),
    StoppingRule(0.05),
    StoppingRule(None, budget=200),
    StoppingRule(None, budget=400),
    StoppingRule(None, budget=400, per_bin=10),
)
_LOOKS: Final = (2, 8, 32, 128)
_LOOSER: Final = (0.02, 0.05)
_SIZE: Final = 20_000
_STEPS: Final = np.linspace(-1, 1, 4) * np.log(16) / 2


def failures(seed: int, runs: int) -> Result:
    """Five tables."""
    tables = (_looser, _fewer_looks, _small, _near_one, as_a_design)
    return Result([row for table in tables for row in table(seed, runs)])


def _looser(seed: int, runs: int) -> list[Row]:
    """Figure 2(b): what a looser bound leaves of the gain."""
    rows: list[Row] = []
    for margin in _LOOSER:
        random, best = (measure(way, seed, runs, margin) for way in (RANDOM, PERC_OPT))
        change, error = best.change(random)
        rows.append({"perc opt, margin": margin, "%Change": f"{change:.1f} ± {error:.2f}", **_hits(best)})
    return rows


def _fewer_looks(seed: int, runs: int) -> list[Row]:
    """Larger rounds are fewer looks; the last row looks once, at the oracle's labels."""
    rows: list[Row] = []
    for per_bin in _LOOKS:
        found = measure(PERC_OPT, seed, runs, per_bin=per_bin)
        rounds = float((found.labels / (4 * per_bin)).mean())
        rows.append({"perc opt, labels a round": 4 * per_bin, "rounds": rounds, **_labels(found), **_hits(found)})
    found = measure_once(PERC_OPT, seed, runs)
    rows.append({"perc opt, labels a round": "oracle's", "rounds": 1.0, **_labels(found), **_hits(found)})
    return rows


def _small(seed: int, runs: int) -> list[Row]:
    """Without replacement, as people are asked in practice."""
    found = {way.name: measure(way, seed, runs, replacement=False) for way in WAYS if way.style != "uni"}
    random = found["random"]
    return [
        {"without replacement": name, "%Change": one.change(random)[0], **_labels(one), **_hits(one)}
        for name, one in found.items()
    ]


def _near_one(seed: int, runs: int) -> list[Row]:
    """The more precise the classifier, the likelier a run of nothing but yes."""
    return [
        {
            "precision": precision,
            "margin": margin,
            "way": way.name,
            "labels": float(ended.labels.mean()),
            "InConf": in_conf(ended.values, truth, margin),
            "interval holds": ended.covered(truth),
            "mean error": float(ended.values.mean() - truth),
        }
        for margin in MARGINS
        for way in ALONE
        for precision, (truth, ended) in zip(PRECISIONS, alone(way, PRECISIONS, margin, seed, runs), strict=True)
    ]


def as_a_design(seed: int, runs: int) -> list[Row]:
    """`perc opt` as studies and panels have it: without replacement, to a margin or to a budget of a few hundred."""
    rows: list[Row] = []
    for number, rule in enumerate(DESIGN_RULES):
        for scores, bins in (("like theirs", _like_theirs()), ("steep", steep())):
            ended = converge(rule, bins, runs, np.random.default_rng([seed, 97, number, len(scores)]))
            rows += [
                {
                    "as a design, until": f"{rule.budget} labels" if rule.margin is None else f"margin {rule.margin}",
                    "labels a round": 4 * rule.per_bin,
                    "scores": scores,
                    "precision": one.precision,
                    "labels": float(found.labels.mean()),
                    "interval holds": found.covered(one.precision),
                    "mean error": float(found.values.mean() - one.precision),
                }
                for one, found in zip(bins, ended, strict=True)
            ]
    return rows


def _like_theirs() -> list[Bins]:
    return [category(p, _SIZE, np.random.default_rng([SEED, round(1000 * p)])).bins("perc") for p in DESIGN_PRECISIONS]


def steep() -> list[Bins]:
    """Scores that tell much: odds of yes rise sixteenfold from the lowest bin to the highest."""
    sizes = np.full(4, _SIZE // 4)
    rates = [_at_precision(precision) for precision in DESIGN_PRECISIONS]
    # Whole numbers of positives, as labels come without replacement.
    return [Bins(sizes, np.round(sizes * of) / sizes) for of in rates]


def _at_precision(precision: float) -> Floats:
    low, high = -10.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        rates = 1 / (1 + np.exp(-middle - _STEPS))
        low, high = (middle, high) if rates.mean() < precision else (low, middle)
    return np.asarray(rates, dtype=np.float64)


def alone(way: Way, precisions: Sequence[float], margin: float, seed: int, runs: int) -> list[tuple[float, Ended]]:
    """One category of about every precision: its true one, and where runs ended."""
    bins = [category(p, _SIZE, np.random.default_rng([SEED, round(1000 * p)])).bins(way.binning) for p in precisions]
    rng = np.random.default_rng([seed, round(1000 * margin), WAYS.index(way), len(precisions)])
    ended = converge(StoppingRule(margin, style=way.style, replacement=True), bins, runs, rng)
    return [(one.precision, found) for one, found in zip(bins, ended, strict=True)]


def _labels(found: Found) -> Row:
    return {"labels": found.total, "%Oracle": found.percent_oracle}


def _hits(found: Found) -> Row:
    return {
        "InConf": f"{found.in_conf:.3f} ± {found.error_of_in_conf:.3f}",
        "lowest": float(found.within.min()),
        "interval holds": float(found.covered.mean()),
        "lowest ": float(found.covered.min()),
    }
