"""What a panel wants labels for, in the statistics' own terms."""

from stratawatch.core.results import Commission
from stratawatch.core.rounds import most_rounds
from stratawatch.engine.records import PanelSpec


def commission_of(spec: PanelSpec) -> Commission:
    """A panel's goals, its budget, and whether the budget is spent or only bounds what the goals need."""
    return Commission(spec.goals, spec.budget, until_goals=spec.spend == "goals", confidence=spec.confidence)


def rounds_at_most(spec: PanelSpec) -> int:
    """Rounds that a cycle of the panel may have; the last one is left out when nothing is left to ask."""
    return most_rounds(commission_of(spec))
