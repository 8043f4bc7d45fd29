import pytest

from stratawatch.core.goals import Goal
from tests.support.study_frames import StudyData

STUDY_DATA = StudyData()


class TestPlan:
    def test_strata_hold_all_items_and_the_whole_budget(self):
        plan = STUDY_DATA.study(budget=300).plan()
        assert sum(row.items for row in plan.strata) == 4000
        assert plan.labels == sum(row.labels for row in plan.strata) == 300
        assert all(row.patterns and row.labels <= row.items for row in plan.strata)

    def test_strata_can_be_told_apart(self):
        study = STUDY_DATA.study(budget=300)
        plan = study.plan()
        shown = [(row.patterns, row.mean_score, row.lowest, row.highest) for row in plan.strata]
        assert len(set(shown)) == len(shown) > 10
        assert all(row.lowest * 0.98 <= row.mean_score <= row.highest * 1.02 for row in plan.strata)
        scores = STUDY_DATA.columns["score_lr"]
        assert sum(row.mean_score * row.items for row in plan.strata) == pytest.approx(scores.sum(), rel=0.01)
        assert min(row.lowest for row in plan.strata) == pytest.approx(scores.min(), rel=0.02)
        assert max(row.highest for row in plan.strata) == pytest.approx(scores.max(), rel=0.02)
        sizes = {
            p: sum(atom.size for atom in study._design.atoms if atom.pattern == p) for p in ("00", "01", "10", "11")
        }
        assert {p for row in plan.strata for p in row.patterns} == {p for p, size in sizes.items() if size}

    def test_without_scores_strata_have_none(self):
        plan = STUDY_DATA.study(budget=300, classifiers={"vote": (None, "pred_vote")}).plan()
        assert {(row.mean_score, row.lowest, row.highest) for row in plan.strata} == {(None, None, None)}
        assert {row.patterns for row in plan.strata} == {("0",), ("1",)}

    def test_what_is_expected_stands_beside_the_margin(self):
        plan = STUDY_DATA.study(budget=300, goals=[Goal("precision", 0.2), Goal("f1", 0.001, ("lr",))]).plan()
        found = {(row.classifier, row.metric): row for row in plan.expected}
        assert found["lr", "precision"].state == found["vote", "precision"].state == "held"
        assert (found["lr", "f1"].state, found["lr", "f1"].margin) == ("short", 0.001)
        assert (found["vote", "f1"].state, found["vote", "recall"].state) == ("no goal", "no goal")

    def test_guesses_take_the_scores_at_their_word(self):
        guess = STUDY_DATA.study(budget=300).plan()
        scores, calls = STUDY_DATA.columns["score_lr"], STUDY_DATA.columns["pred_lr"]
        found = {(row.classifier, row.metric): row.guess for row in guess.expected}
        assert guess.guessed_from == "scores"
        assert found["lr", "precision"] == pytest.approx(scores[calls].mean(), abs=0.01)
        assert found["lr", "recall"] == pytest.approx(scores[calls].sum() / scores.sum(), abs=0.01)
        assert found["lr", "false_omission_rate"] == pytest.approx(scores[~calls].mean(), abs=0.01)

    def test_with_history_they_take_its_word(self):
        first = STUDY_DATA.study(budget=600)
        STUDY_DATA.answer(first)
        plan = STUDY_DATA.study(budget=300, history=first.history()).plan()
        truth = STUDY_DATA.labels[STUDY_DATA.columns["pred_lr"]].mean()
        [row] = [row for row in plan.expected if (row.classifier, row.metric) == ("lr", "precision")]
        assert plan.guessed_from == "history"
        assert row.guess == pytest.approx(truth, abs=0.08)

    def test_what_no_label_can_tell_has_no_guess(self):
        plan = STUDY_DATA.study(frame=STUDY_DATA.frame(pred_vote=[False] * 4000), budget=300).plan()
        [row] = [row for row in plan.expected if (row.classifier, row.metric) == ("vote", "precision")]
        assert (row.guess, row.half_width, row.state) == (None, None, "undefined")

    def test_labels_do_not_change_it(self):
        study = STUDY_DATA.study(budget=120)
        before = repr(study.plan())
        STUDY_DATA.answer(study)
        assert repr(study.plan()) == before

    def test_it_reads_as_two_tables_and_marks_the_guess(self):
        text = repr(STUDY_DATA.study(budget=120).plan())
        assert text.startswith("120 labels of 4,000 items\n\nstrata; a pattern is what lr, vote say, in this order (")
        assert "\n\nstratum  patterns  mean_score  lowest  highest  items  labels\n" in text
        assert "guess: what scores alone would say, checked by no label" in text
        assert "classifier  metric" in text

    def test_it_turns_into_frames(self):
        plan = STUDY_DATA.study(budget=120).plan()
        assert list(plan.to_frame().columns) == [
            "stratum",
            "patterns",
            "mean_score",
            "lowest",
            "highest",
            "items",
            "labels",
        ]
        assert plan.to_frame()["labels"].sum() == 120
        assert list(plan.expected.to_frame().columns) == [
            "classifier",
            "metric",
            "guess",
            "half_width",
            "half_width_low",
            "half_width_high",
            "margin",
            "state",
        ]
