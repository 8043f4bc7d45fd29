"""What is said of forecasts: how many half-widths came out inside their range, and which plans are left out."""

import json

import pytest

from stratawatch.engine.model.forecast_record import (
    CheckedForecast,
    ForecastRecord,
    kept_record,
    plans_from,
    record_document,
    record_from,
)


def checked(cycle=1, inside=5, wider=0, narrower=0, came=100):
    return CheckedForecast(cycle, inside, wider, narrower, labels_came=came, labels_planned=100)


def record(*plans):
    return ForecastRecord(plans)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            record(*(checked(number, 10, 1, 1) for number in range(7)), checked(7, 13, 2, 0, 95)),
            (
                "Forecasts of the last 8 plans: 83 of 99 intervals came out as wide as forecast (four of five should), "
                "9 wider and 7 narrower."
            ),
        ),
        (
            record(checked(inside=1)),
            "Forecast of the last plan: 1 of 1 interval came out as wide as forecast (four of five should).",
        ),
        (
            record(checked(1, came=89), checked(2, 4, 2)),
            (
                "Forecast of the last plan: 4 of 6 intervals came out as wide as forecast (four of five should), "
                "2 wider. 1 more plan is left out: fewer than nine in ten of its labels came."
            ),
        ),
        (
            record(checked(1, came=0), checked(2, came=10), checked(3, 4, 0, 2), checked(4)),
            (
                "Forecasts of the last 2 plans: 9 of 11 intervals came out as wide as forecast (four of five should), "
                "2 narrower. 2 more plans are left out: fewer than nine in ten of their labels came."
            ),
        ),
    ],
)
def test_a_record_counts_half_widths_of_the_plans_whose_labels_came(found, sentence):
    assert found.sentence == sentence


@pytest.mark.parametrize(("came", "left_out"), [(89, True), (90, False), (100, False)])
def test_a_plan_is_left_out_where_more_than_a_tenth_of_its_labels_is_missing(came, left_out):
    assert checked(came=came).is_left_out is left_out


def test_before_the_first_there_is_no_record():
    assert record_from({}) is None
    assert record_from(kept_record("spam", ())) is None


@pytest.mark.parametrize(
    ("several", "sentence"),
    [
        (1, "The forecast of the last plan cannot be checked: fewer than nine in ten of its labels came."),
        (2, "Forecasts of the last 2 plans cannot be checked: fewer than nine in ten of their labels came."),
    ],
)
def test_where_no_plan_counts_the_record_says_why(several, sentence):
    found = record(*(checked(number, came=10) for number in range(several)))
    assert found.sentence == sentence
    assert record_document(found)["half_widths"] == 0


def test_what_is_kept_comes_back():
    plans = (checked(1, 4, 1, 1), checked(2, came=3))
    position = json.loads(json.dumps(kept_record("spam", plans)))
    assert plans_from(position) == plans
    assert record_from(position) == ForecastRecord(plans)


def test_the_document_has_the_sums_and_every_plan():
    document = record_document(record(checked(1, 4, 1, 1), checked(2, came=3)))
    assert {name: document[name] for name in ("plans", "left_out", "half_widths", "inside", "wider", "narrower")} == {
        "plans": 1,
        "left_out": 1,
        "half_widths": 6,
        "inside": 4,
        "wider": 1,
        "narrower": 1,
    }
    assert [(one["cycle"], one["left_out"]) for one in document["windows"]] == [(1, False), (2, True)]
