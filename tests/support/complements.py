"""A metric by every name that it has: itself, and what is one minus it."""

from stratawatch.core.metrics import METRICS, metric_named


def with_complements(name: str) -> set[str]:
    """The names of the metrics that the same labels tell: a new one may be among them."""
    metric = metric_named(name)
    return {name, *(one.name for one in METRICS.values() if one.is_complement_of(metric))}
