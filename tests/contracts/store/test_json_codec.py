import json
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.adapters.store.columns import escaped, segment_key, unescaped
from stratawatch.adapters.store.json_codec import as_document, dumps, from_document, plan_document, plan_from
from stratawatch.adapters.store.panels import fingerprint
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.plan import CycleForecast, HalfWidthRange, Plan
from stratawatch.core.population import Segment
from stratawatch.engine.model.drift_rule import DriftRule
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import CallCosts, ClassifierSpec, Columns, PanelSpec, WindowRule
from stratawatch.errors import StratawatchError
from tests.support.store.examples import PROFILE, spec

WORDS = st.text(max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.lists(WORDS, max_size=3).map(tuple)
MAYBE = st.none() | WORDS
TIMES = st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
SPANS = st.timedeltas(min_value=timedelta(microseconds=1), max_value=timedelta(days=4000))
SEGMENTS = st.none() | st.builds(Segment, WORDS, WORDS)
SPECS = st.builds(
    PanelSpec,
    name=WORDS,
    question=WORDS,
    guideline=WORDS,
    seed=WORDS,
    source=WORDS,
    classifiers=st.lists(
        st.builds(
            ClassifierSpec,
            WORDS,
            MAYBE,
            st.sampled_from(["probability", "margin"]),
            MAYBE,
            st.none() | NUMBERS,
            MAYBE,
            MAYBE,
        ),
        max_size=3,
    ).map(tuple),
    columns=st.builds(Columns, WORDS, WORDS, NAMES, NAMES, MAYBE),
    windows=st.builds(WindowRule, TIMES, SPANS, SPANS),
    goals=st.lists(st.builds(Goal, WORDS, NUMBERS, NAMES), max_size=2).map(tuple),
    limits=st.lists(st.builds(Limit, WORDS, st.none() | NUMBERS, st.none() | NUMBERS, NAMES, SEGMENTS), max_size=2).map(
        tuple
    ),
    budget=st.integers(0, 10**7),
    deadline=SPANS,
    confidence=NUMBERS,
    votes=st.integers(1, 9),
    batch_size=st.integers(1, 999),
    false_pages_per_year=NUMBERS,
    max_bad_row_share=NUMBERS,
    label_validity=SPANS,
    blind_margin_factor=NUMBERS,
    alarms=st.sampled_from(["evidence", "window"]),
    focus=st.booleans(),
    random_numbers=st.sampled_from(["permanent", "by window"]),
    rounds=st.integers(2, 3),
    max_missing_score_share=st.none() | st.floats(0, 1),
    costs=st.none() | st.builds(CallCosts, WORDS, st.none() | NUMBERS, st.none() | NUMBERS),
)


class TestSpec:
    @given(SPECS)
    def test_comes_back_from_json_text_exactly(self, panel):
        document = json.loads(dumps(as_document(panel)))
        assert from_document(PanelSpec, document) == panel
        assert fingerprint(document) == fingerprint(as_document(panel))

    def test_keeps_what_it_says_about_the_input(self):
        from dataclasses import replace

        columns = replace(spec().columns, ingested="loaded")
        panel = spec(columns=columns, duplicates="latest", drift=DriftRule(volume="refuse", factor=3.0))
        assert from_document(PanelSpec, json.loads(dumps(as_document(panel)))) == panel

    def test_written_before_the_input_was_watched_is_read(self):
        document = as_document(spec())
        del document["drift"], document["duplicates"], document["columns"]["ingested"]
        assert from_document(PanelSpec, document) == spec()

    def test_says_durations_in_seconds_and_times_in_iso_form(self):
        document = as_document(spec())
        assert document["deadline"] == 259200
        assert document["windows"] == {"start": "2026-01-05T00:00:00+00:00", "length": 604800, "lateness": 3600.000005}

    def test_without_a_value_that_means_yes_is_written_as_before_there_was_one(self):
        assert fingerprint(as_document(spec())) == "98521bfe4e14a46a53133d60158582a0973093f2d254ed9f45e0a7b282b9e8c3"

    def test_has_every_field(self):
        every = spec(
            guideline_version="1",
            second_votes="called_negative_yes",
            same_items_as="other",
            gold_share=0.05,
            alarms="window",
            focus=False,
            random_numbers="by window",
            rounds=2,
            max_missing_score_share=0.5,
            costs=CallCosts("EUR", 2.5),
        )
        assert set(as_document(every)) == {field.name for field in fields(PanelSpec)}

    def test_that_changes_nothing_about_pages_and_draws_is_written_as_before_it_could(self):
        plain = as_document(spec(alarms="evidence", focus=True, random_numbers="permanent", rounds=3))
        assert not {"alarms", "focus", "random_numbers", "rounds"} & set(plain)
        assert fingerprint(plain) == fingerprint(as_document(spec()))

    def test_differs_in_its_fingerprint_when_anything_differs(self):
        from dataclasses import replace

        changes = [
            {"budget": 901},
            {"question": "?"},
            {"goals": ()},
            {"deadline": timedelta(days=3, microseconds=1)},
            {"alarms": "window"},
            {"focus": False},
            {"random_numbers": "by window"},
            {"rounds": 2},
            {"max_missing_score_share": 1.0},
            {"costs": CallCosts("EUR", 2.5)},
            {"costs": CallCosts("EUR", miss=2.5)},
            {"classifiers": spec().classifiers[::-1]},
            {"classifiers": (spec().classifiers[0], replace(spec().classifiers[1], call_yes="block"))},
            {"limits": (replace(spec().limits[0], segment=Segment("a", "b")), spec().limits[1])},
        ]
        prints = {fingerprint(as_document(spec(**each))) for each in [{}, *changes]}
        assert len(prints) == len(changes) + 1

    def test_is_the_same_whatever_zone_its_start_is_written_in(self):
        from dataclasses import replace
        from zoneinfo import ZoneInfo

        there = replace(spec().windows, start=spec().windows.start.astimezone(ZoneInfo("Asia/Tokyo")))
        assert fingerprint(as_document(spec(windows=there))) == fingerprint(as_document(spec()))

    @pytest.mark.parametrize("change", [{"colour": 1}, {"budget": None}])
    def test_written_by_another_version_is_refused_by_name(self, change):
        document = {name: value for name, value in (as_document(spec()) | change).items() if value is not None}
        with pytest.raises(StratawatchError, match=f"unknown or missing: {next(iter(change))}"):
            from_document(PanelSpec, document)

    def test_written_before_a_field_with_a_default_existed_is_read(self):
        document = as_document(spec())
        del document["blind_margin_factor"]
        assert from_document(PanelSpec, document) == spec(blind_margin_factor=3.0)


class TestPlan:
    def test_comes_back_exactly_infinities_included(self):
        plan = Plan((3, 0), {("a", "b"): float("inf"), ("a,b", "c"): 0.1 + 0.2}, "m", (1,))
        assert plan_from(json.loads(dumps(plan_document(plan)))) == plan

    def test_comes_back_with_its_forecast(self):
        key = ("a,b", "c")
        forecast = CycleForecast(900, {key: 0.1 + 0.2}, {key: HalfWidthRange(0.1 + 0.1, 1 / 3)})
        plan = Plan((3, 0), {key: 0.4}, "m", forecast=forecast)
        assert plan_from(json.loads(dumps(plan_document(plan)))) == plan

    def test_of_a_version_that_kept_no_forecast_is_read(self):
        document = {"totals": [3, 0], "half_widths": [["a", "b", 0.25]], "method": "m", "exhausted": [1]}
        assert plan_from(document) == Plan((3, 0), {("a", "b"): 0.25}, "m", (1,))


class TestProfile:
    def test_comes_back_exactly(self):
        assert from_document(InputProfile, json.loads(dumps(as_document(PROFILE)))) == PROFILE


class TestDumps:
    def test_is_ascii_so_that_any_text_can_be_stored(self):
        assert dumps({"\0": "\udc80\N{PILE OF POO}"}).isascii()

    def test_refuses_what_has_no_json_form(self):
        with pytest.raises(TypeError, match="no JSON form for object"):
            dumps({"x": object()})

    def test_refuses_an_unknown_declared_type(self):
        @dataclass
        class Odd:
            value: complex

        with pytest.raises(KeyError):
            from_document(Odd, {"value": 1})


class TestText:
    @given(st.text(st.characters(codec=None, exclude_categories=()) | st.sampled_from("\0␀0d8")))
    def test_comes_back_exactly_and_holds_nothing_postgresql_refuses(self, text):
        stored = escaped(text)
        assert unescaped(stored) == text
        assert "\0" not in stored
        stored.encode()

    @given(st.text(st.sampled_from("\0␀0d8\ud800a")), st.text(st.sampled_from("\0␀0d8\ud800a")))
    def test_that_differs_is_stored_differently(self, one, other):
        assert (escaped(one) == escaped(other)) == (one == other)

    @pytest.mark.parametrize("plain", ["", "abc", "quote ' \"", "line\nbreak", "\N{PILE OF POO}", "x" * 10_000])
    def test_that_both_databases_take_is_kept_as_it_is(self, plain):
        assert escaped(plain) == plain


class TestSegmentKey:
    def test_is_empty_for_the_whole_population_only(self):
        assert segment_key(None) == ""
        assert segment_key("") != ""

    def test_is_short_and_different_for_long_segments(self):
        keys = {segment_key("x" * 9_000), segment_key("x" * 9_001)}
        assert len(keys) == 2
        assert max(map(len, keys)) <= 200
