"""One study after another: labels that are known are not asked for again."""

import pytest

from stratawatch.errors import StratawatchError
from stratawatch.study import StudyHistory
from tests.support.study_frames import CLASSIFIERS, StudyData

STUDY_DATA = StudyData()


@pytest.fixture(scope="module")
def first():
    study = STUDY_DATA.study(budget=300)
    STUDY_DATA.answer(study, nobody_knows={study.ask()[0]})
    return study


class TestHistory:
    def test_has_a_row_a_label_and_none_for_what_nobody_could_tell(self, first):
        rows = first.history().rows
        assert len(rows) == 299
        assert {row.period for row in rows} == {1}
        assert all(row.verdict == ("yes" if STUDY_DATA.truth(row.item) else "no") for row in rows)
        assert all(len(row.pattern) == 2 and 0 < row.z < 1 for row in rows)

    def test_weights_add_up_to_the_population(self, first):
        assert sum(row.weight for row in first.history().rows) == pytest.approx(4000, rel=0.05)

    def test_is_empty_before_any_label(self):
        assert len(STUDY_DATA.study(budget=300).history()) == 0


class TestNextStudy:
    def test_known_items_are_drawn_but_not_asked(self, first):
        study = STUDY_DATA.study(budget=200, history=first.history())
        asked = {item for batch in STUDY_DATA.answer(study) for item in batch}
        known = {row.item for row in first.history().rows}
        assert not asked & known
        assert study.labels_new == len(asked) <= 200
        assert study.estimates().of("lr", "recall").labels_used > study.labels_new

    def test_known_labels_leave_room_for_the_whole_budget(self, first):
        """Pools that were sized for the budget alone would be full of items that are known."""
        study = STUDY_DATA.study(budget=100, history=first.history())
        STUDY_DATA.answer(study)
        assert study.labels_new == 100

    def test_an_item_that_nobody_could_tell_is_asked_once_more(self, first):
        unresolved = next(item for item, verdict in first._progress.labels.items() if verdict == "unresolved")
        study = STUDY_DATA.study(history=first.history())
        assert unresolved in {item for batch in STUDY_DATA.answer(study) for item in batch}

    def test_classifiers_may_be_named_in_another_order(self, first):
        """Letters of past patterns follow: the same plan, and the same items."""
        swapped = {name: CLASSIFIERS[name] for name in reversed(CLASSIFIERS)}
        usual = STUDY_DATA.study(budget=100, history=first.history())
        other = STUDY_DATA.study(budget=100, history=first.history(), classifiers=swapped)
        guesses = [{(r.classifier, r.metric): r.guess for r in study.plan().expected} for study in (usual, other)]
        assert guesses[1] == pytest.approx(guesses[0], rel=1e-6)
        assert {row.pattern for row in other.history().rows} == {"00", "01", "10", "11"}
        assert usual.plan().guessed_from == other.plan().guessed_from == "history"

    def test_items_of_another_week_only_guide_the_plan(self, first):
        other = StudyData(seed=2)
        frame = other.frame(item_id=[f"w{i}" for i in range(4000)])
        study = other.study(frame=frame, budget=120, history=first.history())
        asked = study.ask()
        assert study._history.drawable.sum() == 0
        assert len(asked) == 120

    def test_a_chain_keeps_the_earlier_rows(self, first):
        study = STUDY_DATA.study(budget=100, history=StudyHistory.from_json(first.history().to_json()))
        STUDY_DATA.answer(study)
        chain = study.history()
        assert chain.rows[: len(first.history())] == first.history().rows
        assert {row.period for row in chain.rows} == {1, 2}
        assert set(chain.verdicts()) >= {row.item for row in first.history().rows}

    def test_a_known_item_cannot_be_told(self, first):
        study = STUDY_DATA.study(budget=100, history=first.history())
        study.ask()
        known = first.history().rows[0].item
        with pytest.raises(
            StratawatchError, match=f"item '{known}' was not asked about; its label is known from the history"
        ):
            study.tell({known: True})

    def test_another_panel_is_refused(self, first):
        with pytest.raises(StratawatchError, match="the history belongs to another panel"):
            STUDY_DATA.study(classifiers={"lr": ("score_lr", "pred_lr")}, history=first.history())
