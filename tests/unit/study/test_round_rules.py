import numpy as np
import pytest

from stratawatch.core.goals import Goal
from stratawatch.core.plan import Plan
from stratawatch.errors import StratawatchError
from stratawatch.study import Study
from stratawatch.study.round_rules import _grown, look_confidence
from stratawatch.study.study_progress import StudyProgress
from tests.support.study_frames import StudyData

STUDY_DATA = StudyData(3000)
GOALS = [Goal("precision", 0.07), Goal("recall", 0.09)]


class TestLookConfidence:
    def test_all_looks_together_miss_no_more_than_one_look_would(self):
        spent = sum(1 - look_confidence(0.9, look) for look in range(1, 10_000))
        assert 0.0999 < spent < 0.1

    def test_before_the_first_look_it_is_that_of_the_first(self):
        assert look_confidence(0.95, 0) == look_confidence(0.95, 1)


@pytest.fixture(scope="module")
def finished():
    study = STUDY_DATA.study(goals=GOALS, stop_rule="sequential")
    return study, STUDY_DATA.answer(study)


class TestSequential:
    def test_it_goes_on_until_every_goal_holds(self, finished):
        study, batches = finished
        assert len(batches) >= 2
        assert {row.state for row in study.estimates(["precision", "recall"])} == {"held"}

    def test_its_intervals_pay_for_the_looks_and_say_so(self, finished):
        study, batches = finished
        level = look_confidence(0.95, len(batches))
        for row in study.estimates():
            assert row.method.endswith(f"; confidence sequence, look {len(batches)} at {level:.2%}")

    def test_they_are_wider_than_those_of_one_look(self, finished):
        study, _ = finished
        plain = study._design.estimate(study._ledger, study._progress.drawn, confidence=0.95)
        for row, one in zip(study.estimates(), plain, strict=True):
            assert row.half_width > one.result.half_width

    def test_later_rounds_are_worth_a_look(self, finished):
        _, batches = finished
        drawn = len(batches[0])
        for batch in batches[1:]:
            assert len(batch) >= min(10, 0.05 * drawn)
            drawn += len(batch)

    def test_an_open_round_changes_no_estimate(self):
        study = STUDY_DATA.study(goals=GOALS, stop_rule="sequential")
        study.tell({item: STUDY_DATA.truth(item) for item in study.ask()})
        before = study.estimates()
        batch = study.ask()
        study.tell({item: not STUDY_DATA.truth(item) for item in batch[:-1]})
        assert study.estimates() == before
        study.tell({batch[-1]: True})
        assert study.estimates() != before

    def test_a_budget_is_never_exceeded(self):
        study = STUDY_DATA.study(goals=GOALS, stop_rule="sequential", budget=250)
        STUDY_DATA.answer(study)
        assert study.labels_new == 250
        assert "short" in {row.state for row in study.estimates()}

    def test_a_goal_out_of_reach_ends_with_every_item_labelled(self):
        study_data = StudyData(200)
        study = study_data.study(goals=[Goal("recall", 0.001)], stop_rule="sequential")
        study_data.answer(study)
        assert study.labels_new == 200
        assert {row.state for row in study.estimates(["recall"])} == {"held"}

    def test_people_who_cannot_tell_do_not_make_it_endless(self):
        study_data = StudyData(200)
        study = study_data.study(goals=[Goal("recall", 0.001)], stop_rule="sequential")
        study_data.answer(study, nobody_knows=set(study_data.columns["item_id"][::2]))
        assert study.labels_new == 200
        assert {row.state for row in study.estimates(["recall"])} == {"short"}


@pytest.fixture(scope="module")
def told():
    study = STUDY_DATA.study(budget=200)
    STUDY_DATA.answer(study)
    before = np.array(study._progress.rounds[-1].plan.totals)
    return study._larger([3 * total for total in before]), study._progress, before


class TestGrown:
    """What a third round adds."""

    def test_all_strata_grow_by_the_same_factor(self, told):
        design, progress, before = told
        after = np.array(_grown(design, progress, 150))
        assert after.sum() == 350
        assert np.abs(after - np.minimum(1.75 * before, design.cells.stratum_sizes)).max() <= 1.5

    def test_known_items_are_drawn_for_nothing(self, told):
        design, progress, _ = told
        known = dict.fromkeys(design.candidates.items[::3], "yes")
        after = _grown(design, StudyProgress(known, progress.rounds, progress.labels), 90)
        assert 290 < sum(after) < 400
        drawn = {design.candidates.items[row] for row in design.draw(Plan(after, {}, ""))} - progress.drawn
        assert len(drawn - known.keys()) == 90

    def test_there_is_no_more_than_there_is(self, told):
        design, progress, _ = told
        assert sum(_grown(design, progress, 10**6)) == len(design.candidates)


class TestUntilGoals:
    @pytest.mark.parametrize(("rounds", "found"), [(2, 2), (3, 3)])
    def test_labels_are_asked_for_as_often_as_was_said(self, rounds, found):
        study = STUDY_DATA.study(goals=GOALS, rounds=rounds)
        assert len(STUDY_DATA.answer(study)) == found
        assert {row.state for row in study.estimates(["precision", "recall"])} == {"held"}

    def test_a_saved_study_knows_how_often(self):
        study = STUDY_DATA.study(goals=GOALS, rounds=2)
        study.tell({item: STUDY_DATA.truth(item) for item in study.ask()})
        again = Study.from_json(study.to_json(), STUDY_DATA.frame())
        assert len(STUDY_DATA.answer(again)) == 1

    @pytest.mark.parametrize("rounds", [1, 4, 2.5, True, "2", None])
    def test_another_number_is_refused(self, rounds):
        with pytest.raises(StratawatchError, match="2 or 3"):
            STUDY_DATA.study(goals=GOALS, rounds=rounds)

    @pytest.mark.parametrize("rule", ["budget", "sequential"])
    def test_other_rules_have_no_choice(self, rule):
        with pytest.raises(StratawatchError, match="leave `rounds` out"):
            STUDY_DATA.study(goals=GOALS, budget=300, stop_rule=rule, rounds=2)

    def test_no_pool_ends_a_study_before_its_goals_hold(self, monkeypatch):
        """Pools of ten items a stratum grow as plans ask for more, and the items that were drawn stay."""
        monkeypatch.setattr("stratawatch.study.study.pool_sizes", lambda atoms, *_: (10,) * (atoms[-1].stratum + 1))
        small = STUDY_DATA.study(goals=GOALS)
        monkeypatch.undo()
        usual = STUDY_DATA.study(goals=GOALS)
        batches = [STUDY_DATA.answer(study) for study in (small, usual)]
        assert max(small._pools) > 10
        assert [sorted(batch) for batch in batches[0]] == [sorted(batch) for batch in batches[1]]
        assert small.estimates() == usual.estimates()
        assert all(not one.plan.exhausted for one in small._progress.rounds)
