"""A census of three classifiers, one of which did not judge everything, beside an auxiliary score."""

import numpy as np

from stratawatch.core.designs.frozen import FrozenDesign, stratify_for_survey
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.population import Candidates, Census
from stratawatch.core.verdicts import VerdictsByItem

NAMES = ("a", "b", "c")
ROWS = {
    ("0000", 200): 500,
    ("0000", 350): 300,
    ("0001", 400): 200,
    ("0011", 500): 40,
    ("0100", 520): 60,
    ("0101", 530): 30,
    ("0110", 600): 25,
    ("1000", 540): 50,
    ("1100", 610): 90,
    ("1111", 900): 120,
    ("-000", 300): 45,
    ("-100", 620): 15,
    ("----", -1): 10,
}
CENSUS = Census(
    NAMES,
    tuple(pattern for pattern, _ in ROWS),
    np.array([place for _, place in ROWS]),
    np.array(list(ROWS.values())),
    auxiliary=("judge",),
)


def survey(budget=300, goals=(), seed="s", **options) -> SurveySpec:
    return SurveySpec(budget=budget, goals=goals, design="tripathi", options=options, seed=seed)


def design_of(asked=None, census=CENSUS, shuffled=3) -> FrozenDesign:
    """The design with every item as a candidate, in an order that knows nothing."""
    asked = asked or survey()
    atoms = stratify_for_survey(census, asked)
    homes = np.repeat(np.arange(len(atoms)), [atom.size for atom in atoms])
    numbers = np.random.default_rng(shuffled).permutation(len(homes)).tolist()
    items = tuple(f"i{row}" for row in range(len(homes)))
    return FrozenDesign(census.classifiers, atoms, Candidates(items, homes, tuple(f"{n:032x}" for n in numbers)), asked)


def drawn(design) -> list[str]:
    plan = design.plan(design.survey, VerdictsByItem({}), (), ordinal=1, history=NO_HISTORY)
    return [design.candidates.items[row] for row in design.draw(plan)]


def pattern_of(design, item) -> str:
    return design.atoms[int(design.candidates.atoms[int(item[1:])])].pattern


def estimates_of(design, says, metrics=("precision", "recall", "false_omission_rate"), **settings):
    """Estimates from what the drawn items' labels say."""
    labels = {item: verdict for item, verdict in says.items() if verdict}
    found = design.estimate(VerdictsByItem(labels), list(says), metrics=metrics, **settings)
    return {(one.classifier, one.metric): one for one in found if one.segment is None}
