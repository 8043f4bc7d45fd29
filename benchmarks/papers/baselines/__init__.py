"""Baselines by resampling: do they equal scikit-learn's, do their intervals hold the truth, what does an alarm need?

The source of these methods, a text on evaluating classifiers, has no table. It states the share of distinct items in a
bootstrap draw, which stands beside ours; everything else is measured here.
"""

from benchmarks.papers.baselines import alarms, coverage, equality
from benchmarks.papers.baselines.figures import figures
from benchmarks.papers.baselines.findings import Found, distinct_share, rows, verdicts
from benchmarks.papers.baselines.sizes import alarm_runs_of, runs_of
from benchmarks.shape import Options, Result

__all__ = ["figures", "run"]


def run(options: Options) -> Result:
    """Everything about baselines."""
    found = Found(
        cells=coverage.measured(options.seed, runs_of(options)),
        pages=alarms.everything(options.seed, alarm_runs_of(options)),
        gaps=equality.differences(options.seed, 120 if options.quick else 569),
        folds=equality.against_mean_of_folds(options.seed),
        distinct=distinct_share(options.seed),
    )
    return Result(rows(found), verdicts(found))
