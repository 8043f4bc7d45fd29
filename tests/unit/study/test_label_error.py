"""Labels that err, in a study: what gold items put right stands beside what the labels say."""

import numpy as np
import pytest

from stratawatch import GoldAnswers, Study
from stratawatch.errors import StratawatchError
from tests.support.study_frames import StudyData

DATA = StudyData()
GOLD = GoldAnswers(positives=400, said_yes=380, negatives=800, said_no=784)


def played():
    """One label in twenty of the positives, and one in fifty of the negatives, is wrong."""
    study = DATA.study(budget=400, segments=["region"])
    luck = np.random.default_rng(4).random(len(DATA.labels))
    said = np.where(DATA.labels, luck < 0.95, luck < 0.02)
    while items := study.ask():
        study.tell({item: bool(said[int(item[1:])]) for item in items})
    return study


def test_corrected_estimates_stand_beside_those_of_the_labels() -> None:
    study = played()
    plain, rows = study.estimates(), study.estimates(gold=GOLD)
    assert all(row.corrected is None and row.uncorrected_reason is None for row in plain)
    assert [(row.value, row.low, row.high, row.state) for row in rows] == [
        (row.value, row.low, row.high, row.state) for row in plain
    ]
    assert "corrected_low" in repr(rows)
    assert "corrected" not in repr(plain)
    assert {row.segment for row in rows if row.corrected is not None} > {None}
    for row in rows:
        assert row.corrected is None or row.corrected_low <= row.corrected <= row.corrected_high


def test_the_corrected_recall_holds_what_the_labels_miss() -> None:
    recall = played().estimates(["recall"], gold=GOLD).of("lr", "recall")
    called = DATA.columns["pred_lr"]
    truth = (DATA.labels & called).sum() / DATA.labels.sum()
    assert abs(recall.corrected - truth) < abs(recall.value - truth)
    assert recall.corrected_low <= truth <= recall.corrected_high


def test_labels_that_never_err_are_corrected_to_what_they_say() -> None:
    """In one round and in two: the correction joins rounds as the estimate does."""
    right = GoldAnswers(10**9, 10**9, 10**9, 10**9)
    two = played()
    one = DATA.study(budget=39)
    one.tell({item: bool(DATA.labels[int(item[1:])]) for item in one.ask()})
    assert one.ask() == []
    for study in (one, two):
        rows = [row for row in study.estimates(gold=right) if row.value is not None]
        assert rows
        assert [row.corrected for row in rows] == pytest.approx([row.value for row in rows], abs=1e-6)


def test_where_nothing_is_left_the_reason_is_said() -> None:
    row = played().estimates(gold=GoldAnswers(5, 3, 5, 3)).of("lr", "recall")
    assert row.corrected is None
    assert row.uncorrected_reason == "the gold items do not show that labels are better than chance"


class TestSecondVotes:
    def test_are_asked_for_where_a_classifier_calls_negative_what_the_first_person_calls_yes(self) -> None:
        study = DATA.study(budget=200, second_votes="called_negative_yes")
        items = study.ask()
        by_all = DATA.columns["pred_lr"] & DATA.columns["pred_vote"]
        checked = {item for item in items if not by_all[int(item[1:])]}
        assert 0 < len(checked) < len(items)
        assert {item for item in items if study.needs_vote(item, [True])} == checked
        assert {item for item in items if study.needs_vote(item, [True, False])} == checked
        assert not any(study.needs_vote(item, said) for item in items for said in ([False], [True, True], [None]))

    def test_the_majority_is_the_label(self) -> None:
        study = DATA.study(budget=200, second_votes="called_negative_yes")
        item = next(item for item in study.ask() if study.needs_vote(item, [True]))
        with pytest.raises(StratawatchError, match="needs another vote"):
            study.tell({item: [True, False]})
        with pytest.raises(StratawatchError, match="needs another vote"):
            study.tell({item: True})
        study.tell({item: [True, False, False]})
        study.tell({item: False})  # that is what they say together

    def test_the_rule_is_part_of_a_saved_study(self) -> None:
        study = DATA.study(budget=200, second_votes="called_negative_yes")
        asked = study.ask()
        again = Study.from_json(study.to_json(), DATA.frame())
        assert again.ask() == asked
        assert any(again.needs_vote(item, [True]) for item in asked)

    def test_a_study_without_them_takes_one_answer_an_item(self) -> None:
        study = DATA.study(budget=200)
        item = study.ask()[0]
        assert not study.needs_vote(item, [True])
        with pytest.raises(StratawatchError, match="cannot be read"):
            study.tell({item: [True]})

    def test_another_rule_is_refused(self) -> None:
        with pytest.raises(StratawatchError, match="no such rule"):
            DATA.study(budget=200, second_votes="often")
