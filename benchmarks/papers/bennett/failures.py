"""What the paper does not show: looser margins, fewer looks, small populations, and precision near 1."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from benchmarks.papers.bennett.populations import SEED, category
from benchmarks.papers.bennett.simulation import Ended, converge
from benchmarks.papers.bennett.ways import PERC_OPT, RANDOM, WAYS, Found, Way, measure, measure_once
from benchmarks.shape import Result, Row
from stratawatch.core.methods.bennett.rounds import Rule
from stratawatch.core.methods.bennett.yardsticks import in_conf

PRECISIONS: Final = (0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
MARGINS: Final = (0.01, 0.03)
ALONE: Final = (RANDOM, PERC_OPT)
_LOOKS: Final = (2, 8, 32, 128)
_LOOSER: Final = (0.02, 0.05)
_SIZE: Final = 20_000


def failures(seed: int, runs: int) -> Result:
    """Four tables."""
    return Result([*_looser(seed, runs), *_fewer_looks(seed, runs), *_small(seed, runs), *_near_one(seed, runs)])


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


def alone(way: Way, precisions: Sequence[float], margin: float, seed: int, runs: int) -> list[tuple[float, Ended]]:
    """One category of about every precision: its true one, and where runs ended."""
    bins = [category(p, _SIZE, np.random.default_rng([SEED, round(1000 * p)])).bins(way.binning) for p in precisions]
    rng = np.random.default_rng([seed, round(1000 * margin), WAYS.index(way), len(precisions)])
    ended = converge(Rule(margin, style=way.style, replacement=True), bins, runs, rng)
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
