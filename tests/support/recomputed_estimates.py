"""Estimates made anew from answers, by their formulas: the default design's values, and all of a plain random sample.

The difference estimator (Särndal, Swensson and Wretman 1992, ch. 6) of the positives among the calls of one kind is
sum_a N_a m_a + sum_h N_h/n_h sum_{i in s_h} (y_i - m_a), here with m_a the rate that earlier labels predict of an atom.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import product
from math import sqrt
from statistics import NormalDist
from types import MappingProxyType
from typing import Any

from tests.support.stored_tables import SIDES_OF, YES_OR_NO, StoredTables


class DifferenceValues:
    """The values of one window whose atoms have predicted rates, and all of whose strata have answers."""

    def __init__(self, tables: StoredTables, cycle: int, assumed: Mapping[str, str] = MappingProxyType({})) -> None:
        """`assumed` are words that stand in for missing answers, by item."""
        self._tables, self._cycle = tables, cycle
        self._atoms = {row["position"]: row for row in tables.rows("SELECT * FROM atoms WHERE cycle_id = ?", cycle)}
        said = [one | {"said": assumed.get(one["item"], one["said"])} for one in tables.draws(cycle)]
        self.answers = [one for one in said if one["said"] in YES_OR_NO]
        items = Counter[int]()
        for atom in self._atoms.values():
            items[atom["stratum"]] += atom["size"]
        answered = Counter(one["stratum"] for one in self.answers)
        self._stands_for = {stratum: items[stratum] / answered[stratum] for stratum in items}

    def value(self, classifier: str, metric: str, segment: str | None = None) -> float:
        hits, flags = self.positives(classifier, "1", segment)
        misses, passed = self.positives(classifier, "0", segment)
        return {
            "precision": hits / flags,
            "false_omission_rate": misses / passed,
            "recall": hits / (hits + misses),
        }[metric]

    def positives(self, classifier: str, letter: str, segment: str | None) -> tuple[float, int]:
        """The estimated positives among the calls of one kind, which answers bound, and how many calls these are."""
        place, calls = (
            self._tables.names.index(classifier),
            self._tables.calls(self._cycle, classifier, letter, segment),
        )
        predicted = sum(
            self._size(number, segment) * atom["foretold"]
            for number, atom in self._atoms.items()
            if atom["pattern"][place] == letter
        )
        inside = [
            one
            for one in self.answers
            if one["pattern"][place] == letter and (segment is None or segment in one["segments"])
        ]
        yes = sum(one["said"] == "yes" for one in inside)
        errors = sum(
            self._stands_for[one["stratum"]] * ((one["said"] == "yes") - self._atoms[one["atom"]]["foretold"])
            for one in inside
        )
        return min(max(predicted + errors, yes), calls - (len(inside) - yes)), calls

    def _size(self, atom: int, segment: str | None) -> int:
        if segment is None:
            return int(self._atoms[atom]["size"])
        return int(
            self._tables.number(
                "SELECT COALESCE(SUM(size), 0) FROM atom_segments WHERE cycle_id = ? AND atom = ?"
                " AND segment_column || '=' || segment_value = ?",
                *(self._cycle, atom, segment),
            )
        )


def furthest_values(tables: StoredTables, cycle: int, classifier: str, metric: str) -> tuple[float, float]:
    """The least and the greatest value that missing answers leave: all of either kind of call yes, or all no."""
    place = tables.names.index(classifier)
    missing = [one for one in tables.draws(cycle) if one["said"] not in YES_OR_NO]
    ways = [dict(zip("10", words, strict=True)) for words in product(YES_OR_NO, repeat=2)]
    values = [
        DifferenceValues(tables, cycle, {one["item"]: words[one["pattern"][place]] for one in missing}).value(
            classifier, metric
        )
        for words in ways
    ]
    return min(values), max(values)


def plain_share(tables: StoredTables, cycle: int, kept: Any) -> dict[str, float]:
    """A kept estimate of a plain random sample: the share among the answers, and Wilson's interval (1927).

    The answers count N/(N - n) of themselves as the rest of N items is finite, and one item more may be either way.
    """
    draws = [one for one in tables.draws(cycle) if one["said"] in YES_OR_NO]
    place, metric, segment = tables.names.index(kept["classifier"]), kept["metric"], kept["segment"]
    about = [
        one
        for one in draws
        if (segment is None or segment in one["segments"])
        and one["pattern"][place] in SIDES_OF[metric]
        and (metric != "recall" or one["said"] == "yes")
    ]
    found = [one for one in about if (one["pattern"][place] == "1" if metric == "recall" else one["said"] == "yes")]
    items, n, yes = tables.items(cycle), len(about), len(found)
    labels = n * (items - 1) / (items - len(draws))
    share, z = yes / n, NormalDist().inv_cdf((1 + kept["confidence"]) / 2)
    middle = (share + z**2 / (2 * labels)) / (1 + z**2 / labels)
    half = z / (1 + z**2 / labels) * sqrt(share * (1 - share) / labels + z**2 / (4 * labels**2))
    domain = n * items / len(draws)
    low = min(max(middle - half, 0.0) if yes else 0.0, max(0.0, 1 - (n - yes + 1) / domain))
    high = max(min(middle + half, 1.0) if yes < n else 1.0, min(1.0, (yes + 1) / domain))
    return {"value": share, "low": low, "high": high, "n_eff": labels}


def wilson_labels(value: float, half: float, z: float) -> float:
    """The labels with which Wilson's interval has this half-width, by bisection."""
    low, high = 1e-9, 1e12
    for _ in range(200):
        n = sqrt(low * high)
        width = z / (1 + z**2 / n) * sqrt(value * (1 - value) / n + z**2 / (4 * n**2))
        low, high = (n, high) if width > half else (low, n)
    return low
