from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.planning.round_sizes import first_round_labels
from stratawatch.core.population import NO_BIN, Census
from stratawatch.core.score_bins import centres
from stratawatch.core.stratification.initial_atoms import initial_atoms
from stratawatch.core.stratification.stratify import stratify
from stratawatch.errors import PlanImpossible, StratawatchError
from tests.support.censuses import census, panel, spread
from tests.support.hypothesis_examples import examples
from tests.support.machine_speed import slowness

ROWS = (*spread("00", 20, 450), *spread("01", 400, 500), *spread("10", 500, 600), *spread("11", 550, 950))


def cut(rows, budget, **more):
    return stratify(census(rows), SurveySpec(budget=budget, **more))


def count(atoms) -> int:
    return len({atom.stratum for atom in atoms})


def _past(made: Census) -> History:
    """A label for every cell, drawn from its score."""
    scores = centres(made.bins)
    return History(
        ages=np.ones(len(scores), dtype=np.int64),
        patterns=made.patterns,
        scores=scores,
        positive=np.random.default_rng(1).random(len(scores)) < scores,
        weights=made.counts.astype(np.float64),
        drawable=np.zeros(len(scores), dtype=np.bool_),
    )


def members(atoms, stratum):
    return [atom for atom in atoms if atom.stratum == stratum]


def test_budgets_share_what_is_cut_for_any_of_them():
    made = panel(4, 2_000)
    stratify(made, SurveySpec(budget=100))
    ((_, shared),) = made.memo.values()
    stratify(made, SurveySpec(budget=300))
    assert [kept for _, kept in made.memo.values()] == [shared]
    stratify(made, SurveySpec(budget=300), _past(made))
    assert [kept for _, kept in made.memo.values()] != [shared]
    assert replace(made, auxiliary=()).memo == {}


class TestHowMany:
    @pytest.mark.parametrize(("budget", "strata"), [(40, 5), (100, 5), (140, 7), (300, 15), (600, 30), (10_000, 60)])
    def test_one_for_twenty_labels_within_5_and_60(self, budget, strata):
        assert count(stratify(panel(4, 20_000), SurveySpec(budget=budget))) == strata

    def test_labels_until_goals_are_held_have_all_sixty(self):
        made = panel(4, 20_000)
        assert count(stratify(made, SurveySpec(stop_at_goals=True))) == 60
        assert count(stratify(made, SurveySpec(budget=400, stop_at_goals=True))) == 60

    def test_never_more_than_there_are_atoms(self):
        assert count(cut([("0", 100, 5000), ("1", 900, 500)], 1000)) == 2

    @pytest.mark.parametrize("budget", [2, 3, 7, 15, 39, 40, 41])
    def test_the_first_round_gives_each_its_two_labels(self, budget):
        assert 2 * count(cut(ROWS, budget)) <= first_round_labels(budget)


class TestWhichGoTogether:
    def test_strata_mix_patterns_and_atoms_do_not(self):
        made = panel(4, 20_000)
        atoms = stratify(made, SurveySpec(budget=100))
        assert [replace(atom, stratum=0) for atom in atoms] == list(initial_atoms(made))
        assert any(len({atom.pattern for atom in members(atoms, number)}) > 1 for number in range(10))

    def test_items_that_nobody_judged_are_a_stratum_of_their_own(self):
        rows = [*ROWS, ("--", NO_BIN, 999), ("--", 30, 9)]
        atoms = cut(rows, 100)
        (alone,) = [atom for atom in atoms if atom.pattern == "--"]
        assert members(atoms, alone.stratum) == [alone]
        assert count(atoms) == count(cut(ROWS, 100)) + 1

    def test_judged_by_a_helper_alone_is_judged_by_nobody(self):
        rows = [("01", 20, 500), ("00", 10, 500), ("11", 900, 200), ("-1", 700, 30), ("-0", 20, 30)]
        atoms = stratify(census(rows, auxiliary=("judge",)), SurveySpec(budget=100))
        unjudged = {atom.stratum for atom in atoms if atom.pattern[0] == "-"}
        assert len(unjudged) == 1
        assert {atom.pattern for atom in members(atoms, unjudged.pop())} == {"-0", "-1"}

    @pytest.mark.parametrize("remembered", [False, True])
    @pytest.mark.parametrize("letter", "01-")
    def test_a_helper_that_always_says_the_same_changes_only_its_letter(self, letter, remembered):
        made, survey = panel(4, 20_000), SurveySpec(budget=300)
        helped = replace(made, patterns=tuple(p + letter for p in made.patterns), auxiliary=("judge",))
        past = _past(made) if remembered else NO_HISTORY
        past_helped = replace(past, patterns=tuple(p + letter for p in past.patterns))
        alone, together = stratify(made, survey, past), stratify(helped, survey, past_helped)
        assert [replace(atom, pattern=atom.pattern + letter, prior_rate=None) for atom in alone] == [
            replace(atom, prior_rate=None) for atom in together
        ]
        foretold = [[atom.prior_rate for atom in atoms] for atoms in (alone, together)]
        assert foretold[1] == (pytest.approx(foretold[0], rel=1e-4) if remembered else [None] * len(alone))

    def test_goals_decide_what_is_kept_apart(self):
        """Precision of b alone: items that b calls negative teach nothing and share one stratum."""
        atoms = cut(ROWS, 100, goals=(Goal("precision", 0.03, classifiers=("c1",)),))
        assert len({atom.stratum for atom in atoms if atom.pattern[1] == "0"}) == 1
        assert len({atom.stratum for atom in atoms if atom.pattern[1] == "1"}) == count(atoms) - 1

    def test_a_goal_for_a_stranger_is_refused(self):
        with pytest.raises(StratawatchError, match="unknown classifier 'z'"):
            cut(ROWS, 100, goals=(Goal("precision", 0.03, classifiers=("z",)),))

    def test_single_items_do_not_take_a_stratum_each(self):
        rows = [*ROWS, *(("1-", bin_, 1) for bin_ in range(100, 120)), *((f"-{v}", 5, 1) for v in "01")]
        atoms = cut(rows, 600)
        sizes = [sum(atom.size for atom in members(atoms, number)) for number in range(count(atoms))]
        assert min(sizes) >= 2

    def test_strata_are_numbered_by_their_first_atoms(self):
        strata = [atom.stratum for atom in cut(ROWS, 300)]
        assert list(dict.fromkeys(strata)) == list(range(15))


