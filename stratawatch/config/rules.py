"""All rules that look at more than one value. A new rule is a function beside its kin and a line here."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from stratawatch.config import classifier_rules, design_rules, folder_rules, metric_rules
from stratawatch.config.problems import Problem
from stratawatch.config.tables import Table

PANEL_RULES: Final[tuple[Callable[[Table], Iterator[Problem]], ...]] = (
    classifier_rules.one_call,
    classifier_rules.cut_off_on_score,
    classifier_rules.distinct_classifiers,
    classifier_rules.distinct_helpers,
    classifier_rules.long_tables,
    classifier_rules.blind_payload,
    classifier_rules.columns_once,
    classifier_rules.large_enough,
    classifier_rules.guideline_once,
    classifier_rules.odd_votes,
    metric_rules.known_classifiers,
    metric_rules.right_direction,
    metric_rules.drops_of_shares,
    metric_rules.goals_to_spend_on,
    metric_rules.goals_for_the_design,
    metric_rules.options_of_the_design,
    design_rules.metrics_of_the_design,
    design_rules.segments_of_the_design,
    design_rules.variance_of_the_design,
    design_rules.wishes_of_the_design,
    metric_rules.known_segment,
    metric_rules.nothing_twice,
)
HOUSE_RULES: Final[tuple[Callable[[Table, Path], Iterator[Problem]], ...]] = (
    folder_rules.inside_folder,
    folder_rules.readable_guideline,
    folder_rules.separate_rooms,
    folder_rules.alert_names,
)


def rule_problems(data: Mapping[str, Any], folder: Path) -> Iterator[Problem]:
    """Everything that the rules find in the merged configuration."""
    house = Table(data)
    for panel in house.named("panels").values():
        for panel_rule in PANEL_RULES:
            yield from panel_rule(panel)
    for house_rule in HOUSE_RULES:
        yield from house_rule(house, folder)
