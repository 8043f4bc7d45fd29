import numpy as np

from stratawatch.core.designs.seeded_rng import seeded_generator
from stratawatch.core.goals import SurveySpec

SIZES = np.array([40, 60])


def thrown(survey=None, sizes=SIZES, ordinal=1) -> int:
    return int(seeded_generator(survey or SurveySpec(seed="s", design="srs"), sizes, ordinal).integers(2**60))


def test_a_round_that_is_planned_again_throws_the_same():
    assert thrown() == thrown() == thrown(sizes=SIZES.astype(np.float64))


def test_whatever_differs_throws_anew():
    others = [
        thrown(SurveySpec(seed="t", design="srs")),
        thrown(SurveySpec(seed="s", design="joint")),
        thrown(sizes=np.array([60, 40])),
        thrown(ordinal=2),
    ]
    assert len({thrown(), *others}) == 5


def test_budget_and_options_change_nothing():
    """What is known by history may change a budget while a round is planned again."""
    assert thrown(SurveySpec(seed="s", design="srs", budget=90)) == thrown()
