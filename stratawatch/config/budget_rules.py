"""Rules about a budget that panels share."""

from collections.abc import Iterator
from pathlib import Path

from stratawatch.config.panel_specs import goals_of, without_paused
from stratawatch.config.problems import Problem
from stratawatch.config.settings import Settings
from stratawatch.core.designs import design_named
from stratawatch.core.goals import SurveySpec
from stratawatch.engine.model.shared_budget import LONGEST
from stratawatch.errors import StratawatchError


def budget_is_shared(settings: Settings, _folder: Path) -> Iterator[Problem]:
    """A floor and a priority mean something only where there is a budget to share."""
    if settings.budget is None:
        for name, panel in settings.panels.items():
            for key in ("floor", "priority"):
                if key in panel.model_fields_set:
                    hint = f"add a [budget] with `labels` and `per`, or remove `{key}`"
                    yield Problem(("panels", name, key), f"`{key}` is about a budget that panels share", hint=hint)


def floors_fit(settings: Settings, _folder: Path) -> Iterator[Problem]:
    """Every window gets its floor: together they fit into the budget, and each is at most its panel's own budget."""
    if settings.budget is None:
        return
    span, together = LONGEST[settings.budget.per], 0
    for name, panel in settings.panels.items():
        if panel.floor > panel.budget:
            yield Problem(
                ("panels", name, "floor"),
                "the floor is more than the panel's own budget",
                expected=f"at most {panel.budget}",
                got=str(panel.floor),
            )
            continue
        yield from _too_low_for_design(settings, name)
        if not panel.paused:
            together += panel.floor * -(-span // panel.schedule.every)
    if together > settings.budget.labels:
        yield Problem(
            ("budget", "labels"),
            f"the floors of all windows that may end in one {settings.budget.per} are more than the budget",
            expected=f"at least {together}",
            got=str(settings.budget.labels),
            hint="raise `labels`, or lower a panel's `floor`",
        )


def _too_low_for_design(settings: Settings, name: str) -> Iterator[Problem]:
    """A cycle may get no more than its floor, so that its design must have a plan for that."""
    panel = without_paused(settings.panels[name])
    scored = {key: one.score is not None for key, one in panel.classifiers.items()}
    try:
        design = design_named(panel.design, panel.options)
        design.validate(SurveySpec(goals_of(panel), panel.budget), scored)
    except StratawatchError:
        return  # which is told of the panel itself
    try:
        design.validate(SurveySpec(goals_of(panel), panel.floor), scored)
    except StratawatchError as error:
        yield Problem.of(("panels", name, "floor"), error)
