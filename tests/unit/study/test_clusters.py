"""A study whose items belong to customers, and one whose intervals come about otherwise."""

import numpy as np
import pytest

from stratawatch.core.goals import Goal
from stratawatch.core.metrics import METRICS
from stratawatch.errors import PlanImpossible, StratawatchError
from tests.support.study_frames import FRAMES, StudyData

STUDY_DATA = StudyData()


def customers(size):
    """Customers of so many items in a row of the frame: what they are about does not depend on it."""
    return [f"c{row // size}" for row in range(len(STUDY_DATA.columns["item_id"]))]


def alike():
    """Customers of thirty items on whom everybody says the same."""
    names = np.empty(len(STUDY_DATA.labels), dtype=object)
    for word in (True, False):
        rows = np.flatnonzero(STUDY_DATA.labels == word)
        names[rows] = [f"{word} {place // 30}" for place in range(len(rows))]
    return list(names)


def told(**settings):
    study = STUDY_DATA.study(budget=200, **settings)
    STUDY_DATA.answer(study)
    return study


@pytest.fixture(scope="module")
def plain():
    return told()


class TestCluster:
    def test_draws_the_same_items_and_finds_the_same_values(self, plain):
        study = told(frame=STUDY_DATA.frame(customer=alike()), cluster="customer")
        assert study.labels_new == plain.labels_new
        assert [row.value for row in study.estimates()] == [row.value for row in plain.estimates()]

    def test_widens_every_interval_and_says_by_how_much(self, plain):
        rows = told(frame=STUDY_DATA.frame(customer=alike()), cluster="customer").estimates()
        for row, before in zip(rows, plain.estimates(), strict=True):
            assert row.half_width > before.half_width
            assert row.n_eff < before.n_eff
        assert max(row.deff for row in rows) > 1.5
        assert {row.deff for row in plain.estimates()} == {None}
        assert "deff" in repr(rows)
        assert "deff" not in repr(plain.estimates())

    def test_of_items_of_their_own_changes_nothing(self, plain):
        rows = told(cluster="item_id").estimates()
        assert [(row.low, row.high) for row in rows] == [(row.low, row.high) for row in plain.estimates()]
        assert {row.deff for row in rows} == {1.0}

    @pytest.mark.parametrize("kind", FRAMES)
    def test_without_a_name_an_item_is_its_own(self, kind, plain):
        half = [name if row % 2 else None for row, name in enumerate(customers(40))]
        rows = told(frame=STUDY_DATA.frame(kind, customer=half), cluster="customer").estimates()
        nobody = told(frame=STUDY_DATA.frame(kind, customer=[None] * len(half)), cluster="customer").estimates()
        assert [(row.low, row.high) for row in nobody] == [(row.low, row.high) for row in plain.estimates()]
        assert [row.high for row in rows] != [row.high for row in plain.estimates()]

    def test_of_all_items_is_no_information(self):
        rows = told(frame=STUDY_DATA.frame(customer=["c"] * 4000), cluster="customer").estimates()
        assert {row.state for row in rows} == {"undefined"}
        assert "of one cluster" in rows[0].reason

    def test_widens_comparisons(self, plain):
        study = told(frame=STUDY_DATA.frame(customer=alike()), cluster="customer")
        wide, before = (one.compare("lr", "vote", "precision") for one in (study, plain))
        assert wide.deff is not None
        assert wide.half_width >= before.half_width

    def test_is_kept_and_must_come_back_as_it_was(self):
        frame = STUDY_DATA.frame(customer=alike())
        study = told(frame=frame, cluster="customer")
        again = type(study).from_json(study.to_json(), frame.sample(frac=1, random_state=2))
        assert again.estimates() == study.estimates()
        with pytest.raises(StratawatchError, match="the frame is not the one"):
            type(study).from_json(study.to_json(), STUDY_DATA.frame(customer=customers(7)))

    def test_until_the_goals_hold_it_takes_more_labels(self):
        goals = {"goals": [Goal("precision", 0.06)], "budget": None}
        studies = [
            STUDY_DATA.study(frame=STUDY_DATA.frame(customer=names), cluster="customer", **goals)
            for names in (alike(), customers(1))
        ]
        for study in studies:
            STUDY_DATA.answer(study)
        assert studies[0].labels_new > studies[1].labels_new

    def test_that_is_no_column_is_refused(self):
        with pytest.raises(StratawatchError, match="the frame has no column 'user', the clusters; expected one of"):
            STUDY_DATA.study(cluster="user")


class TestVariance:
    def test_by_replicates_gives_the_same_values_with_other_intervals(self, plain):
        rows = told(variance="brr").estimates()
        assert [row.value for row in rows] == pytest.approx([row.value for row in plain.estimates()])
        assert all("BRR, 256 replicates, t" in row.method or "BRR, 128" in row.method for row in rows)
        assert [row.high for row in rows] != [row.high for row in plain.estimates()]

    def test_the_same_labels_have_the_same_intervals(self):
        assert told(variance="brr").estimates() == told(variance="brr").estimates()

    def test_is_kept(self):
        study = told(variance="brr", segments=["region"])
        again = type(study).from_json(study.to_json(), STUDY_DATA.frame())
        assert again.estimates() == study.estimates()
        assert again.warnings == study.warnings

    def test_its_users_are_warned(self, plain):
        study = told(variance="brr")
        assert study.warnings[0].startswith("Intervals of variance = 'brr' are too narrow")
        assert study.warnings[0] in repr(study.plan())
        assert plain.warnings == ()

    def test_another_word_is_refused(self):
        with pytest.raises(
            StratawatchError, match="there is no variance 'bootstrap'; expected one of default, labels, brr"
        ):
            STUDY_DATA.study(variance="bootstrap")
        with pytest.raises(StratawatchError, match=r"there is no variance \[\]; expected one of default, labels, brr"):
            STUDY_DATA.study(variance=[])

    def test_a_design_with_estimates_of_its_own_is_refused(self):
        with pytest.raises(PlanImpossible, match="'brr' is not one of the estimates of design = 'srs'"):
            STUDY_DATA.study(variance="brr", design="srs", budget=100)

    def test_answers_that_agree_are_no_information(self):
        study = STUDY_DATA.study(variance="brr", budget=100)
        while items := study.ask():
            study.tell(dict.fromkeys(items, True))
        rows = study.estimates(METRICS)
        assert {row.state for row in rows} == {"undefined"}
        assert " say yes and 0 no: replicates tell nothing" in rows.of("lr", "precision").reason

    def test_goes_with_clusters_and_with_rounds_until_goals_hold(self):
        frame = STUDY_DATA.frame(customer=alike())
        study = told(frame=frame, cluster="customer", variance="brr", stop_rule="sequential")
        row = study.estimates().of("lr", "precision")
        assert "BRR" in row.method
        assert "confidence sequence" in row.method
        assert row.deff is not None
