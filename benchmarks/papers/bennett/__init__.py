"""Bennett & Carvalho (CIKM 2010): their Table 1 on populations like theirs, and where their rule fails.

The paper leaves open, and here is chosen: the first draw D_0 is a round like any other (2 labels a bin); `uni` and
`pps` throw their labels at random as `opt` does; n_k - 1 counts as 1 below two labels; p_k stays smoothed in the final
estimate; %Change and Savings compare sums over the categories (the printed columns agree with sums, not with means of
percentages); labels are drawn with replacement, as in their experiment. Their documents are not to be had: see
`populations` for those that stand in.
"""

from pathlib import Path

from benchmarks.papers.bennett.failures import failures
from benchmarks.papers.bennett.pictures import draw
from benchmarks.papers.bennett.table_one import table_one
from benchmarks.shape import Options, Result

RUNS, QUICK_RUNS = 1000, 60

__all__ = ["figures", "run"]


def run(options: Options) -> Result:
    """Table 1, then the experiments that the paper does not show."""
    runs = _runs(options)
    published = table_one(options.seed, runs)
    ours = failures(options.seed, runs)
    return Result([*published.rows, *ours.rows], [*published.verdicts, *ours.verdicts])


def figures(folder: Path, options: Options) -> None:
    """The picture of docs/methods/bennett.md."""
    draw(folder / "bennett.svg", options.seed, _runs(options))


def _runs(options: Options) -> int:
    return options.given.runs or (QUICK_RUNS if options.quick else RUNS)