class TestManyBudgets:
    """A census is cut finely once, however many numbers of labels are asked about."""

    ASKED = (*(SurveySpec(budget=budget) for budget in (100, 300, 700, 5000)), SurveySpec(stop_at_goals=True))

    @pytest.mark.parametrize("remembered", [False, True])
    def test_one_census_is_cut_as_fresh_ones_are(self, remembered):
        made = panel(5, 20_000)
        past = _past(made) if remembered else NO_HISTORY
        asked = [*self.ASKED, SurveySpec(budget=300, goals=(Goal("f1", 0.05),)), *self.ASKED]
        assert [stratify(made, one, past) for one in asked] == [stratify(replace(made), one, past) for one in asked]

    def test_another_history_is_not_mistaken_for_the_first(self):
        made = panel(5, 20_000)
        alone = stratify(made, self.ASKED[0])
        assert stratify(made, self.ASKED[0], _past(made)) != alone == stratify(made, self.ASKED[0])

    def test_its_fine_cells_are_made_once(self, monkeypatch):
        made, found = panel(5, 20_000), []
        monkeypatch.setattr(
            "stratawatch.core.stratification.stratify.initial_atoms", lambda *of: found.append(of) or initial_atoms(*of)
        )
        for one in self.ASKED:
            stratify(made, one)
        assert len(found) == 1


class TestExtremes:
    def test_two_labels_are_the_least_budget(self):
        assert count(cut(ROWS, 2)) == 1
        with pytest.raises(PlanImpossible, match="a budget of 1 labels tells nothing; expected at least 2"):
            cut(ROWS, 1)

    def test_one_item_needs_one_label(self):
        assert [atom.stratum for atom in cut([("1", 900, 1)], 1)] == [0]

    def test_an_empty_census_has_no_atoms(self):
        empty = np.array([], dtype=np.int64)
        assert stratify(Census(("c",), (), empty, empty), SurveySpec(budget=10)) == ()

    def test_nobody_judged_anything(self):
        assert [(atom.pattern, atom.stratum) for atom in cut([("--", 3, 40), ("--", NO_BIN, 2)], 10)] == [("--", 0)]

    def test_more_budget_than_items(self):
        atoms = cut([("0", 100, 5), ("0", 200, 5), ("1", 900, 4)], 1000)
        assert sum(atom.size for atom in atoms) == 14
        assert count(atoms) == 3

    @pytest.mark.parametrize("classifiers", [1, 2, 5, 20])
    def test_all_scores_tied(self, classifiers):
        atoms = cut([("0" * classifiers, 512, 900), ("1" * classifiers, 512, 100)], 100)
        assert [atom.stratum for atom in atoms] == [0, 1]

    def test_scores_of_exactly_nothing_and_everything(self):
        assert count(cut([("0", 0, 9000), ("1", 1023, 1000)], 300)) == 2

    def test_nobody_calls_anything_positive(self):
        assert count(cut(spread("00", 20, 200), 200)) == 10


class TestSpeed:
    def test_four_hundred_cells_in_a_moment(self):
        made = panel(6, 30_000)
        assert len(initial_atoms(made)) > 250
        started = process_time()
        stratify(made, SurveySpec(budget=1000))
        assert process_time() - started < 0.5 * slowness()

    def test_twenty_classifiers_with_thousands_of_patterns(self):
        made = panel(20, 100_000)
        assert len(set(made.patterns)) > 5000
        started = process_time()
        atoms = stratify(made, SurveySpec(budget=1000))
        assert process_time() - started < 3 * slowness()
        assert count(atoms) == 50


row = st.tuples(st.sampled_from(["00", "01", "1-", "11", "--"]), st.integers(-1, 1023), st.integers(1, 10**6))


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(row, min_size=1, max_size=60, unique_by=lambda r: r[:2]),
    st.integers(2, 3000),
    st.randoms(use_true_random=False),
)
def test_every_item_has_one_stratum_whatever_the_order_of_rows(rows, budget, random):
    atoms = cut(sorted(rows), budget)
    cells = Cells.of_atoms(("c0", "c1"), atoms)
    assert sorted({atom.stratum for atom in atoms}) == list(range(cells.stratum_count))
    assert cells.stratum_sizes.sum() == sum(count for _, _, count in rows)
    served = cells.by_stratum(np.where(cells.has_call, cells.sizes, 0.0))
    assert bool(np.all((served == 0) | (served == cells.stratum_sizes)))
    assert (served == 0).sum() <= 1
    judged = served[served > 0]
    assert judged.size == 0 or judged.min() >= min(2, judged.sum())
    assert 2 * judged.size <= max(budget, 2)
    random.shuffle(rows)
    assert cut(rows, budget) == atoms
