"""What plans are made for: goals, what goes beside them, and the metric whose limit the evidence speaks against."""

from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.metrics import A, metric_named
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS, PlannedGoal, goals_beside
from stratawatch.core.tuning import PLANNER


def strata_goals(survey: SurveySpec) -> tuple[Goal, ...]:
    """The goals that strata are cut for, with a focus its narrow goal among them.

    Where goals decide how many labels there are, a narrow goal would ask for any number of them: there the focus gets a
    part on top (`focus_extra`), and strata are cut without it.
    """
    return (survey.goals or DEFAULT_GOALS) if survey.stop_at_goals else focused_goals(survey)


def planning_goals(survey: SurveySpec) -> tuple[PlannedGoal, ...]:
    """The goals that labels are shared out for: a budget with none but the default ones has FOR weakly beside them.

    >>> [goal.metric for goal in planning_goals(SurveySpec(budget=300))]
    ['precision', 'recall', 'false_omission_rate']
    """
    is_usual = not survey.stop_at_goals and set(survey.goals or DEFAULT_GOALS) == set(DEFAULT_GOALS)
    beside = goals_beside(survey.budget, focused=survey.focus is not None) if is_usual else ()
    return (*strata_goals(survey), *beside)


def focused_goals(survey: SurveySpec) -> tuple[Goal, ...]:
    """The survey's goals and one more: the focus at a tenth of its margin, or a twentieth.

    A twentieth where misses or passed items count: labels of these narrow the other classifiers' recall too.

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
    part = PLANNER.focus_margin if metric_named(metric).sides == (A,) else PLANNER.focus_margin_of_misses
    return (*goals, Goal(metric, round(part * margin, 12), (classifier,)))
