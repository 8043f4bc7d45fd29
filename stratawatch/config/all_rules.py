"""All rules that look at more than one value. A new rule is a function beside its kin and a line here.

Rules read validated settings, so they run when every value has its type and range. A rule of a panel places its
problems inside the panel's table.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from stratawatch.config import budget_rules, classifier_rules, design_rules, folder_rules, metric_rules, web_rules
from stratawatch.config.panel_settings import PanelSettings
from stratawatch.config.problems import Problem
from stratawatch.config.settings import Settings

PANEL_RULES: Final[tuple[Callable[[PanelSettings], Iterator[Problem]], ...]] = (
    classifier_rules.one_call,
    classifier_rules.cut_off_on_score,
    classifier_rules.distinct_classifiers,
    classifier_rules.distinct_auxiliary_scores,
    classifier_rules.long_tables,
    classifier_rules.blind_payload,
    classifier_rules.columns_once,
    classifier_rules.large_enough,
    classifier_rules.one_goes_on,
    classifier_rules.guideline_once,
    classifier_rules.odd_votes,
    classifier_rules.second_votes_alone,
    metric_rules.classifiers_exist,
    metric_rules.deployments_are_of_classifiers,
    metric_rules.right_direction,
    metric_rules.baselines_of_drops,
    metric_rules.goals_to_stop_at,
    metric_rules.segments_exist,
    metric_rules.nothing_twice,
    design_rules.design_fits,
    design_rules.pauses_fit,
)
INSTALLATION_RULES: Final[tuple[Callable[[Settings, Path], Iterator[Problem]], ...]] = (
    folder_rules.inside_folder,
    folder_rules.readable_guideline,
    folder_rules.separate_folders,
    folder_rules.alert_names,
    folder_rules.ordinary_channel,
    budget_rules.floors_fit,
    budget_rules.budget_is_shared,
    folder_rules.truth_of_panels,
    classifier_rules.votes_are_asked,
    classifier_rules.shared_items,
    web_rules.people_are_known,
    web_rules.proxy_is_there,
)


def rule_problems(settings: Settings, folder: Path) -> Iterator[Problem]:
    """Everything that the rules find in a configuration of this folder."""
    for name, panel in settings.panels.items():
        for panel_rule in PANEL_RULES:
            for problem in panel_rule(panel):
                yield replace(problem, place=("panels", name, *problem.place))
    for rule in INSTALLATION_RULES:
        yield from rule(settings, folder)
