"""`check` says what becomes of a classifier that left its panel, before the next cycle is opened without it."""

from tests.unit.cli.conftest import NOW

RF = "[panels.spam.classifiers.rf]\n"


def notices(installation, *changes):
    installation.configure(*changes)
    return [one["problem"] for one in installation.json("check", "--now", NOW)["notices"]]


def test_nothing_is_said_of_classifiers_that_stay_or_pause(judged):
    assert notices(judged) == []
    (plans,) = notices(judged, (RF, f"{RF}paused = true\n"))
    assert "plans begin again" in plans


def test_a_renamed_classifier_counts_as_a_new_one(judged):
    said, _plans = notices(
        judged, (RF, "[panels.spam.classifiers.forest]\n"), ('classifiers = ["rf"]', 'classifiers = ["forest"]')
    )
    assert "classifier 'rf' left panel 'spam'" in said
    assert "'forest' reads the same and counts as a new one" in said
    assert "call it 'rf' again to keep them" in said
