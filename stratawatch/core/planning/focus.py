"""What plans are made for: goals, what goes beside them, and the metric whose limit the evidence speaks against."""

from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.metrics import metric_named
from stratawatch.core.planning.goal_variances import BESIDE_DEFAULT_GOALS, DEFAULT_GOALS, PlannedGoal
from stratawatch.core.tuning import PLANNER


def planning_goals(survey: SurveySpec) -> tuple[PlannedGoal, ...]:
    """The goals that strata and labels are shared out for.

    A budget that has none but the default ones goes weakly for the false-omission rate too, and with a focus for its
    narrow goal. Where goals decide how many labels there are, a narrow goal would ask for any number of them: there the
    focus gets a part on top (`focus_extra`), and strata are cut without it.
    """
    goals = survey.goals or DEFAULT_GOALS
    if survey.stop_at_goals:
        return goals
    beside = BESIDE_DEFAULT_GOALS if set(goals) == set(DEFAULT_GOALS) else ()
    return (*focused_goals(survey), *beside)


def focused_goals(survey: SurveySpec) -> tuple[Goal, ...]:
    """The survey's goals and one more: the focus at a tenth of its margin.

    >>> from stratawatch.core.goals import Focus
    >>> focused_goals(SurveySpec((Goal("precision", 0.03),), focus=Focus("lr", "precision")))[1]
    Goal(metric='precision', margin=0.003, classifiers=('lr',))
    """
    goals = survey.goals or DEFAULT_GOALS
    if survey.focus is None:
        return goals
    classifier, metric = survey.focus.classifier, survey.focus.metric
    margins = (goal.margin for goal in goals if goal.is_for(classifier, metric))
    margin = next(margins, metric_named(metric).default_margin)
    return (*goals, Goal(metric, round(PLANNER.focus_margin * margin, 12), (classifier,)))
