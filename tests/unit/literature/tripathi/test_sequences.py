from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.cells import Cells
from stratawatch.core.designs.frozen import stratify_for_survey
from stratawatch.core.goals import Goal
from stratawatch.core.population import Census
from stratawatch.errors import PlanImpossible
from stratawatch.literature.tripathi.parent_choice import best_parent, expected_labels
from stratawatch.literature.tripathi.recycling_options import RecyclingOptions
from stratawatch.literature.tripathi.sequences import ClassifierSequences
from tests.support.hypothesis_examples import examples
from tests.support.tripathi_cycle import CENSUS, NAMES, survey


def sequences(budget=300, goals=(), seed="s", census=CENSUS, **options) -> ClassifierSequences:
    asked = survey(budget, goals, seed, **options)
    cells = Cells.of_atoms(census.classifiers, stratify_for_survey(census, asked))
    return ClassifierSequences(cells, asked, RecyclingOptions(**options))


class TestFullLengths:
    def test_is_the_papers_sample_size_for_the_usual_margin(self):
        assert sequences().lengths_for_margins.tolist() == [1068] * 3
        assert sequences(at_least=0.9).lengths_for_margins.tolist() == [385] * 3

    def test_follows_the_narrowest_goal_of_each_and_the_widest_of_others(self):
        goals = (Goal("precision", 0.05), Goal("precision", 0.03, ("b",)), Goal("recall", 0.01))
        assert sequences(goals=goals).lengths_for_margins.tolist() == [385, 1068, 385]
        assert sequences(goals=goals[1:2]).lengths_for_margins.tolist() == [1068] * 3

    def test_is_nothing_for_who_calls_nothing(self):
        census = replace(CENSUS, patterns=tuple(name[:2] + "0" + name[3:] for name in CENSUS.patterns))
        assert sequences(census=census).lengths_for_margins.tolist() == [1068, 1068, 0]


class TestParent:
    def test_is_the_one_with_the_fewest_expected_labels(self):
        found = sequences()
        labels = [expected_labels(found.patterns, found.lengths_for_margins, place) for place in range(3)]
        assert found.parent == best_parent(found.patterns, found.lengths_for_margins) == int(np.argmin(labels))

    @pytest.mark.parametrize("name", NAMES)
    def test_may_be_named(self, name):
        assert sequences(parent=name).parent == NAMES.index(name)

    def test_that_calls_nothing_is_refused(self):
        census = Census(("a", "b"), ("00", "01"), np.array([100, 900]), np.array([90, 10]))
        with pytest.raises(PlanImpossible, match="the parent 'a' calls no item positive"):
            sequences(census=census, parent="a")
        silent = replace(census, patterns=("00", "0-"))
        with pytest.raises(PlanImpossible, match="no classifier calls any item positive"):
            sequences(census=silent)


class TestDraw:
    @settings(deadline=None, max_examples=examples(40))
    @given(
        budget=st.integers(60, 1500),
        share=st.sampled_from([0.0, 0.2, 0.5, 0.8]),
        parent=st.sampled_from(["", *NAMES]),
        seed=st.text(max_size=3),
    )
    def test_stays_within_the_budget_and_in_what_was_judged(self, budget, share, parent, seed):
        try:
            found = sequences(budget, seed=seed, parent=parent, omission_share=share)
        except PlanImpossible:
            assert budget < 120
            return
        assert found.totals.sum() <= budget
        assert (found.totals <= found.cells.stratum_sizes).all()
        assert (found.totals >= found.sequence_totals).all()
        judged = found.cells.by_stratum(found.cells.has_call.astype(float)) > 0
        assert found.totals[~judged].sum() == 0
        quiet = found.pattern_of_stratum < 0
        assert found.totals[quiet & ~found.omission_strata].sum() == 0
        if share == 0:
            assert found.totals.tolist() == found.sequence_totals.tolist()
        for place in range(3):
            numbers = found.draw.items_of(place)
            strata = np.repeat(np.arange(found.cells.stratum_count), found.sequence_totals)
            order = np.argsort(
                np.concatenate([found.first_item_number[h] + np.arange(n) for h, n in enumerate(found.sequence_totals)])
            )
            called = found.cells.by_stratum(found.cells.positive[:, place].astype(float)) > 0
            assert called[strata[order][numbers]].all()

    def test_spends_all_that_precisions_leave_among_the_parents_negatives(self):
        assert sequences(300).totals.sum() == 300

    def test_is_the_longest_that_its_part_pays_for(self):
        found = sequences(300, omission_share=0.5)
        lengths = [len(part.sequence) for part in found.draw.sequences]
        assert found.draw.labels <= 150
        assert len(set(lengths)) == 1
        assert found.draw_of_length(lengths[0] + 1).labels > 150

    def test_is_never_longer_than_goals_need(self):
        found = sequences(1400, goals=(Goal("precision", 0.1),))
        assert [len(part.sequence) for part in found.draw.sequences] == [97] * 3

    def test_depends_on_the_seed_alone(self):
        one, two, other = sequences(), sequences(), sequences(seed="t")
        assert one.draw.items.tolist() == two.draw.items.tolist()
        assert one.totals.tolist() == two.totals.tolist()
        assert one.draw.items.tolist() != other.draw.items.tolist()

    def test_too_few_labels_for_the_strata_are_said_at_once(self):
        with pytest.raises(PlanImpossible, match="labels are too few for"):
            sequences(6, parent="a")
        with pytest.raises(PlanImpossible, match="does not buy one draw a classifier"):
            sequences(1, omission_share=0.9)
