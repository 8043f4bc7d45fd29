"""Rules about what the design of a panel can tell."""

from collections.abc import Iterator, Mapping

from stratawatch.config.panel_settings import LEAST_BUDGET
from stratawatch.config.problems import Problem
from stratawatch.config.tables import Table
from stratawatch.core.designs import design_named
from stratawatch.core.designs.kind import Kind
from stratawatch.core.estimation.metrics import METRICS
from stratawatch.core.estimation.variances import VARIANCES, refuse_unsuited
from stratawatch.core.results import Commission, Goal
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


def wishes_of_the_design(panel: Table) -> Iterator[Problem]:
    """A budget and goals that contradict the options would be refused in every cycle."""
    kind, budget = _kind(panel), panel.number("budget")
    if kind is None or not isinstance(budget, int) or budget < LEAST_BUDGET:
        return
    found = ((entry.text("metric") or "", entry.number("margin") or 0.0) for entry in panel.listed("goals"))
    goals = tuple(Goal(metric, margin) for metric, margin in found if margin > 0)
    scored = {name: one.text("score") is not None for name, one in panel.named("classifiers").items()}
    try:
        kind.refuse(Commission(goals, budget), scored)
    except StratawatchError as error:
        place = "options" if "options" in panel else "design"
        yield panel.problem(place, error.what, expected=error.expected, got=error.got, hint=error.hint)


def _kind(panel: Table) -> Kind | None:
    """The panel's design; None where another rule finds fault with it."""
    options = panel.table("options").data
    try:
        kind = design_named(panel.text("design") or "joint", options if isinstance(options, Mapping) else {})
    except StratawatchError:
        return None
    return kind if set(kind.names) <= set(panel.named("classifiers")) else None
