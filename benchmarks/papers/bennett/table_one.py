"""Table 1: ours beside the published figures, row by row."""

import csv
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.papers.bennett.populations import categories
from benchmarks.papers.bennett.ways import PERC_OPT, RANDOM, WAYS, Found, Way, measure
from benchmarks.papers.bennett.yardsticks import savings
from benchmarks.shape import Kind, Result, Row, Verdict

PUBLISHED: Final = Path(__file__).parents[2] / "reference" / "bennett_table1.csv"
ASCENDING: Final = (
    "strat perc opt",
    "strat equal opt",
    "strat perc pps",
    "strat equal pps",
    "random",
    "strat equal uni",
)
"""From the fewest labels to the most, as printed; `perc uni` is the same design as `perc pps`."""
_APART: Final = {"InConf": 0.02, "%Change": 3.0, "%Oracle": 3.0}
"""What is more than so far from the printed figure does not reproduce."""

_ENOUGH: Final = 500
"""Runs from which chance alone does not take InConf .02 away."""

Printed = Mapping[str, float]


def table_one(seed: int, runs: int) -> Result:
    """Every way on the same fifteen categories."""
    found = {way.name: measure(way, seed, runs) for way in WAYS}
    printed = published()
    rows = [_row(way, found[way.name], found["random"], printed[way.name]) for way in WAYS]
    return Result([*rows, *_oracles(found, printed)], _verdicts(found, printed))


def published() -> dict[str, Printed]:
    """The printed table by row."""
    with PUBLISHED.open(encoding="utf-8", newline="") as lines:
        return {
            line.pop("method"): {name: float(figure) for name, figure in line.items()} for line in csv.DictReader(lines)
        }


def _row(way: Way, found: Found, random: Found, printed: Printed) -> Row:
    change, error = found.change(random)
    ours = {"InConf": found.in_conf, "%Change": change, "%Oracle": found.percent_oracle}
    paper = dict(
        zip(ours, (printed["in_conf"], printed["pct_change_vs_random"], printed["pct_vs_oracle"]), strict=True)
    )
    apart = [name for name in ours if abs(ours[name] - paper[name]) > _APART[name]]
    return {
        "Table 1": way.name,
        "InConf": f"{ours['InConf']:.3f} ± {found.error_of_in_conf:.3f}",
        "paper": f"{paper['InConf']:.2f}",
        "%Change": f"{change:.1f} ± {error:.2f}",
        "paper ": f"{paper['%Change']:.1f}",
        "%Oracle": f"{found.percent_oracle:.1f}",
        "paper  ": f"{paper['%Oracle']:.1f}",
        "Savings": f"{savings(found.total, random.total):.0f} ± {np.hypot(found.error, random.error):.0f}",
        "paper   ": f"{printed['savings_labels']:.0f}",
        "apart": ", ".join(apart) or "-",
    }


def _oracles(found: Mapping[str, Found], printed: Mapping[str, Printed]) -> list[Row]:
    """Which oracle was printed: one that shares labels out as is best, or in proportion to items?"""
    return [
        {
            "whose oracle?": name,
            "%Oracle, best allocation": one.percent_oracle,
            "%Oracle, proportional": one.percent_proportional,
            "paper": printed[name]["pct_vs_oracle"],
        }
        for name, one in found.items()
    ]


def _verdicts(found: Mapping[str, Found], printed: Mapping[str, Printed]) -> list[Verdict]:
    totals = [found[name].total for name in ASCENDING]
    uni, pps = found["strat perc uni"], found["strat perc pps"]
    misses = {name: abs(one.in_conf - printed[name]["in_conf"]) for name, one in found.items()}
    surely = sum(miss - 3 * found[name].error_of_in_conf > 0.02 for name, miss in misses.items())
    kind: Kind = "must" if uni.runs >= _ENOUGH else "aim"
    best, random = found[PERC_OPT.name], found[RANDOM.name]
    return [
        Verdict(
            "Bennett Table 1: pairs of rows out of order", "must", sum(a > b for a, b in pairwise(totals)), 0, "<="
        ),
        Verdict(
            "Bennett Table 1: perc uni from perc pps, standard errors",
            "must",
            abs(uni.total - pps.total) / float(np.hypot(uni.error, pps.error)),
            4,
            "<=",
        ),
        Verdict("Bennett Table 1: rows whose InConf is surely .02 from the paper", "must", surely, 0, "<="),
        Verdict("Bennett Table 1: InConf, farthest from the paper", kind, max(misses.values()), 0.02, "<="),
        Verdict("Bennett Table 1: perc opt from its oracle, %", "must", abs(best.percent_oracle), 5, "<="),
        Verdict(
            "Bennett Figure 2: correlation of precision and %Change of perc opt",
            "aim",
            _with_precision(best, random),
            -0.88,
            "<=",
        ),
    ]


def _with_precision(found: Found, random: Found) -> float:
    precisions = [category.bins(None).precision for category in categories()]
    return float(np.corrcoef(precisions, found.labels / random.labels)[0, 1])
