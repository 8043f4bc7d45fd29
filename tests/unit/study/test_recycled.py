"""design="tripathi" in a notebook: asked once, put away and taken up again, read as it was drawn."""

import numpy as np
import pytest

from stratawatch.core.goals import Goal
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.study import Study
from tests.support.study_frames import StudyData

SERVED = ("precision", "recall", "false_omission_rate")


@pytest.fixture(scope="module")
def study_data() -> StudyData:
    return StudyData()


def recycling(study_data, budget=300, **options) -> Study:
    return study_data.study(budget=budget, design="tripathi", options=options)


class TestRounds:
    def test_everything_is_asked_at_once(self, study_data):
        study = recycling(study_data)
        (batch,) = study_data.answer(study)
        assert len(batch) == study.labels_new == 300
        assert study.done

    def test_the_seed_decides(self, study_data):
        asked = [set(study_data.study(budget=300, design="tripathi", seed=seed).ask()) for seed in (1, 1, 2)]
        assert asked[0] == asked[1] != asked[2]

    def test_a_study_that_was_put_away_goes_on_as_it_was(self, study_data):
        study = recycling(study_data, parent="vote", omission_share=0.4)
        batch = study.ask()
        study.tell({item: study_data.truth(item) for item in batch[:100]})
        again = Study.from_json(study.to_json(), study_data.frame())
        assert again.ask() == study.ask() == batch[100:]
        for one in (study, again):
            one.tell({item: study_data.truth(item) for item in batch[100:]})
        assert again.estimates() == study.estimates()
        assert again.to_json() == study.to_json()


class TestEstimates:
    def test_are_near_the_truth_inside_their_intervals(self, study_data):
        study = recycling(study_data, budget=1200)
        study_data.answer(study)
        found = study.estimates()
        for name, column in (("lr", "pred_lr"), ("vote", "pred_vote")):
            calls, yes = study_data.columns[column], study_data.labels
            truth = (yes[calls].mean(), yes[calls].sum() / yes.sum(), yes[~calls].mean())
            for metric, value in zip(SERVED, truth, strict=True):
                row = found.of(name, metric)
                assert row.low <= value <= row.high
                assert row.value == pytest.approx(value, abs=0.1)

    def test_a_correction_counts_wherever_its_item_repeats(self, study_data):
        study = recycling(study_data)
        (batch,) = study_data.answer(study)
        before = study.estimates().of("lr", "precision").value
        study.tell({item: not study_data.truth(item) for item in batch}, correct=True)
        assert study.estimates().of("lr", "precision").value == pytest.approx(1 - before)

    def test_what_nobody_knows_is_left_out(self, study_data):
        study = recycling(study_data)
        asked = study.ask()
        study.tell({item: None if n % 3 == 0 else study_data.truth(item) for n, item in enumerate(asked)})
        rows = [study.estimates().of(name, metric) for name in ("lr", "vote") for metric in SERVED]
        assert {row.state for row in rows} == {"short", "known"}
        assert all(row.labels_used <= 2 * len(asked) / 3 for row in rows)

    def test_hardly_any_answer_is_blind(self, study_data):
        study = recycling(study_data)
        study.tell({item: None if n % 3 else study_data.truth(item) for n, item in enumerate(study.ask())})
        row = study.estimates().of("lr", "precision")
        assert row.state == "blind"
        assert "most answers are missing" in row.reason

    def test_what_it_does_not_tell_says_so(self, study_data):
        study = recycling(study_data)
        study_data.answer(study)
        row = study.estimates(metrics=["f1"]).of("lr", "f1")
        assert (row.state, row.value) == ("undefined", None)
        assert row.reason.startswith("design = 'tripathi' does not tell F1")


class TestRefusals:
    def test_goals_that_it_cannot_meet(self, study_data):
        with pytest.raises(PlanImpossible, match="does not tell F1"):
            study_data.study(budget=300, design="tripathi", goals=Goal("f1", 0.05))
        with pytest.raises(PlanImpossible, match="does not know how many labels goals need"):
            study_data.study(design="tripathi", goals=Goal("precision", 0.05))

    def test_a_parent_that_is_nobody(self, study_data):
        with pytest.raises(StratawatchError, match="name the unknown classifier 'mum'; expected one of lr, vote"):
            recycling(study_data, parent="mum")

    def test_a_budget_that_strata_do_not_fit_in(self, study_data):
        with pytest.raises(PlanImpossible, match="labels are too few for"):
            recycling(study_data, budget=20, omission_share=0.05)


def test_labels_of_an_earlier_study_are_taken_but_count(study_data):
    """The draw must not depend on what is known, so known items have their place in the budget."""
    first = recycling(study_data)
    study_data.answer(first)
    following = study_data.study(budget=300, design="tripathi", history=first.history())
    asked = following.ask()
    known = {row.item for row in first.history().rows}
    assert not set(asked) & known
    assert len(asked) < 300
    assert np.isfinite(following.estimates().of("lr", "precision").value)


def test_the_plan_shows_the_strata_and_what_they_should_buy(study_data):
    plan = recycling(study_data).plan()
    assert plan.labels == 300
    assert {row.metric for row in plan.expected if row.half_width} == set(SERVED)
