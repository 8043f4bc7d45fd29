"""The paper's other pictures as tables, and what it does not show: bias and coverage.

A cell is "estimated / true": the mean estimated variance and the mean squared error, both as ratios to the variance of
random sampling with as many labels. The first is the paper's MVR; without bias both are the same number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from benchmarks.papers.kumar.curves import Design, Point, points
from benchmarks.papers.kumar.populations import EPSILON, NEWS20, RCV1, SETS, WORSE
from benchmarks.shape import Kind, Row, Verdict
from stratawatch.literature.kumar.allocations import Allocation, Equal, OptA1, OptA2, Proportional
from stratawatch.literature.kumar.stratification import STRATIFIERS

STRATA: Final = tuple(range(2, 11))
AT: Final = 300
"""Labels in the table over K."""
FIRST: Final[Mapping[str, Allocation]] = {
    f"{name}, n_ini {n_ini}{step}{reading}": allocation
    for reading, pseudo_labels in (("", 0.0), (", smoothed", 1.0))
    for name, n_ini, step, allocation in (
        ("OPT-A1", 5, "", OptA1(5, pseudo_labels)),
        ("OPT-A1", 10, "", OptA1(10, pseudo_labels)),
        ("OPT-A1", 20, "", OptA1(20, pseudo_labels)),
        ("OPT-A2", 5, ", n_step 10", OptA2(5, 10, pseudo_labels)),
        ("OPT-A2", 5, ", n_step 20", OptA2(5, 20, pseudo_labels)),
        ("OPT-A2", 10, ", n_step 10", OptA2(10, 10, pseudo_labels)),
        ("OPT-A2", 10, ", n_step 20", OptA2(10, 20, pseudo_labels)),
    )
}
EVERY: Final[Mapping[str, Allocation]] = {
    "PRO": Proportional(),
    "EQU": Equal(),
    "OPT-A1": OptA1(),
    "OPT-A1, smoothed": OptA1(pseudo_labels=1.0),
    "OPT-A2": OptA2(5, 10),
    "OPT-A2, smoothed": OptA2(5, 10, pseudo_labels=1.0),
}
MANY: Final[Mapping[str, Allocation]] = {
    **EVERY,
    "OPT-A2, n_step 20": OptA2(5, 20),
    "OPT-A2, n_step 20, smoothed": OptA2(5, 20, pseudo_labels=1.0),
}
"""For many strata, where steps of ten labels are rounded badly."""
MORE_IS_WORSE: Final = ((120, 20, 10), (500, 5, 10), (500, 10, 20))
"""(labels, n_ini, another n_ini that the paper's figure 7 has below it)."""
KINDS: Final[Mapping[str, Kind]] = {", smoothed": "must", ", as printed": "aim"}
PRECISION: Final = replace(EPSILON, name="precision .80", accuracy=0.8)
"""Not of the paper: the calls of one kind, four in five of them right."""
CUT_FOR: Final = {RCV1: "KM", EPSILON: "EQSZ", NEWS20: "SQRT", PRECISION: "EQSZ"}


@dataclass(frozen=True)
class Line:
    """A line of a table, and the points it was made of."""

    row: Row
    points: tuple[Point, ...]

    def estimated(self, labels: int) -> float:
        return next(point.variance_ratio.value for point in self.points if point.budget == labels)


def over_strata(runs: int, seed: int) -> Iterator[Row]:
    """Figures 3 and 5, for every data set, allocation and stratifier: K = 2 to 10 at 300 labels."""
    for shape in SETS.values():
        for name, allocation in MANY.items():
            for stratifier in STRATIFIERS:
                found = [points(Design(shape, stratifier, k, allocation), [AT], runs, seed)[0] for k in STRATA]
                cells = {f"K={k}": _cell(point) for k, point in zip(STRATA, found, strict=True)}
                yield {"data": shape.name, "allocation": name, "stratifier": stratifier, **cells, "+-": _noise(found)}


def over_first_labels(runs: int, seed: int) -> Iterator[Line]:
    """Figures 7 and 8: how many labels come first, and how many at a time; K = 6."""
    for shape in (EPSILON, NEWS20):
        for name, allocation in FIRST.items():
            design = Design(shape, CUT_FOR[shape], 6, allocation)
            head = {"data": shape.name, "stratifier": design.stratifier, "allocation": name}
            yield _over_labels(head, design, runs, seed)


def over_accuracy(runs: int, seed: int) -> Iterator[Line]:
    """Figure 9: OPT-A2 (5, 10) with EQSZ, K = 6, for classifiers of accuracy 88, 77 and 67%."""
    for name in ("OPT-A2", "OPT-A2, smoothed"):
        for shape in WORSE:
            design = Design(shape, "EQSZ", 6, EVERY[name])
            yield _over_labels({"accuracy": shape.accuracy, "allocation": name}, design, runs, seed)


def flaws(runs: int, seed: int) -> Iterator[Line]:
    """Bias in points and coverage of the 95% Wald interval; a run without an interval covers nothing."""
    for shape, stratifier in CUT_FOR.items():
        for name, allocation in EVERY.items():
            for point in points(Design(shape, stratifier, 6, allocation), [100, 300, 1000], runs, seed):
                row = {
                    "data": shape.name,
                    "accuracy": shape.accuracy,
                    "stratifier": stratifier,
                    "allocation": name,
                    "labels": point.budget,
                    "bias": round(100 * point.bias.value, 2),
                    "+-": round(100 * point.bias.error, 2),
                    "coverage": round(point.coverage, 3),
                    "no interval": round(point.silent, 3),
                    "estimated / true": _cell(point),
                }
                yield Line(row, (point,))


def verdicts(first: Sequence[Line], accuracy: Sequence[Line], flawed: Sequence[Line]) -> list[Verdict]:
    """What the paper says of these pictures, and what it does not say."""
    found = [_accuracy_verdict(accuracy, name) for name in ("OPT-A2", "OPT-A2, smoothed")]
    for reading, kind in KINDS.items():
        for labels, more, fewer in MORE_IS_WORSE:
            least = _gap(first, reading, more, fewer, labels)
            text = f"OPT-A1{reading}, {labels} labels: MVR of n_ini {more} less that of {fewer}"
            found.append(Verdict(text, kind, least, 0, ">="))
    return [*found, *_coverages(flawed)]


def _cell(point: Point) -> str:
    return f"{point.variance_ratio.value:.2f} / {point.square_ratio.value:.2f}"


def _noise(found: Sequence[Point]) -> str:
    estimated = max(point.variance_ratio.error for point in found)
    return f"{estimated:.3f} / {max(point.square_ratio.error for point in found):.2f}"


def _over_labels(head: Row, design: Design, runs: int, seed: int) -> Line:
    found = points(design, [120, 200, 300, 500], runs, seed)
    cells = {f"n={point.budget}": _cell(point) for point in found}
    return Line({**head, **cells, "+-": _noise(found)}, tuple(found))


def _accuracy_verdict(lines: Sequence[Line], name: str) -> Verdict:
    """Section 4.4: the better the classifier, the smaller the MVR."""
    high, middle, low = (line.estimated(AT) for line in lines if line.row["allocation"] == name)
    least = min(middle - high, low - middle)
    return Verdict(f"{name}: least fall of MVR from one classifier to a better one", "must", least, 0, ">=")


def _gap(lines: Sequence[Line], reading: str, one: int, other: int, labels: int) -> float:
    """The least difference of MVR, over the data sets."""
    pseudo_labels = reading.removesuffix(", as printed")
    ones, others = (
        [line.estimated(labels) for line in lines if line.row["allocation"] == f"OPT-A1, n_ini {n_ini}{pseudo_labels}"]
        for n_ini in (one, other)
    )
    return min(a - b for a, b in zip(ones, others, strict=True))


def _coverages(lines: Sequence[Line]) -> Iterator[Verdict]:
    kinds: Mapping[str, Kind] = {"PRO": "must", "OPT-A2, smoothed": "aim", "OPT-A2": "aim"}
    for name, kind in kinds.items():
        found = [line.points[0] for line in lines if line.row["allocation"] == name]
        worst = min(point.coverage for point in found if point.budget == AT)
        yield Verdict(f"{name}: least coverage at {AT} labels", kind, worst, 0.90, ">=")
