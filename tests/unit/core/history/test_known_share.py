"""Truth that came by itself raises the rates that plans expect: it moves labels, and never what they say."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.model import known_share
from stratawatch.core.history.past_labels import NO_HISTORY, KnownPositives
from stratawatch.core.planning.expected_rates import prior_rates
from stratawatch.core.stratification.stratify import stratify
from tests.support.labelled_population import LabelledPopulation
from tests.support.scored_populations import one_side
from tests.support.simulated_cycles import outcomes, run_cycles, score, world

CELLS = Cells.of(("a",), ("0", "0", "1"), np.array([100.0, 100.0, 100.0]), np.array([0.01, 0.2, 0.9]))


def known(patterns, scores, items, positives):
    made = KnownPositives(tuple(patterns), *(np.array(column, dtype=float) for column in (scores, items, positives)))
    return replace(NO_HISTORY, known=made)


def test_counts_what_is_nearest_in_score_among_cells_of_the_same_pattern():
    share = known_share(
        CELLS, known(["0", "0", "0", "1", "9"], [0.02, 0.0, 0.3, 0.02, 0.5], [60, 20, 80, 30, 9], [8, 2, 5, 0, 9])
    )
    assert share.tolist() == pytest.approx([10 / 100, 5 / 100, 0])


def test_items_without_a_score_lie_where_such_cells_do():
    assert known_share(CELLS, known(["0"], [np.nan], [80], [20])).tolist() == pytest.approx([0.2, 0, 0])


def test_a_rate_is_raised_and_never_lowered():
    rates = prior_rates(CELLS, known(["0", "1"], [0.01, 0.9], [180, 180], [60, 20])).rate
    assert rates.tolist() == pytest.approx([0.3, 0.2, 0.9])


def test_estimates_are_frozen_without_it():
    """The shares that assist estimates are those of labels alone."""
    history = known(["00"], [0.02], [100], [90])
    people = LabelledPopulation(["00"] * 300 + ["11"] * 100, [0.02] * 300 + [0.8] * 100, [False] * 400, 60)
    atoms = stratify(people.census, SurveySpec(budget=60), history)
    assert all(atom.prior_rate is None for atom in atoms)


def test_a_wrong_truth_costs_labels_and_no_validity():
    """Most quiet items with low scores are said to be positive, and hardly any is: the draw is a worse one, but fair."""
    scores, labels = one_side("calibrated .01", 20_000)
    made = world(("c",), np.full(len(labels), "0"), scores, labels, 300)
    wrong = known(["0"] * 4, np.quantile(scores, [0.05, 0.15, 0.25, 0.35]), [1000] * 4, [970] * 4)
    variances = []
    for history in (NO_HISTORY, wrong):
        rng = np.random.default_rng(8)
        cycles = run_cycles(made, (Goal("false_omission_rate", 0.01),), 300, rng, 60, history=history)
        found = score(outcomes(made, cycles, "false_omission_rate", 0), made.truth("false_omission_rate", 0))
        assert found.coverage >= 0.93
        assert abs(found.bias) < 0.5
        variances.append(drawn_variance(made, np.mean([cycle.labelled.drawn for cycle in cycles], axis=0)))
    assert variances[1] > 1.03 * variances[0]


def drawn_variance(made, totals) -> float:
    """The variance of the number of positives as the strata alone would estimate it: sum of N^2 p (1 - p) / n."""
    sizes = made.cells.stratum_sizes
    share = made.cells.by_stratum(made.positives.sum(axis=1).astype(float)) / sizes
    return float((sizes**2 * share * (1 - share) / totals).sum())
