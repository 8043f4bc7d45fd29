"""Labels that err, in a study: what gold items put right stands beside what the labels say."""

import numpy as np

from stratawatch import GoldAnswers
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


def test_where_nothing_is_left_the_reason_is_said() -> None:
    row = played().estimates(gold=GoldAnswers(5, 3, 5, 3)).of("lr", "recall")
    assert row.corrected is None
    assert row.uncorrected_reason == "the gold items do not show that labels are better than chance"
