"""Several studies of one panel together, such as those of four weeks, and the change from some of them to others."""

from collections.abc import Iterable, Sequence

from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.pooled_windows import PooledWindows
from stratawatch.core.estimation.window_changes import change_of_windows
from stratawatch.core.metrics import REPORTED, metric_named
from stratawatch.core.population import Segment
from stratawatch.errors import StratawatchError
from stratawatch.study.estimate_rows import StudyEstimates, study_estimates
from stratawatch.study.study import Study


def pool_studies(studies: Iterable[Study], metrics: Iterable[str] = REPORTED) -> StudyEstimates:
    """Every metric over all items of several studies, as the ratio of their summed totals.

    An item counts in each study that it is in; a study without a label is a gap. Its label is one random thing where
    the studies have the same seed.

    >>> import pandas as pd
    >>> week = pd.DataFrame({"id": range(400), "call": [True, False] * 200})
    >>> one, two = (Study(week, item="id", classifiers={"lr": (None, "call")}, budget=50, seed=s) for s in (1, 2))
    >>> for study in (one, two):
    ...     study.tell({item: item % 4 == 0 for item in study.ask()})
    >>> both, alone = (pool_studies(some).of("lr", "precision") for some in ([one, two], [one]))
    >>> both.half_width < 0.8 * alone.half_width
    True
    """
    several = [study for study in studies if _has_labels(study)]
    pooled, names, request = _pooled(several, metrics)
    return study_estimates(pooled.estimates(range(len(several)), names, request), {})


def change_of_studies(
    before: Iterable[Study], after: Iterable[Study], metrics: Iterable[str] = REPORTED
) -> StudyEstimates:
    """Every metric of later studies together minus that of earlier ones; labels that both use do not widen it.

    >>> import pandas as pd
    >>> week = pd.DataFrame({"id": range(400), "call": [True, False] * 200})
    >>> one, two = (Study(week, item="id", classifiers={"lr": (None, "call")}, budget=50, seed=s) for s in (1, 2))
    >>> for study in (one, two):
    ...     study.tell({item: item % 4 == 0 for item in study.ask()})
    >>> found = change_of_studies([one], [two]).of("lr", "precision")
    >>> found.low < 0 < found.high
    True
    """
    earlier, later = ([study for study in some if _has_labels(study)] for some in (before, after))
    if not (earlier and later):
        raise StratawatchError(
            "a change is from some studies to others", expected="at least one with labels before and one after"
        )
    pooled, names, request = _pooled([*earlier, *later], metrics)
    places = range(len(earlier)), range(len(earlier), len(earlier) + len(later))
    return study_estimates(change_of_windows(pooled, *places, names, request), {})


def _has_labels(study: Study) -> bool:
    one = study.labelled()
    return any(one.ledger.verdicts.get(item) in ("yes", "no") for item in one.drawn)


def _pooled(
    studies: Sequence[Study], metrics: Iterable[str]
) -> tuple[PooledWindows, tuple[str, ...], EstimationRequest]:
    windows = [study.labelled() for study in studies]
    if not windows:
        raise StratawatchError("there is no study with labels", expected="at least one")
    names = windows[0].design.classifiers
    segments: dict[Segment | None, None] = {None: None}
    for one in windows:
        if set(one.design.classifiers) != set(names):
            raise StratawatchError(
                "studies of other classifiers cannot be counted together",
                expected=f"{', '.join(names)} in each",
                got=", ".join(one.design.classifiers),
            )
        if not one.design.pools_with_windows:
            raise StratawatchError(
                "the labels of a study cannot be counted together with others",
                expected="difference estimates with the design's own variances, and no clusters",
                got=f'design = "{one.design.survey.design}", variance = "{one.design.survey.variance}"',
            )
        segments |= dict.fromkeys(sorted({segment for atom in one.design.atoms for segment in atom.segments}))
    labels = [one.design.window_labels(one.ledger, one.drawn, list(segments), names) for one in windows]
    confidence = max(one.confidence for one in windows)
    request = EstimationRequest(confidence, tuple(metric_named(one).name for one in metrics), tuple(segments))
    return PooledWindows(tuple(labels)), names, request
