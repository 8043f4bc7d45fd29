"""STRAT: the paper's figures, and how balanced replicates and clusters fare where we would use them.

Where they are not said otherwise, coverages are of symmetric 95% t intervals, as the paper has them.
"""

from functools import lru_cache
from pathlib import Path
from typing import Final

from benchmarks.papers.strat import clustering, few, groups, joint, known, windows
from benchmarks.papers.strat.drawing import draw
from benchmarks.papers.strat.tallies import DELTA, GROUPS, PAIRS
from benchmarks.shape import Options, Result, Verdict

RUNS, QUICK_RUNS = 700, 40
LABELS: Final = (300, 1000)
QUICK_LABELS: Final = (300,)


def run(options: Options) -> Result:
    """All figures."""
    rows, verdicts = [], []
    for found, promised in (known.replicate_counts(), known.linear(options.seed), known.leprosy()):
        rows += found
        verdicts += promised
    runs = _runs(options)
    cells: list[joint.Cell | groups.Cell | clustering.Whole | clustering.Items | windows.Cell | few.Cell] = [
        *_joint(options.seed, runs, options.quick),
        *_groups(options.seed, runs),
        *_whole(options.seed, runs),
        clustering.items(options.seed, 2 * runs),
    ]
    some = (runs, windows.SHAPES[:2]) if options.quick else (options.given.runs, windows.SHAPES)
    clustered = windows.cells(options.seed, *some)
    rare = few.cells(options.seed, runs)
    cells += [*clustered, *rare]
    rows += [row for cell in cells for row in cell.rows()]
    return Result(rows, [*verdicts, *_aims(options), *windows.aims(clustered), *few.aims(rare)])


def figures(folder: Path, options: Options) -> None:
    """The picture of docs/methods/strat.md."""
    runs = _runs(options)
    folder.mkdir(parents=True, exist_ok=True)
    draw(
        folder / "strat.svg",
        _joint(options.seed, runs, options.quick),
        _groups(options.seed, runs),
        _whole(options.seed, runs),
    )


def _aims(options: Options) -> list[Verdict]:
    """What replicates and the delta methods covered, over all metrics of the draws that were planned before."""
    cells = [cell for cell in _joint(options.seed, _runs(options), options.quick) if cell.draw == joint.ONE_DRAW]
    mean = {
        way: sum(cell.tallies[way, metric].coverage for cell in cells for metric in joint.METRICS)
        / (len(cells) * len(joint.METRICS))
        for way in (GROUPS, PAIRS, DELTA, joint.SMOOTH)
    }
    return [
        Verdict("strat: mean coverage of BRR, 2 groups", "aim", mean[GROUPS], 0.91, ">="),
        Verdict("strat: mean coverage of logit delta, smoothed", "aim", mean[joint.SMOOTH], 0.94, ">="),
        Verdict("strat: groups cost against delta", "aim", mean[DELTA] - mean[GROUPS], 0.05, "<="),
        Verdict("strat: pairs cost against delta", "aim", mean[DELTA] - mean[PAIRS], 0.01, "<="),
    ]


def _runs(options: Options) -> int:
    return options.given.runs or (QUICK_RUNS if options.quick else RUNS)


@lru_cache(maxsize=1)
def _joint(seed: int, runs: int, quick: bool) -> list[joint.Cell]:
    """Kept, so that a picture needs no second simulation."""
    return joint.cells(seed, runs, joint.WORLDS[: 1 if quick else None], QUICK_LABELS if quick else LABELS)


@lru_cache(maxsize=1)
def _groups(seed: int, runs: int) -> list[groups.Cell]:
    return groups.cells(seed, 2 * runs)


@lru_cache(maxsize=1)
def _whole(seed: int, runs: int) -> list[clustering.Whole]:
    return clustering.whole(seed, 4 * runs)
