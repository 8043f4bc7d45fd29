"""What a panel wants labels for, in the statistics' own terms."""

from dataclasses import replace

from stratawatch.core.designs import design_of
from stratawatch.core.goals import Focus, SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.second_votes import NO_SECOND_VOTES
from stratawatch.engine.model.panel_spec import PanelSpec


def survey_of_panel(spec: PanelSpec, focus: Focus | None = None) -> SurveySpec:
    """A panel's goals, its budget, whether that is spent or only bounds what goals need, and what labels follow."""
    return SurveySpec(
        goals=spec.goals,
        budget=spec.budget,
        stop_at_goals=spec.stop_rule == "goals",
        confidence=spec.confidence,
        design=spec.design,
        options=spec.options,
        seed=spec.seed,
        variance=spec.variance,
        second_votes=spec.second_votes or NO_SECOND_VOTES,
        focus=focus,
        rounds=spec.rounds,
    )


def survey_for_pools(commission: SurveySpec, history: History) -> SurveySpec:
    """The commission if labels that are known were paid for: pools must hold them beside what the budget buys.

    As many items may persist as the latest cycle had labels of; pools make room for twice the budget of them.
    """
    if commission.budget is None or len(history) == 0:
        return commission
    latest = int((history.ages == history.ages.min()).sum())
    return replace(commission, budget=commission.budget + min(latest, 2 * commission.budget))


def max_rounds(spec: PanelSpec) -> int:
    """Rounds that a cycle of the panel may have; the last ones are left out when nothing is left to ask."""
    survey = survey_of_panel(spec)
    return design_of(survey).max_rounds(survey)
