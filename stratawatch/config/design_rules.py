"""Rules about what the design of a panel can tell."""

from collections.abc import Iterator, Mapping

from stratawatch.config.problems import Problem
from stratawatch.config.tables import Table
from stratawatch.core.designs import design_named
from stratawatch.core.designs.kind import Kind
from stratawatch.core.estimation.metrics import METRICS
from stratawatch.core.estimation.variances import VARIANCES, refuse_unsuited
from stratawatch.errors import StratawatchError


def metrics_of_the_design(panel: Table) -> Iterator[Problem]:
    """Goals and limits are for metrics that the design tells: one that it does not tell would be blind for ever."""
    kind, classifiers = _kind(panel), list(panel.named("classifiers"))
    if kind is None:
        return
    for key in ("goals", "limits"):
        for entry in panel.listed(key):
            metric = entry.text("metric")
            wanted = {name for _, name in entry.texts("of")} or set(classifiers)
            if metric not in METRICS:
                continue
            reasons = [kind.lacks(metric, name, classifiers) for name in classifiers if name in wanted]
            if any(reasons):
                why = next(filter(None, reasons))
                yield entry.problem("metric", why, hint=f"leave the {key[:-1]} out, or choose another design")


def segments_of_the_design(panel: Table) -> Iterator[Problem]:
    """Limits inside a segment are for designs that tell segments."""
    kind = _kind(panel)
    if kind is None or kind.tells_segments:
        return
    for limit in panel.listed("limits"):
        if limit.text("segment") is not None:
            yield limit.problem(
                "segment",
                f"design = '{kind.name}' tells nothing of segments",
                hint="leave the limit out, or choose another design",
            )


def variance_of_the_design(panel: Table) -> Iterator[Problem]:
    """A variance is one of the design's own estimates."""
    kind, variance = _kind(panel), panel.text("variance") or "default"
    if kind is None or variance not in VARIANCES:
        return
    try:
        refuse_unsuited(variance, kind.name)
    except StratawatchError as error:
        yield panel.problem("variance", error.what, expected=error.expected, hint=error.hint)


def _kind(panel: Table) -> Kind | None:
    """The panel's design; None where another rule finds fault with it."""
    options = panel.table("options").data
    try:
        kind = design_named(panel.text("design") or "joint", options if isinstance(options, Mapping) else {})
    except StratawatchError:
        return None
    return kind if set(kind.names) <= set(panel.named("classifiers")) else None
