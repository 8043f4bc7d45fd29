"""Rules about the design of a panel: its options, and what it can estimate."""

from collections.abc import Iterator
from dataclasses import replace

from stratawatch.config.metric_rules import goals_to_stop_at
from stratawatch.config.panel_settings import PanelSettings
from stratawatch.config.panel_specs import goals_of, limits_of, without_paused
from stratawatch.config.problems import Place, Problem, nearest_or_all
from stratawatch.core.designs import design_named, who_plans_for_goals
from stratawatch.core.designs.base import SamplingDesign
from stratawatch.core.designs.goal_checks import check_variance_method, unreachable_reasons
from stratawatch.core.goals import Goal, Limit, SurveySpec
from stratawatch.errors import StratawatchError


def design_fits(panel: PanelSettings) -> Iterator[Problem]:
    """Options are those of the design, for classifiers of the panel; then what is asked of the design is checked."""
    try:
        design = design_named(panel.design, panel.options)
    except StratawatchError as error:
        yield Problem.of(("options",), error)
        return
    strangers = [name for name in design.classifiers_named if name not in panel.classifiers]
    for name in strangers:
        hint = nearest_or_all(name, panel.classifiers)
        yield Problem(("options",), f"there is no classifier '{name}'", hint=hint)
    if not strangers:
        yield from _metrics(panel, design)
        yield from _segments(panel, design)
        yield from _variance(panel, design)
        yield from _budget(panel, design)
    if panel.stop_rule == "goals" and not design.plans_for_goals:
        yield Problem(
            ("design",),
            f'design = "{panel.design}" does not know how many labels goals need',
            expected='stop_rule = "budget"',
            got='stop_rule = "goals"',
            hint=who_plans_for_goals(),
        )


def pauses_fit(panel: PanelSettings) -> Iterator[Problem]:
    """A design goes on without the paused classifiers: it is drawn for none of them, and fits the others."""
    reduced, paused = without_paused(panel), [name for name, one in panel.classifiers.items() if one.paused]
    if not paused or not reduced.classifiers or any((*goals_to_stop_at(panel), *design_fits(panel))):
        return
    needed = design_named(panel.design, panel.options).classifiers_drawn_for(list(panel.classifiers))
    problems = [
        Problem(
            ("classifiers", name, "paused"),
            f"design = '{panel.design}' draws for classifier '{name}', which is paused",
            hint="name another one in `options`, or pause the panel",
        )
        for name in paused
        if name in needed
    ]
    yield from problems
    for problem in () if problems else (*goals_to_stop_at(reduced), *design_fits(reduced)):
        place = ("classifiers", paused[0], "paused")
        yield replace(problem, place=place, what=f"without what is paused, {problem.what}")


def _metrics(panel: PanelSettings, design: SamplingDesign) -> Iterator[Problem]:
    """Goals and limits are for metrics that the design estimates: one that it does not would be blind for ever."""
    asked: dict[Place, Goal | Limit] = {("goals", index): goal for index, goal in enumerate(goals_of(panel))}
    asked |= {("limits", index): limit for index, limit in enumerate(limits_of(panel))}
    for (key, index), entry in asked.items():
        for why in unreachable_reasons(design, entry, list(panel.classifiers))[:1]:
            hint = f"leave the {str(key)[:-1]} out, or choose another design"
            yield Problem((key, index, "metric"), why, hint=hint)


def _segments(panel: PanelSettings, design: SamplingDesign) -> Iterator[Problem]:
    """Limits inside a segment are for designs that estimate segments."""
    for index, limit in enumerate(panel.limits):
        if limit.segment is not None and not design.estimates_segments:
            what = f"design = '{design.name}' tells nothing of segments"
            yield Problem(("limits", index, "segment"), what, hint="leave the limit out, or choose another design")


def _variance(panel: PanelSettings, design: SamplingDesign) -> Iterator[Problem]:
    """A variance method belongs to one of the design's own estimators."""
    try:
        check_variance_method(panel.variance, design.name)
    except StratawatchError as error:
        yield Problem.of(("variance",), error)


def _budget(panel: PanelSettings, design: SamplingDesign) -> Iterator[Problem]:
    """A budget and goals that contradict the options would be refused in every cycle."""
    scored = {name: one.score is not None for name, one in panel.classifiers.items()}
    try:
        design.validate(SurveySpec(goals_of(panel), panel.budget), scored)
    except StratawatchError as error:
        yield Problem.of(("options" if "options" in panel.model_fields_set else "design",), error)
