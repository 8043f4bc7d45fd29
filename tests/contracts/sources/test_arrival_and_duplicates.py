"""Windows cut by arrival, rows that share an id, and what the profile says about both: the same from every source."""

from datetime import timedelta

import pytest

from stratawatch.core.population import Atom
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns, Window
from stratawatch.errors import InputRefused
from tests.support.predictions.backends import NAIVE, items, whole
from tests.support.predictions.panels import START, WINDOW, panel

DAY = timedelta(days=1)
BY_ARRIVAL = Columns("id", "ts", ingested="loaded")


def arriving(days, dated):
    """Rows that arrived and are dated so many days after the window's start."""
    table = items(*(f"i{n}" for n in range(len(days))))
    loaded = [None if day is None else NAIVE + day * DAY for day in days]
    return {**table, "ts": ("TIMESTAMP", [NAIVE + day * DAY for day in dated]), "loaded": ("TIMESTAMP", loaded)}


def latest(**changes):
    return panel(duplicates="latest", **changes)


class TestArrival:
    def test_cuts_the_window_whatever_the_rows_date_is(self, made):
        source = made(arriving([-0.1, 0, 6.9, 7], [1, -3, 9, 1]))
        answer = source.census(panel(columns=BY_ARRIVAL), WINDOW)
        found = source.candidates(panel(columns=BY_ARRIVAL), WINDOW, whole("0", 2), [2])
        assert {one.item: one.time for one in found} == {"i1": START - 3 * DAY, "i2": START + 9 * DAY}
        profile = answer.profile
        assert (profile.rows, profile.late, profile.early, profile.null_times) == (2, 1, 1, 0)
        assert (profile.first_time, profile.last_time) == (START - 3 * DAY, START + 9 * DAY)

    def test_gives_every_row_to_one_window(self, made):
        source = made(arriving([0, 0.5, 1, 1.5, 2.999, 3], [5, 4, 3, 2, 1, 0]))
        days = [Window(START + i * DAY, START + (i + 1) * DAY) for i in range(4)]
        assert [source.census(panel(columns=BY_ARRIVAL), day).census.size for day in days] == [2, 2, 1, 1]

    def test_without_one_a_row_is_bad_in_every_window(self, made):
        answer = made(arriving([None, 1], [1, 1])).census(panel(columns=BY_ARRIVAL), WINDOW)
        assert (answer.profile.rows, answer.profile.bad_rows, answer.profile.null_times) == (2, 1, 1)
        assert answer.bad_rows[0].reason == "the time in 'ts' or 'loaded' is missing or unreadable"

    def test_may_be_text_with_an_offset(self, made):
        table = arriving([0, 0], [0, 0])
        source = made({**table, "loaded": ("VARCHAR", ["2026-01-04 23:30:00-01:00", "2026-01-05 00:30:00+01:00"])})
        assert source.census(panel(columns=BY_ARRIVAL), WINDOW).census.size == 1

    def test_is_not_told_of_where_windows_go_by_date(self, made):
        profile = made(items("a")).census(panel(), WINDOW).profile
        assert (profile.late, profile.early, profile.null_times) == (None, None, 0)


class TestRows:
    def test_are_those_of_the_census_with_a_time(self, made):
        table = items(*"abcde")
        source = made({**table, "ts": ("TIMESTAMP", [NAIVE, NAIVE + DAY, NAIVE + 7 * DAY, NAIVE - DAY, None])})
        profile = source.census(panel(), WINDOW).profile
        assert source.rows(panel(), WINDOW) == 2 == profile.rows - profile.null_times

    def test_may_be_dated_by_text(self, made):
        table = {**items(*"abc"), "ts": ("VARCHAR", ["2026-01-05 00:00:00", "2026-01-12 00:00:00", "soon"])}
        assert made(table).rows(panel(), WINDOW) == 1


