"""`check` says what becomes of a classifier that left its panel, and of an alert channel that left with what it took."""

from tests.unit.cli.conftest import NOW

RF = "[panels.spam.classifiers.rf]\n"


def notices(installation, *changes):
    installation.configure(*changes)
    return [one["problem"] for one in installation.json("check", "--now", NOW)["notices"]]


def test_nothing_is_said_of_classifiers_that_stay_or_pause(judged):
    assert notices(judged) == []
    (plans,) = notices(judged, (RF, f"{RF}paused = true\n"))
    assert "plans begin again" in plans


def test_a_channel_that_left_with_what_is_open_is_named(judged):
    console = '[[alerts]]\nkind = "console"\n'
    judged.configure(more=console)
    judged.run("advance", "--now", "2026-01-12T10:00:00+00:00")
    several = len(judged.json("status")["incidents"])
    assert judged.json("check", "--now", NOW)["notices"] == []
    judged.configure(more=f'{console}name = "other"\n')
    (said,) = judged.json("check", "--now", NOW)["notices"]
    number = f"{several} open incident{'s' if several > 1 else ''}"
    left = f"the alert channel 'console' is not configured any more, and {number} that it took cannot end there"
    assert said["problem"].partition("; ")[0] == left
    assert said["problem"].partition("; ")[2].startswith("put it back until they are over, or close them at its ")


def test_a_renamed_classifier_counts_as_a_new_one(judged):
    said, _plans = notices(
        judged, (RF, "[panels.spam.classifiers.forest]\n"), ('classifiers = ["rf"]', 'classifiers = ["forest"]')
    )
    assert "classifier 'rf' left panel 'spam'" in said
    assert "'forest' reads the same and counts as a new one" in said
    assert "call it 'rf' again to keep them" in said
