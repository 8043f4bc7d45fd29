"""Rules about goals and limits: known classifiers, the right direction, nothing twice, a goal to stop at."""

from collections.abc import Iterator

from stratawatch.config.panel_settings import GoalSettings, LimitSettings, PanelSettings
from stratawatch.config.problems import Place, Problem, nearest_or_all
from stratawatch.core.metrics import METRICS, baseline_names


def classifiers_exist(panel: PanelSettings) -> Iterator[Problem]:
    """`classifiers` names classifiers of the panel, each once."""
    for place, entry in _entries(panel):
        kind = str(place[0])[:-1]
        if "classifiers" in entry.model_fields_set and not entry.classifiers:
            hint = f"without `classifiers` the {kind} is for all classifiers"
            yield Problem((*place, "classifiers"), f"the {kind} is for no classifier", hint=hint)
        for index, name in enumerate(entry.classifiers):
            if name not in panel.classifiers:
                hint = nearest_or_all(name, panel.classifiers)
                yield Problem((*place, "classifiers", index), f"there is no classifier '{name}'", hint=hint)
            elif name in entry.classifiers[:index]:
                yield Problem((*place, "classifiers", index), f"classifier '{name}' is named twice")


def deployments_are_of_classifiers(panel: PanelSettings) -> Iterator[Problem]:
    """A deployment is of a classifier of the panel, or of all."""
    for index, one in enumerate(panel.deployments):
        if one.classifier is not None and one.classifier not in panel.classifiers:
            hint = nearest_or_all(one.classifier, panel.classifiers)
            place = ("deployments", index, "classifier")
            yield Problem(place, f"there is no classifier '{one.classifier}'", hint=hint)


def right_direction(panel: PanelSettings) -> Iterator[Problem]:
    """A floor where large is good, a ceiling where small is; and one bound at least."""
    for index, limit in enumerate(panel.limits):
        place, lower_is_better = ("limits", index), METRICS[limit.metric].lower_is_better
        right, wrong = ("ceiling", "floor") if lower_is_better else ("floor", "ceiling")
        if getattr(limit, wrong) is not None:
            yield Problem(
                (*place, wrong),
                f"a {wrong} is no limit of {limit.metric}",
                expected=f"a {right}",
                hint=f"{'small' if lower_is_better else 'large'} values of it are good",
            )
        elif getattr(limit, right) is None and limit.max_drop is None:
            yield Problem(place, "the limit has no bound", expected=f"{right} = a share between 0 and 1, or max_drop")


def baselines_of_drops(panel: PanelSettings) -> Iterator[Problem]:
    """A drop is measured from a baseline, and baselines are of metrics that are shares of items."""
    for index, limit in enumerate(panel.limits):
        if limit.max_drop is not None and limit.metric not in baseline_names():
            what = f"there are no baselines of {limit.metric}"
            yield Problem(("limits", index, "max_drop"), what, expected=f"max_drop of {', '.join(baseline_names())}")


def goals_to_stop_at(panel: PanelSettings) -> Iterator[Problem]:
    """Labels are asked for until the goals are met, so there must be one; a budget is spent in two rounds at most."""
    if panel.stop_rule == "budget" and "rounds" in panel.model_fields_set:
        hint = 'remove it, or set stop_rule = "goals"'
        yield Problem(("rounds",), "`rounds` is about labels that goals ask for, and a budget is spent here", hint=hint)
    if panel.stop_rule == "goals" and not panel.goals:
        yield Problem(
            ("stop_rule",),
            'stop_rule = "goals" needs to know when to stop',
            expected="at least one goal",
            got="none",
            hint='add one, or stop_rule = "budget"',
        )


def segments_exist(panel: PanelSettings) -> Iterator[Problem]:
    """A limit inside a segment names a column that is reported, and a value."""
    columns = panel.columns.segments
    for index, limit in enumerate(panel.limits):
        column, _, value = (limit.segment or "").partition("=")
        place = ("limits", index, "segment")
        if limit.segment is not None and not value:
            yield Problem(place, "a segment is written column=value", got=repr(limit.segment))
        elif limit.segment is not None and column not in columns:
            hint = nearest_or_all(column, columns) or "list the column in [columns] segments"
            yield Problem(place, f"'{column}' is not among the columns in `segments`", hint=hint)


def nothing_twice(panel: PanelSettings) -> Iterator[Problem]:
    """A classifier's metric has one goal, and one limit in each segment."""
    first: dict[tuple[object, ...], Place] = {}
    for place, entry in _entries(panel):
        key, index = place
        for name in dict.fromkeys(entry.classifiers) or panel.classifiers:
            stream = (key, entry.metric, name, getattr(entry, "segment", None))
            number = int(first.setdefault(stream, place)[1]) + 1
            if number <= int(index):
                what = f"{entry.metric} of '{name}' has a {str(key)[:-1]} already, number {number}"
                yield Problem(place, what, hint="remove one, or narrow `classifiers`")


def _entries(panel: PanelSettings) -> Iterator[tuple[Place, GoalSettings | LimitSettings]]:
    """Goals, then limits, with their places."""
    for index, goal in enumerate(panel.goals):
        yield ("goals", index), goal
    for index, limit in enumerate(panel.limits):
        yield ("limits", index), limit