class TestLatest:
    def test_the_newest_row_stands_for_all(self, made):
        table = {
            **items("a", "a", "a", "b"),
            "ts": ("TIMESTAMP", [NAIVE + DAY, NAIVE + 3 * DAY, NAIVE + 2 * DAY, NAIVE]),
            "flag": ("VARCHAR", ["0", "1", "0", "0"]),
        }
        source = made(table)
        answer = source.census(latest(), WINDOW)
        assert answer.census.patterns == ("0", "1")
        assert list(answer.census.counts) == [1, 1]
        assert (answer.profile.rows, answer.profile.repeated) == (2, 1)
        (found,) = source.candidates(latest(), WINDOW, whole("1", 1), [1])
        assert (found.item, found.copies, found.time) == ("a", 1, START + 3 * DAY)

    def test_of_equal_times_census_and_candidates_choose_the_same_row(self, made):
        table = {
            **items(*["same"] * 6),
            "score": ("DOUBLE", [0.1, 0.9, None, 0.4, 0.9, 0.2]),
            "flag": ("VARCHAR", ["0", "1", "1", None, "1", "0"]),
        }
        source = made(table)
        census = source.census(latest(), WINDOW).census
        assert (census.patterns, list(census.counts)) == (("1",), [1])
        bin_ = int(census.bins[0])
        assert bin_ > 511
        (found,) = source.candidates(latest(), WINDOW, [Atom("1", bin_, bin_, 1, None)], [1])
        assert (found.item, found.copies) == ("same", 1)

    @pytest.mark.parametrize("texts", [["x", "y", "w"], ["y", "w", "x"], ["w", "x", "y"]])
    def test_of_rows_that_differ_in_payload_only_one_is_shown_whatever_their_order(self, made, texts):
        columns = Columns("id", "ts", ("body",), (), "author")
        source = made({**items(*"aaa"), "body": ("VARCHAR", texts), "author": ("VARCHAR", texts)})
        (found,) = source.candidates(latest(columns=columns), WINDOW, whole("0", 1), [1])
        assert (found.payload, found.cluster) == ({"body": "y"}, "y")

    def test_by_arrival_the_last_to_arrive_stands(self, made):
        table = {**arriving([1, 2], [6, 5]), "id": ("VARCHAR", ["a", "a"]), "flag": ("VARCHAR", ["0", "1"])}
        assert made(table).census(latest(columns=BY_ARRIVAL), WINDOW).census.patterns == ("1",)

    def test_rows_of_other_windows_do_not_count(self, made):
        source = made({**items("a", "a"), "ts": ("TIMESTAMP", [NAIVE, NAIVE + 8 * DAY])})
        profile = source.census(latest(), WINDOW).profile
        assert (profile.rows, profile.repeated) == (1, 0)

    def test_a_bad_row_may_be_the_newest(self, made):
        table = {**items("a", "a"), "ts": ("TIMESTAMP", [NAIVE, NAIVE + DAY]), "score": ("DOUBLE", [0.5, 7.0])}
        answer = made(table).census(latest(), WINDOW)
        assert (answer.census.size, answer.profile.bad_rows, answer.bad_rows[0].key) == (0, 1, "a")

    def test_rows_without_an_id_or_a_time_stay_bad_rows_one_by_one(self, made):
        source = made({**items(None, None, "a", "a", "a"), "ts": ("TIMESTAMP", [NAIVE] * 2 + [None] * 2 + [NAIVE])})
        profile = source.census(latest(), WINDOW).profile
        assert (profile.rows, profile.bad_rows, profile.null_items, profile.null_times) == (5, 4, 2, 2)

    def test_ids_that_differ_in_case_or_blanks_are_different(self, made):
        profile = made(items("a", "A", "a ", " a")).census(latest(), WINDOW).profile
        assert (profile.rows, profile.repeated) == (4, 0)

    def test_without_any_repeated_id_everything_is_as_ever(self, made):
        source = made(items(*(f"i{n}" for n in range(40))))
        pool = source.candidates(panel(), WINDOW, whole("0", 40), [10])
        assert source.candidates(latest(), WINDOW, whole("0", 40), [10]) == pool
        assert list(source.census(latest(), WINDOW).census.counts) == [40]


class TestRanges:
    def test_are_the_extremes_of_what_could_be_read(self, made):
        scores = [0.25, None, 0.75, 42.0, float("nan"), 7.0, -3.5]
        profile = made({**items(*"abcdefg"), "score": ("DOUBLE", scores)}).census(panel(), WINDOW).profile
        assert profile.ranges == {"lr": (0.25, 0.75)}
        assert profile.unreadable == {"lr": (-3.5, 42.0)}

    @pytest.mark.parametrize("odd", [float("inf"), float("-inf")])
    def test_with_no_number_among_them_are_not_told(self, made, odd):
        profile = made({**items(*"abc"), "score": ("DOUBLE", [0.25, 42.0, odd])}).census(panel(), WINDOW).profile
        assert (profile.ranges, profile.unreadable) == ({"lr": (0.25, 0.25)}, {})

    def test_of_nothing_are_not_there(self, made):
        profile = made(items("a", score=None)).census(panel(), WINDOW).profile
        assert (profile.ranges, profile.unreadable) == ({}, {})

    def test_belong_to_each_classifier(self, made):
        many = (
            ClassifierSpec("a", "score", call="flag"),
            ClassifierSpec("vote", call="flag"),
            ClassifierSpec("b", "other", "margin", cut_off=0.0),
        )
        source = made({**items("x", "y"), "other": ("DOUBLE", [-5.0, 3.0])})
        assert source.census(panel(many), WINDOW).profile.ranges == {"a": (0.25, 0.25), "b": (-5.0, 3.0)}


class TestFingerprint:
    def test_is_that_of_the_counts_whatever_the_order(self, made):
        scores = [n / 64 for n in range(64)]
        ids = [f"i{n}" for n in range(64)]
        one = made({**items(*ids), "score": ("DOUBLE", scores)}).census(panel(), WINDOW).profile
        other = made({**items(*ids), "score": ("DOUBLE", scores[::-1])}).census(panel(), WINDOW).profile
        changed = made({**items(*ids), "score": ("DOUBLE", [0.999, *scores[1:]])}).census(panel(), WINDOW).profile
        assert one.fingerprint == other.fingerprint != changed.fingerprint
        assert len(one.fingerprint) == 64

    def test_of_a_handful_of_counts_would_prove_nothing(self, made):
        assert made(items(*"abcdef")).census(panel(), WINDOW).profile.fingerprint == ""


def test_kinds_are_told_for_every_column_that_is_read(made):
    columns = Columns("id", "ts", ("body",), ("flag",))
    kinds = made({**items("a"), "body": ("VARCHAR", ["x"])}).census(panel(columns=columns), WINDOW).profile.kinds
    assert set(kinds) == {"id", "ts", "score", "flag"}


def test_a_column_of_arrival_that_is_not_there_is_refused(made):
    with pytest.raises(InputRefused, match="the time of arrival of panel 'posts'"):
        made(items("a")).census(panel(columns=Columns("id", "ts", ingested="arrived")), WINDOW)
