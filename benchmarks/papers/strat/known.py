"""What the paper states and anyone can check: numbers of replicates, its printed array, the leprosy errors."""

import csv
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.papers.strat.brr import Statistic, brr
from benchmarks.papers.strat.cluster_shares import ClusterShare, cluster_share, kish_error
from benchmarks.papers.strat.orthogonal_arrays import orthogonal_array, prime_units, replicates_needed
from benchmarks.papers.strat.replicates import make_replicates
from benchmarks.shape import Row, Verdict
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.population import Counts, Floats

LEPROSY: Final = Path(__file__).parents[2] / "reference" / "leprosy.csv"
PUBLISHED: Final = {(483, 2): 512, (7, 2): 8, (256, 3): 729}
CORRECTED: Final = {(200, 3): (729, "its bound n^b - 1 would allow 243, which have 121 columns")}
PRINTED: Final = ("++-+---", "+-+---+", "-+---++", "+---++-", "--+++-+", "-++----", "-+++---", "+++++++")
"""Equation 12, row by row."""


def replicate_counts() -> tuple[list[Row], list[Verdict]]:
    """k for L strata of n units, and whether the array that is built is what it must be."""
    rows: list[Row] = []
    wrong = 0
    cases = {case: (k, "") for case, k in PUBLISHED.items()} | CORRECTED
    for (strata, units), (published, note) in cases.items():
        ours, flaws = replicates_needed(strata, units), unbalanced(orthogonal_array(strata, units), units)
        wrong += (ours != published) + flaws
        rows.append(
            {"strata": strata, "units": units, "published": published, "ours": ours, "flaws": flaws, "note": note}
        )
    printed = np.array([[int(sign == "-") for sign in row] for row in PRINTED])
    flaws = unbalanced(printed, 2)
    rows.append({"strata": 7, "units": 2, "published": 8, "ours": 8, "flaws": flaws, "note": "equation 12 as printed"})
    return rows, [Verdict("strat: replicates and arrays that are wrong", "must", wrong, 0, "<=")]


def unbalanced(array: Counts, n: int) -> int:
    """Pairs of columns that are not orthogonal, and columns that are not balanced."""
    k, columns = array.shape
    flags = (array[:, :, None] == np.arange(n)).astype(np.float64)
    lonely = sum(bool((flags[:, h].sum(axis=0) != k / n).any()) for h in range(columns))
    products = np.einsum("khi,kgj->hgij", flags, flags, optimize=True)
    pairs = sum(bool((products[h, g] != k / n**2).any()) for h, g in combinations(range(columns), 2))
    return lonely + pairs


def linear(seed: int) -> tuple[list[Row], list[Verdict]]:
    """BRR of totals against the textbook variance, n = 2, 3, 5, 7: the largest relative difference of 100 each."""
    rng = np.random.default_rng([seed, 1])
    worst = {n: max(_difference(n, rng) for _ in range(100)) for n in (2, 3, 5, 7)}
    rows: list[Row] = [{"linear statistic, units": n, "largest relative difference": w} for n, w in worst.items()]
    return rows, [Verdict("strat: BRR against textbook, relative", "must", max(worst.values()), 1e-12, "<=")]


def _difference(n: int, rng: np.random.Generator) -> float:
    strata = int(rng.integers(2, 60))
    sizes = rng.integers(n, 10_000, strata).astype(np.float64)
    values = rng.normal(size=(strata, n)) * rng.exponential(size=(strata, 1))
    known = StratifiedUnits(np.repeat(np.arange(strata), n), sizes)
    made = make_replicates(known, prime_units(n), rng)
    if isinstance(made, Undefined):
        return 0.0
    total = Statistic(lambda totals: totals[..., 0], lambda totals: np.ones(totals.shape[:-1]))
    found = brr(made, values.reshape(-1, 1), total)
    textbook = float((sizes**2 * (1 - n / sizes) * values.var(axis=1, ddof=1) / n).sum())
    return np.inf if isinstance(found, Undefined) else abs(found.variance / textbook - 1)


def leprosy() -> tuple[list[Row], list[Verdict]]:
    """Cochran's example: 61 patients, six sites each."""
    with LEPROSY.open(encoding="utf-8") as lines:
        told = {row["quantity"]: float(row["value"]) for row in csv.DictReader(lines)}
    counts = _counts(int(told["patients"]), int(told["negative_sites"]), int(told["sum_of_squared_negatives"]))
    found = cluster_share(counts, np.full(len(counts), told["sites_per_patient"]))
    if isinstance(found, Undefined):
        raise TypeError(found.reason)
    binomial, cluster = 100 * found.binomial_error, 100 * found.standard_error
    rows = list(_leprosy_rows(found, told))
    verdicts = [
        Verdict(
            "strat: leprosy, binomial s.e. off (points)",
            "must",
            abs(binomial - told["binomial_se_points"]),
            0.005,
            "<=",
        ),
        Verdict(
            "strat: leprosy, cluster s.e. off (points)", "must", abs(cluster - told["cluster_se_points"]), 0.005, "<="
        ),
        Verdict("strat: Kish's miss rate off", "must", abs(kish_error(0.2) - 0.074), 0.0005, "<="),
    ]
    return rows, verdicts


def _leprosy_rows(found: ClusterShare, told: dict[str, float]) -> Iterator[Row]:
    rho = found.correlation
    figures = {
        "share negative, %": (41.8, 100 * found.share),
        "binomial s.e., points": (told["binomial_se_points"], 100 * found.binomial_error),
        "cluster s.e., points": (told["cluster_se_points"], 100 * found.standard_error),
        "cluster / binomial": (1.8, found.standard_error / found.binomial_error),
        "design effect": ("", found.design_effect),
        "rho": ("", rho if isinstance(rho, float) else str(rho)),
        "Kish: misses of a 95% interval at rho (m - 1) = .2": (0.074, kish_error(0.2)),
    }
    for name, (published, ours) in figures.items():
        yield {"Cochran's leprosy": name, "published": published, "ours": ours}


def _counts(clusters: int, total: int, squares: int) -> Floats:
    """Counts 0 to 6 with this sum and this sum of squares: only these enter, any such counts serve.

    Sites are moved from a poor to a rich patient, by the step that leads nearest to what is wanted.
    """
    found = [total // clusters + (place < total % clusters) for place in range(clusters)]
    while (missing := squares - sum(y * y for y in found)) > 0:
        pairs = [(a, b) for a in range(1, 7) for b in range(6) if a in found and b in found and b >= a - 1]
        a, b = min(pairs, key=lambda pair: (abs(missing - 2 * (pair[1] - pair[0] + 1)), pair))
        found.remove(a)
        found.remove(b)
        found += [a - 1, b + 1]
    return np.array(found, dtype=np.float64)
