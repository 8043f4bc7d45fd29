"""What `check` says of the configuration itself."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from stratawatch.config.loading import Configuration
    from stratawatch.engine.model.panel_spec import PanelSpec

Facts = Mapping[str, str]

CLUSTER: Final = (
    "items of one hang together: intervals count that, and are about clusters to come whose scores are like these;"
    " what windows add up to is about each window's own items"
)
FEW_LABELS: Final = 40
"""A budget below which windows prove hardly anything, and many a metric is BLIND."""

GOLD: Final = "gold items count in the budget, so that fewer other items are asked about"
FURTHER_VOTES: Final = "second and third votes count in the budget, so that fewer items are asked about"


def configuration_facts(configuration: "Configuration") -> Facts:
    """The panels with their designs, budgets and what is special about them."""
    from stratawatch.core.designs import design_of
    from stratawatch.core.estimation.variance_methods import variance_named
    from stratawatch.engine.model.survey_of_panel import survey_of_panel

    def facts(word: str, text: Callable[["PanelSpec"], str]) -> Facts:
        return {f"{word} {name}": fact for name, spec in configuration.panels.items() if (fact := text(spec))}

    def design(spec: "PanelSpec") -> str:
        return "" if spec.design == "joint" else "; ".join([_design(spec), *design_of(survey_of_panel(spec)).warnings])

    def variance(spec: "PanelSpec") -> str:
        warnings = variance_named(spec.variance).warnings
        return "" if spec.variance == "default" else "; ".join([spec.variance, *warnings])

    def gold(spec: "PanelSpec") -> str:
        return f"{100 * spec.gold_share:g} for every 100 others; {GOLD}" if spec.gold_share else ""

    return {
        "file": str(configuration.path),
        **facts("panel", _panel),
        **_shared_budget(configuration),
        **facts("cluster of", lambda spec: f"{spec.columns.cluster}; {CLUSTER}" if spec.columns.cluster else ""),
        **facts("design of", design),
        **facts("variance of", variance),
        **facts("goals of", _goals_without_history),
        **facts("gold of", gold),
        **facts("cut-offs of", _cut_offs),
        **facts("deadline of", _deadline),
        **facts("second votes of", lambda spec: f"{spec.second_votes}; {FURTHER_VOTES}" if spec.second_votes else ""),
    }


def _deadline(spec: "PanelSpec") -> str:
    """How many cycles a deadline that is longer than a window lets run at once; empty where none is."""
    from stratawatch.engine.cycle.clock_check import MOST_ACTIVE

    if spec.deadline <= spec.windows.length:
        return ""
    beside = -(-spec.deadline // spec.windows.length) + 1
    waiting = f"; {MOST_ACTIVE} at most, so that later windows wait" if beside > MOST_ACTIVE else ""
    return f"it is longer than a window: where answers are slow, up to {beside} cycles ask at once{waiting}"


def _goals_without_history(spec: "PanelSpec") -> str:
    """Why goals take more labels than they might, as their intervals have no part of history; empty where they have."""
    from stratawatch.core.history.variance_priors import BORROWING
    from stratawatch.core.metrics import METRICS
    from stratawatch.core.tuning import BORROWED
    from stratawatch.formatting import confidence_text

    if spec.stop_rule != "goals" or spec.design != "joint" or spec.variance != "default":
        return ""
    others = [METRICS[goal.metric].title for goal in spec.goals if goal.metric not in BORROWING]
    if spec.confidence > BORROWED.most_confidence:
        why = f"with {confidence_text(spec.confidence)} of confidence"
    elif others:
        why = f"with a goal of {' and '.join(dict.fromkeys(others))}"
    else:
        return ""
    most = confidence_text(BORROWED.most_confidence)
    less = f"where all are of precision and recall, at {most} or less, a cycle takes about a fifth fewer labels"
    return f"{why} intervals rest on each window's labels alone; {less}"


def _cut_offs(spec: "PanelSpec") -> str:
    """The classifiers with a limit of which no page will name a cut-off; empty where all of these have a score."""
    from stratawatch.engine.alarms.alarm_streams import watched_streams

    watched = {key.classifier for key in watched_streams(spec)}
    silent = [one.name for one in spec.classifiers if one.score is None and one.name in watched]
    if not silent:
        return ""
    have = "which has no score" if len(silent) == 1 else "which have no score"
    return f"none can be tried of {', '.join(silent)}, {have}: a page names none that would hold a limit"


def _shared_budget(configuration: "Configuration") -> Facts:
    """What the panels share, with each one's floor and priority."""
    budget = configuration.settings.budget
    if budget is None:
        return {}
    several = (
        f"{name} from {panel.floor:,} to {panel.budget:,}, priority {panel.priority}"
        for name, panel in configuration.settings.panels.items()
    )
    return {"shared budget": f"{budget.labels:,} labels a {budget.per}; a cycle of {'; of '.join(several)}"}


def _panel(spec: "PanelSpec") -> str:
    few = "; so few prove hardly anything, and many a metric will be BLIND" if spec.budget < FEW_LABELS else ""
    return f"{', '.join(one.name for one in spec.classifiers)}; {spec.budget:,} labels a cycle{few}"


def _design(spec: "PanelSpec") -> str:
    options = ", ".join(f"{name} = {value}" for name, value in spec.options.items())
    return f"{spec.design} ({options})" if options else spec.design
