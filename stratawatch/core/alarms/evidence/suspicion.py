"""From how much evidence labels follow the stream that is suspect."""

from collections.abc import Sequence

from stratawatch.core.metrics import A, metric_named
from stratawatch.core.tuning import EVIDENCE


def evidence_needed(metrics: Sequence[str]) -> tuple[float, ...]:
    """From how much evidence labels follow each of these streams of a panel, by its metric.

    Precision, or whatever is of what is called positive, is paged soon without such labels. Where they follow it in
    vain they are missing for recall, which is paged late. So it takes more of them where both are watched.

    >>> evidence_needed(["precision", "recall"]), evidence_needed(["precision"])
    ((50.0, 10.0), (20.0,))
    """
    of_calls = [metric_named(metric).sides == (A,) for metric in metrics]
    if len(set(of_calls)) == 1:
        return (EVIDENCE.suspicion,) * len(of_calls)
    return tuple(EVIDENCE.suspicion_of_calls if called else EVIDENCE.suspicion_of_misses for called in of_calls)
