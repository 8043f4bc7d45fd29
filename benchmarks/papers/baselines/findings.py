"""From what was measured to tables and verdicts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

from benchmarks.papers.baselines.alarms import Pages
from benchmarks.papers.baselines.coverage import DEPLOYED, TESTED, Cell
from benchmarks.papers.baselines.labels_alone import DRAWS, NUMBERS, SHARES, apart_coverage, share_coverage
from benchmarks.papers.baselines.worlds import WORLDS
from benchmarks.shape import Kind, Row, Verdict
from stratawatch.core.metrics import BASELINES_REPORTED
from stratawatch.resampling import METHODS

_SHORT: Final = {"false_omission_rate": "FOR"}
_BY_HEART: Final = WORLDS[-1].name
LOWEST: Final = 0.9
"""The least coverage that an interval may have and still be called one of 95%."""
_ITEMS: Final = 1000
_DRAWS: Final = 200


@dataclass(frozen=True)
class Found:
    """Coverage of resampling, pages, differences from scikit-learn, and the share of distinct items in a draw."""

    cells: Sequence[Cell]
    pages: Sequence[Pages]
    gaps: Mapping[tuple[str, str], float]
    folds: float
    distinct: float


def distinct_share(seed: int) -> float:
    """Of 1000 items, in 200 bootstrap draws."""
    truth = np.arange(_ITEMS) % 2 == 0
    drawn = [train for s in range(_DRAWS // 50) for train, _ in METHODS["bootstrap_632"].splits(truth, seed + s)]
    return float(np.mean([len(np.unique(rows)) for rows in drawn])) / _ITEMS


def rows(found: Found) -> list[Row]:
    """One table after another."""
    first = {"figure": "share of distinct items in a bootstrap draw", "published": 0.632, "ours": found.distinct}
    folds = {"precision of rare positives, 10 folds": "scikit-learn's mean less pooled", "difference": found.folds}
    return [first, *_gaps(found.gaps), folds, *_alone(), *map(_cell, found.cells), *map(_page, found.pages)]


def verdicts(found: Found) -> list[Verdict]:
    """What must hold: the same numbers as scikit-learn's, honest intervals where they are said to be, quiet alarms."""
    pages = {(page.rule, page.streams, page.weeks): page for page in found.pages}
    point, added = pages["point", 20, 4], pages["point, added up", 20, 4]
    quiet = [page for page in found.pages if page.rule == "drop's interval"]
    excess = max(page.false - pages["baseline known", page.streams, 0].false for page in quiet)
    [heart] = [c for c in found.cells if (c.world, c.method, c.truth) == (_BY_HEART, "bootstrap_632", DEPLOYED)]
    return [
        Verdict("largest difference from scikit-learn", "must", max(found.gaps.values()), 1e-12, "<="),
        Verdict("distinct share of a draw, off 1 - 1/e", "must", abs(found.distinct - 0.6321), 0.002, "<="),
        _honest(found.cells, "holdout", TESTED, "must"),
        _honest(found.cells, "random_subsampling", DEPLOYED, "must"),
        _honest(found.cells, "k_fold", DEPLOYED, "aim"),
        _honest(found.cells, "leave_one_out", DEPLOYED, "aim"),
        Verdict(".632 of what is known by heart: accuracy covers", "must", float(heart.coverage[-1]), 0.2, "<="),
        Verdict("point baseline of 4 weeks: false pages a year", "must", point.false, 2, ">="),
        Verdict("the same, evidence added up", "must", added.false, 5, ">="),
        Verdict("drop's interval: false pages more than with a known baseline", "must", excess, 0.25, "<="),
        Verdict("drop's interval: most false pages a year", "aim", max(page.false for page in quiet), 1, "<="),
    ]


def _honest(cells: Iterable[Cell], method: str, truth: str, kind: Kind) -> Verdict:
    """Cells that no luck of the simulation puts below .90: three standard errors under it."""
    parts = [(part, c.runs) for c in cells if (c.method, c.truth) == (method, truth) for part in c.coverage]
    fails = sum(part + 3 * sqrt(part * (1 - part) / runs) < LOWEST for part, runs in parts)
    return Verdict(f"{method} of {truth}: cells surely below {LOWEST}, of {len(parts)}", kind, fails, 0, "<=")


def _gaps(gaps: Mapping[tuple[str, str], float]) -> Iterator[Row]:
    for (method, estimator), gap in gaps.items():
        yield {"method": method, "estimator": estimator, "largest difference from scikit-learn": gap}


def _alone() -> Iterator[Row]:
    for n in NUMBERS:
        yield {"labels": n, **{f"share {p}: coverage": share_coverage(n, p) for p in SHARES}}
    for draw in DRAWS:
        recall, none = apart_coverage(draw, "recall")
        yield {
            "precision": draw.precision,
            "FOR": draw.omission,
            "labels of either side": f"{draw.called_labels} + {draw.passed_labels}",
            "called positive": draw.share,
            "recall: coverage": recall,
            "no information": none,
            "accuracy: coverage": apart_coverage(draw, "accuracy")[0],
        }


def _cell(cell: Cell) -> Row:
    lowest = float(cell.coverage.min())
    return {
        "world": cell.world,
        "method": cell.method,
        "truth": cell.truth,
        **{_SHORT.get(name, name): float(part) for name, part in zip(BASELINES_REPORTED, cell.coverage, strict=True)},
        "error": sqrt(lowest * (1 - lowest) / cell.runs),
        "accuracy: bias": float(cell.bias[-1]),
        "accuracy: half-width": float(cell.half_width[-1]),
        "undefined": cell.undefined,
    }


def _page(page: Pages) -> Row:
    return {
        "rule": page.rule,
        "streams": page.streams,
        "baseline weeks": page.weeks or "known",
        "false pages a year": page.false,
        "error": page.error,
        "worst 1 in 20": page.unlucky,
        "weeks to 5 points": page.delay,
    }
