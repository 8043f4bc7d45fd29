"""Baselines of estimates that are there already: a metric's mean over past windows."""

from collections.abc import Sequence
from typing import Final

from stratawatch.core.methods.baselines.baseline import Baseline
from stratawatch.core.methods.baselines.evidence import Share
from stratawatch.core.results import Estimate, Known, Undefined
from stratawatch.errors import StratawatchError

LEAST: Final = 4
"""Windows that a baseline takes: one that was measured in fewer keeps too much of their chance (docs/methods)."""


def past_estimates(estimates: Sequence[Estimate], least: int = 1) -> Baseline:
    """The mean of k windows, each counting the same, known as well as from k^2 / sum_i 1/n_eff_i plain labels.

    That is m (1 - m) over the variance of the mean, if the metric stood still and no label serves two windows; labels
    that do, because items persist, make the interval of a drop since then too wide rather than too narrow.
    """
    names = {(one.classifier, one.metric, one.segment) for one in estimates}
    if len(names) != 1:
        raise StratawatchError(
            "a baseline is of one metric of one classifier",
            expected="estimates of one stream",
            got=f"those of {len(names)}",
        )
    metric, labels = estimates[0].metric, sum(one.labels_used for one in estimates)
    known = [one.outcome for one in estimates if isinstance(one.outcome, Known)]
    if not known:
        return Baseline(metric, Undefined("no past window knew it"), "past estimates", labels)
    if len(known) < least:
        few = f"{len(known)} past window{'s' * (len(known) > 1)} knew it, a baseline takes {least}"
        return Baseline(metric, Undefined(few), "past estimates", labels)
    value = sum(one.value for one in known) / len(known)
    n = len(known) ** 2 / sum(1 / one.n_eff for one in known)
    return Baseline(
        metric, Share(min(max(value, 0.0), 1.0), n), f"past estimates, windows: {len(known)}, Wilson", labels
    )
