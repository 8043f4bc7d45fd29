"""The sentences of an outlook: where a stream stands, what proves it, and where it pages."""

from dataclasses import replace

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.limit_outlook import (
    LabelsToProve,
    LimitOutlook,
    kept_document,
    outlook_document,
    outlooks_from,
    outlooks_with_pauses,
)
from stratawatch.engine.model.pauses import Pauses

UNPROVEN = LimitOutlook(
    key=StreamKey("spam", "lr", "recall"),
    cycle=7,
    state=AlarmState.UNPROVEN,
    end="floor",
    limit=0.6,
    value=0.66,
    low=0.58,
    high=0.74,
    windows=4,
    distance=0.06,
    half_width=0.06,
    windows_to_ok=3,
    labels=300,
    unit="week",
    page_value=0.513,
    worse_is_lower=True,
    adds_up=True,
    fell_lately=False,
)


def test_without_a_plan_it_names_the_command():
    assert UNPROVEN.sentence == (
        "Over the last 4 weeks 66.0% (58.0 to 74.0), inside the floor of 60.0% so far. Would be proven in about 3 more "
        "weeks of 300 labels; how many labels prove it in one week: `stratawatch plan`. One week alone would page near "
        "51.3%, several below the floor sooner."
    )


@pytest.mark.parametrize(
    ("facts", "proof"),
    [
        (
            {"labels_to_prove": LabelsToProve(538, 5000)},
            (
                "would be proven with about 538 labels in one week, in about every second such week; "
                "or in about 3 more weeks of 300 labels"
            ),
        ),
        (
            {"labels_to_prove": LabelsToProve(538, 5000), "windows_to_ok": None},
            (
                "would be proven with about 538 labels in one week, in about every second such week; "
                "but not in 13 more weeks of 300 labels"
            ),
        ),
        (
            {"labels_to_prove": LabelsToProve(150, 5000), "windows_to_ok": None},
            (
                "would be proven with about 150 labels in one week, in about every second such week if its interval is "
                "as narrow as the plan expects; but not in 13 more weeks of 300 labels with intervals as wide as now"
            ),
        ),
        (
            {"labels_to_prove": LabelsToProve(100, 5000, fewer_may_do=True), "windows_to_ok": 1},
            (
                "would be proven with 100 labels at most in one week, in about every second such week; "
                "or in about 1 more week of 300 labels"
            ),
        ),
        (
            {"labels_to_prove": LabelsToProve(None, 5000)},
            "would be proven in about 3 more weeks of 300 labels; no budget up to 5,000 labels proves it in one week",
        ),
        (
            {"windows_to_ok": 1, "labels_to_prove": LabelsToProve(None, 0, "nothing is forecast")},
            (
                "would be proven in about 1 more week of 300 labels; how many labels prove it in one week is not known: "
                "nothing is forecast"
            ),
        ),
        (
            {"windows_to_ok": None, "half_width": None, "end": "max_drop", "limit": 0.05, "distance": 0.02},
            (
                "would not be proven in 13 more weeks of 300 labels; no number of labels proves it in one week: "
                "its baseline is known too little"
            ),
        ),
        ({"windows_to_ok": 0}, ""),
        ({"distance": -0.01, "windows_to_ok": None, "half_width": None}, ""),
    ],
)
def test_what_proves_it(facts, proof):
    assert replace(UNPROVEN, **facts).proof == proof


@pytest.mark.parametrize(
    ("facts", "page"),
    [
        ({"adds_up": False}, "one week alone would page near 51.3%"),
        ({"page_value": None}, "one week alone has too few labels to page, several below the floor sooner"),
        (
            {"end": "ceiling", "worse_is_lower": False, "page_value": 0.71},
            "one week alone would page near 71.0%, several above the ceiling sooner",
        ),
        ({"state": AlarmState.BREACH}, ""),
        ({"pages_people": False}, ""),
    ],
)
def test_where_it_pages(facts, page):
    assert replace(UNPROVEN, **facts).page == page


@pytest.mark.parametrize(
    ("facts", "standing"),
    [
        ({"windows": 1}, "66.0% (58.0 to 74.0), inside the floor of 60.0% so far"),
        (
            {"windows": 1, "fell_lately": True},
            ("66.0% (58.0 to 74.0), inside the floor of 60.0% so far, but the last 2 weeks together are not inside"),
        ),
        ({"windows": 1, "windows_to_ok": 0}, "66.0% (58.0 to 74.0), proven inside the floor of 60.0%"),
        ({"windows": 1, "distance": -0.01}, "66.0% (58.0 to 74.0), outside the floor of 60.0% so far"),
        (
            {"windows": 1, "end": "max_drop", "limit": 0.05, "distance": 0.03},
            "66.0% (58.0 to 74.0), 2.0 points below its baseline so far, where 5 below are allowed",
        ),
        (
            {"windows": 1, "end": "max_drop", "limit": 0.05, "distance": 0.06, "worse_is_lower": False},
            "66.0% (58.0 to 74.0), 1.0 points below its baseline so far, where 5 above are allowed",
        ),
    ],
)
def test_where_it_stands(facts, standing):
    assert replace(UNPROVEN, **facts).standing == standing


def test_what_is_kept_is_read_back():
    position = {"panel": "spam", "cycle": 7, "outlooks": [kept_document(UNPROVEN)]}
    assert outlooks_from(position) == (UNPROVEN,)


def test_nothing_is_kept_of_a_panel_that_was_not_judged():
    assert outlooks_from({}) == ()


def test_as_json_it_has_its_sentence_and_what_a_plan_says():
    planned = replace(UNPROVEN, labels_to_prove=LabelsToProve(538, 5000))
    found = outlook_document(planned)
    assert found["labels_to_prove"] == {"labels": 538, "most": 5000, "unknown": "", "fewer_may_do": False}
    assert found["sentence"] == planned.sentence
    assert outlook_document(UNPROVEN)["labels_to_prove"] is None


@pytest.mark.parametrize(
    ("paused", "left"),
    [
        (Pauses(), (UNPROVEN,)),
        (Pauses(shadows=frozenset({("spam", "lr")})), (replace(UNPROVEN, page_value=None, pages_people=False),)),
        (Pauses(classifiers=frozenset({("spam", "lr")})), ()),
        (Pauses(panels=frozenset({"spam"})), ()),
        (Pauses(panels=frozenset({"other"})), (UNPROVEN,)),
    ],
)
def test_a_shadow_pages_nobody_and_what_is_paused_has_none(paused, left):
    assert outlooks_with_pauses([UNPROVEN], paused) == left
