"""Tripathi et al., Estimating Precisions for Multiple Binary Classifiers Under Limited Samples.

Section 3.2 (sample sizes), section 5.2 (an ensemble of three), section 5.3 (Table 1), and what the paper does not
measure: how often the intervals cover, of precision with both options, and of recall and false-omission rate; and what
whole cycles of the design tell beside those of others.
"""

from pathlib import Path

from benchmarks.papers.tripathi import coverage, cycles, ensemble, pictures, recalls, table
from benchmarks.shape import Options, Result


def run(options: Options) -> Result:
    """Everything, one table after the other."""
    results = [part.run(options) for part in (table, ensemble, coverage, recalls, cycles)]
    return Result([row for one in results for row in one.rows], [v for one in results for v in one.verdicts])


def figures(folder: Path, options: Options) -> None:
    """The picture of docs/methods/tripathi.md."""
    pictures.draw(folder, options)


__all__ = ["figures", "run"]
