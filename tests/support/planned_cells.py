"""Seventeen cells of two classifiers to plan rounds for."""

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.planning.labels_so_far import LabelsSoFar, UnlabelledCandidates
from tests.support.past_labels import curve, drawn

PATTERNS = [*["00"] * 6, *["01"] * 3, *["10"] * 3, *["11"] * 4, "--"]


SIZES = np.array([9000, 6000, 3000, 1500, 900, 600, 200, 150, 100, 150, 120, 90, 200, 250, 300, 400, 500.0])


SCORES = np.array([0.002, 0.01, 0.03, 0.07, 0.15, 0.3, 0.3, 0.45, 0.6, 0.35, 0.5, 0.65, 0.6, 0.75, 0.88, 0.97, 0.5])


MADE = Cells.of(("a", "b"), PATTERNS, SIZES, SCORES)


WHOLE = MADE.stratum_sizes.astype(np.int64)


SERVED = WHOLE[:-1].sum()


PAST = drawn(curve(0, 1), np.random.default_rng(1), ages=range(1, 11), each=400)


def goals(margin):
    return (Goal("precision", margin), Goal("recall", margin))


def until(margin, budget=None):
    return SurveySpec(goals(margin), budget, stop_at_goals=True)


def so_far(ordinal, totals=None, **more):
    """What is known after these totals, when labels say what scores promise."""
    totals = np.zeros(MADE.stratum_count, dtype=np.int64) if totals is None else np.asarray(totals)
    return LabelsSoFar(ordinal, totals, totals.astype(float), np.round(totals * SCORES), **more)


def known_at_first(known):
    """Costs where the first known[h] candidates of every stratum have a label already; pools hold all items."""
    strata = np.repeat(np.arange(MADE.stratum_count), WHOLE)
    place = np.concatenate([np.arange(size) for size in WHOLE])
    return UnlabelledCandidates(0, strata, place >= known[strata])


def new_labels(costs, totals):
    return int(costs.unlabelled_in(np.asarray(totals)).sum())
