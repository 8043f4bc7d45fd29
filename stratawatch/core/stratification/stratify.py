"""Strata: unions of atoms, possibly of several patterns, that labels are drawn from as one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.model import has_enough_labels, prior_rate
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.planning.expected_rates import prior_rates
from stratawatch.core.planning.focus import strata_goals
from stratawatch.core.planning.goal_variances import goal_gradients
from stratawatch.core.planning.round_sizes import first_round_labels
from stratawatch.core.population import Atom, Census, Counts
from stratawatch.core.stratification.agglomerate import InitialGroups, Moments, renumbered_groups
from stratawatch.core.stratification.initial_atoms import initial_atoms
from stratawatch.core.tuning import PLANNER
from stratawatch.errors import PlanImpossible

_FEWEST, _MOST = 5, 60
_LABELS_A_STRATUM: Final = 20
_FEW_WITH_HISTORY, _LABELS_WITH_HISTORY = 10, 10


def stratify(census: Census, survey: SurveySpec, history: History = NO_HISTORY) -> tuple[Atom, ...]:
    """The atoms of a census, sorted by (pattern, bin), each with the number of its stratum.

    Initial cells are merged to one stratum for every twenty labels, 5 to 60 of them (60 where margins decide how many
    labels there are; with a history the first ten for ten labels each), where the goals lose least: the greedy rule of
    `InitialGroups` on x_j = g_j y / margin_j, y a label and g_j its effect on the metric. Cells without any call are
    one stratum of their own, which gets no labels.
    """
    goals = strata_goals(survey)
    fine = _fine(census, goals, history)
    if not fine.atoms:
        return ()
    group = np.full(len(fine.atoms), -1)
    group[fine.with_calls] = fine.coarse.merged(_stratum_count(survey, fine.items, history), PLANNER.min_labels)
    return tuple(
        atom.in_stratum(number) for atom, number in zip(fine.atoms, renumbered_groups(group).tolist(), strict=True)
    )


@dataclass(frozen=True)
class _Fine:
    """What is cut before it matters how many labels there are: atoms, those of them that were judged, their items."""

    atoms: tuple[Atom, ...]
    with_calls: Counts
    items: float
    coarse: InitialGroups


def _fine(census: Census, goals: tuple[Goal, ...], history: History) -> _Fine:
    """The cut of a census for these goals; computed once, as forecasts and simulations try many budgets on it."""
    of_history, fine = census.memo.get(goals, (None, None))
    if fine is None or of_history is not history:
        fine = _cut(census, goals, history)
        census.memo[goals] = history, fine
    return cast("_Fine", fine)


def _cut(census: Census, goals: Sequence[Goal], history: History) -> _Fine:
    atoms = _with_prior_rates(initial_atoms(census, history), census, history)
    cells = Cells.of_atoms(census.classifiers, atoms)
    with_calls = np.flatnonzero(cells.has_call)
    coarse = InitialGroups.of(_moments(cells, goals, history).of(with_calls))
    return _Fine(atoms, with_calls, float(cells.sizes[with_calls].sum()), coarse)


def _with_prior_rates(atoms: tuple[Atom, ...], census: Census, history: History) -> tuple[Atom, ...]:
    """The atoms with the rates that history's model predicts: frozen with the design, for plans and estimates alike."""
    shares = prior_rate(Cells.of_atoms(census.classifiers, atoms), history) if atoms else None
    if shares is None:
        return atoms
    return tuple(replace(atom, prior_rate=share) for atom, share in zip(atoms, shares.tolist(), strict=True))


def _moments(cells: Cells, goals: Sequence[Goal], history: History) -> Moments:
    """E |x|^2 = sum_j (g_j/margin_j)^2 (s^2 + p^2) and E x_j = g_j p/margin_j, times the items of each cell."""
    rates = prior_rates(cells, history)
    rows = goal_gradients(cells, goals, rates)
    effects = rows.gradients / rows.margins[:, None]
    squares = cells.sizes * (rates.variance + rates.rate**2) * (effects**2).sum(axis=0)
    return Moments(cells.sizes, squares, (cells.sizes * rates.rate * effects).T)


def _stratum_count(survey: SurveySpec, items: float, history: History) -> int:
    """How many strata: one for twenty labels, 60 for goals; no more than the first round can give two labels each.

    With a history five strata of a hundred labels hide the few misses among what is nearly sure; ten do not.
    """
    if survey.budget is None:
        return _MOST
    least = int(min(PLANNER.min_labels, items))
    if survey.budget < least:
        raise PlanImpossible(
            f"a budget of {survey.budget} labels tells nothing",
            expected=f"at least {least}, for an interval",
            hint="raise the budget",
        )
    usual = _MOST if survey.stop_at_goals else round(survey.budget / _LABELS_A_STRATUM)
    if has_enough_labels(history):
        usual = max(usual, min(round(survey.budget / _LABELS_WITH_HISTORY), _FEW_WITH_HISTORY))
    affordable = first_round_labels(survey.budget) // PLANNER.min_labels
    return max(1, min(int(np.clip(usual, _FEWEST, _MOST)), affordable))
