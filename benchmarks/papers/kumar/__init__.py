"""Kumar and Raj's figures beside ours, their other pictures as tables, and what they do not show.

The paper's data sets are not to be had; `populations` says what stands for them.
"""

from pathlib import Path
from typing import Final

from benchmarks.papers.kumar import pictures, published, tables
from benchmarks.shape import Options, Result

RUNS: Final = 3000
QUICK_RUNS: Final = 300


def run(options: Options) -> Result:
    """Every table; 3,000 runs a cell as in the paper, five times as many for the published figures."""
    runs = _runs(options)
    compared = published.Comparison(runs, options.seed).all()
    first, accuracy = list(tables.over_first_labels(runs, options.seed)), list(tables.over_accuracy(runs, options.seed))
    flawed = list(tables.flaws(runs, options.seed))
    strata = [] if options.quick else list(tables.over_strata(runs, options.seed))
    beside, lines = [one.row() for one in compared], [line.row for line in (*first, *accuracy, *flawed)]
    return Result(
        [*beside, published.single_labels_row(runs, options.seed), *lines, *strata],
        [*published.verdicts(compared), *tables.verdicts(first, accuracy, flawed)],
    )


def figures(folder: Path, options: Options) -> None:
    """The picture of docs/methods/kumar.md."""
    pictures.draw(folder, _runs(options), options.seed)


def _runs(options: Options) -> int:
    return int(options.given.runs or (QUICK_RUNS if options.quick else RUNS))
