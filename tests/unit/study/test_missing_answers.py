"""Answers that do not come, in a study: counted, bounded, and told where they lean."""

from dataclasses import astuple

import numpy as np

from stratawatch.core.designs.missing_bounds import REWEIGHTING
from tests.support.study_frames import StudyData

DATA = StudyData()


def played(share_of_positives: float, share_of_negatives: float = 0.0):
    study = DATA.study(budget=400)
    rng = np.random.default_rng(2)
    skipped = rng.random(len(DATA.labels)) < np.where(DATA.labels, share_of_positives, share_of_negatives)
    DATA.answer(study, nobody_knows={f"i{i}" for i in np.flatnonzero(skipped)})
    return study


def test_nothing_is_said_where_every_answer_came() -> None:
    study = played(0.0)
    assert study.warnings == ()
    for row in study.estimates():
        assert (row.missing, row.lowest, row.highest, row.worst_low, row.worst_high) == (None,) * 5
        assert REWEIGHTING not in row.method
    assert sum(row.skipped + row.open for row in study.answer_counts()) == 0


def test_half_of_the_positives_skipped_is_told() -> None:
    study = played(0.5)
    (warning,) = study.warnings
    assert REWEIGHTING in warning
    precision = study.estimates().of("lr", "precision")
    assert precision.state == "blind"
    assert "missing" in precision.reason
    truth = DATA.labels[DATA.columns["pred_lr"]].mean()
    assert not precision.low <= truth <= precision.high
    assert precision.worst_low <= truth <= precision.worst_high
    assert precision.worst_low <= precision.lowest <= precision.highest <= precision.worst_high
    assert REWEIGHTING in precision.method
    sides = {row.side: row for row in study.answer_counts() if row.classifier == "lr"}
    called = sides["called positive"]
    assert called.skipped / called.drawn == precision.missing > 0.15
    assert sum(row.drawn for row in sides.values()) == 400


def test_skips_at_random_have_bounds_and_no_warning() -> None:
    study = played(0.15, 0.15)
    assert study.warnings == ()
    rows = study.estimates()
    assert all(row.state in {"known", "short", "held"} for row in rows)
    assert all(row.highest - row.lowest > 0 for row in rows)
    assert "worst_low" in repr(rows)


def test_open_questions_widen_bounds_until_they_are_answered() -> None:
    study = DATA.study(budget=400)
    first = study.ask()
    study.tell({item: DATA.truth(item) for item in first[:-20]})
    assert sum(row.open for row in study.answer_counts() if row.stratum is not None) == 20
    assert study.warnings == ()
    assert study.estimates().of("lr", "recall").missing > 0
    study.tell({item: DATA.truth(item) for item in first[-20:]})
    assert study.estimates().of("lr", "recall").missing is None


def test_bounds_outlive_saving() -> None:
    study = played(0.5)
    again = type(study).from_json(study.to_json(), DATA.frame())
    assert [astuple(row) for row in again.estimates()] == [astuple(row) for row in study.estimates()]
    assert again.warnings == study.warnings
