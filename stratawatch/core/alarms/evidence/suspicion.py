"""From how much evidence labels follow the stream that is suspect."""

from collections.abc import Sequence

from stratawatch.core.metrics import A, metric_named
from stratawatch.core.tuning import EVIDENCE


def evidence_needed(metrics: Sequence[str], threshold: float) -> tuple[float, ...]:
    """From how much evidence labels follow each of these streams of a panel, by its metric.

    Precision, or whatever is of what is called positive, is paged soon without such labels. Where they follow it in
    vain they are missing for recall, which is paged late. So it takes more of them where both are watched. A panel that
    is paged at little evidence (`threshold`) follows at less.

    >>> evidence_needed(["precision", "recall"], threshold=500), evidence_needed(["precision"], threshold=500)
    ((150.0, 25.0), (20.0,))
    """
    of_calls = [metric_named(metric).sides == (A,) for metric in metrics]
    if len(set(of_calls)) == 1:
        needed = (EVIDENCE.suspicion,) * len(of_calls)
    else:
        by_kind = {True: EVIDENCE.suspicion_of_calls, False: EVIDENCE.suspicion_of_misses}
        needed = tuple(by_kind[called] for called in of_calls)
    part = min(1.0, EVIDENCE.suspicion_part * threshold / max(needed, default=1.0))
    return tuple(part * one for one in needed)
