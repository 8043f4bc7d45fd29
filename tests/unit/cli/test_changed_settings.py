"""`check` says what changed settings cost, before the next window is opened with them."""

import pytest

from tests.unit.cli.conftest import NOW

LR = 'score = "score_lr"\ncall = "pred_lr"'


def notices(home, *changes) -> list[str]:
    home.configure(*changes)
    document = home.json("check", "--now", NOW)
    assert document["ok"] is True
    return [one["problem"] for one in document["notices"]]


def key(line: str) -> tuple[str, str]:
    return ("budget = 60", f"budget = 60\n{line}")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("cut_off = 0.6", "cut_off = 0.7"),
            "classifier 'rf' says yes by score_rf >= 0.7, no longer by score_rf >= 0.6: its trend mixes two classifiers",
        ),
        (
            (LR, 'score = "score_rf"\ncall = "pred_lr"'),
            "classifier 'lr' has another score, and says yes as before: plans",
        ),
        (key('design = "srs"'), "the design is 'srs', no longer 'joint'"),
        (key('variance = "brr"'), "the variance is 'brr', no longer 'default': trends mix two kinds of interval"),
        (key("confidence = 0.9"), "the confidence is 0.9, no longer 0.95: intervals are narrower"),
        (('seed = "s1"', 'seed = "s2"'), "the seed of panel 'spam' changed"),
        (key('random_numbers = "by window"'), "the evidence on all limits begins at 0"),
        (key('alarms = "window"'), "pages rest on each window alone"),
        (key("votes = 3"), "an item takes 3 votes, no longer 1"),
        (('item = "id"', 'item = "text"'), "items are told apart by 'text', no longer by 'id'"),
    ],
)
def test_each_is_told_with_what_it_costs(judged, change, said):
    (notice,) = notices(judged, change)
    assert said in notice


def test_a_changed_cut_off_costs_plans_and_evidence(judged):
    (notice,) = notices(judged, ("cut_off = 0.6", "cut_off = 0.7"))
    assert "plans begin again from scores alone until there are labels enough" in notice
    assert "the evidence on 1 limit begins at 0" in notice


def test_what_stays_is_not_mentioned(judged):
    assert notices(judged) == []
    assert notices(judged, ("budget = 60", "budget = 90")) == []


def test_before_the_first_cycle_nothing_is_said(fresh):
    assert notices(fresh, ("cut_off = 0.6", "cut_off = 0.7")) == []
