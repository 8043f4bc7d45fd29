"""`check` says from when on a changed limit holds, and `open` what a past start would ask for."""

from tests.unit.cli.conftest import NOW

FLOOR = ("floor = 0.97", "floor = 0.9")


def test_a_changed_floor_holds_from_the_next_window(judged):
    assert judged.json("check", "--now", NOW)["notices"] == []
    judged.configure(FLOOR)
    document = judged.json("check", "--now", NOW)
    (notice,) = document["notices"]
    assert document["ok"] is True
    assert "precision of lr: floor 0.9, was floor 0.97" in notice["problem"]
    assert "they hold from the next window that is opened" in notice["problem"]
    assert notice["problem"] in " ".join(judged.run("check", "--now", NOW).stdout.split())


def test_a_limit_that_came_and_one_that_went_are_told(judged):
    judged.configure(('metric = "false_omission_rate"\nceiling = 0.3', 'metric = "recall"\nfloor = 0.3'))
    (notice,) = judged.json("check", "--now", NOW)["notices"]
    assert "recall of rf: floor 0.3, was none; false_omission_rate of rf: none, was ceiling 0.3" in notice["problem"]


def test_before_the_first_cycle_nothing_is_said(fresh):
    fresh.configure(FLOOR)
    assert fresh.json("check", "--now", NOW)["notices"] == []
