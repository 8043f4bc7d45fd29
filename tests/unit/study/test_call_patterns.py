import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from stratawatch.core.score_bins import bin_of
from stratawatch.errors import StratawatchError
from stratawatch.study.call_patterns import read_call_patterns
from stratawatch.study.frames import open_frame
from stratawatch.study.study_columns import MOST_LETTERS, columns_from_arguments
from tests.support.draw_by_hand import score_to_probability

TWO = {"a": ("score_a", "call_a"), "b": ("score_b", "call_b")}
NAN = math.nan


def read(columns, classifiers=TWO, auxiliary=(), kind=None):
    """(pattern, bin) of every row."""
    found = read_call_patterns(
        open_frame(pd.DataFrame(columns)), columns_from_arguments("id", classifiers, auxiliary, [], kind)
    )
    return [(found.patterns[cell], int(found.bins[cell])) for cell in found.cell.tolist()]


def alone(scores, calls=None, kind=None):
    calls = [0] * len(scores) if calls is None else calls
    return read({"score_a": scores, "call_a": calls}, {"a": ("score_a", "call_a")}, kind=kind)


class TestPatterns:
    def test_a_letter_a_classifier_and_a_dash_for_silence(self):
        rows = {"call_a": [1.0, 0.0, None, 1.0], "call_b": [True, False, True, None]}
        patterns = [name for name, _ in read(rows, {"a": (None, "call_a"), "b": (None, "call_b")})]
        assert patterns == ["11", "00", "-1", "1-"]

    @pytest.mark.parametrize("made", [pd.DataFrame, pa.table, pl.DataFrame])
    def test_calls_are_read_in_every_word_for_yes_and_no(self, made):
        calls = ["yes", "No", " TRUE", "false", "1", "0.0", None]
        panel = columns_from_arguments("id", {"a": (None, "call_a")}, (), [], None)
        found = read_call_patterns(open_frame(made({"call_a": calls})), panel)
        assert [found.patterns[cell] for cell in found.cell.tolist()] == ["1", "0", "1", "0", "1", "0", "-"]

    @pytest.mark.parametrize(
        "calls",
        [
            pd.Series([1.0, NAN, 0.0]),
            pd.Series([True, NAN, False], dtype=object),
            pd.Series(["yes", NAN, "no"], dtype=object),
            pd.Series([True, None, False], dtype="boolean"),
            pd.Series([1, None, 0], dtype="Int64"),
        ],
        ids=["floats", "objects", "words", "boolean", "Int64"],
    )
    def test_nan_and_null_of_pandas_are_no_call(self, calls):
        assert read({"call_a": calls}, {"a": (None, "call_a")}) == [("1", -1), ("-", -1), ("0", -1)]

    @pytest.mark.parametrize(
        "calls", [pa.array([1.0, NAN, None]), pl.Series([1.0, NAN, None])], ids=["arrow", "polars"]
    )
    def test_nan_and_null_of_other_frames_are_no_call(self, calls):
        frame = pl.DataFrame({"call_a": calls}) if isinstance(calls, pl.Series) else pa.table({"call_a": calls})
        panel = columns_from_arguments("id", {"a": (None, "call_a")}, (), [], None)
        found = read_call_patterns(open_frame(frame), panel)
        assert [found.patterns[cell] for cell in found.cell.tolist()] == ["1", "-", "-"]

    def test_cells_are_sorted_as_text_and_then_by_bin(self):
        rng = np.random.default_rng(1)
        frame = pd.DataFrame(
            {
                "score_a": rng.random(500),
                "call_a": rng.choice([0, 1, NAN], 500),
                "score_b": rng.choice([0.3, NAN], 500),
                "call_b": rng.choice([0, 1, NAN], 500),
            }
        )
        found = read_call_patterns(open_frame(frame), columns_from_arguments("id", TWO, [], [], None))
        cells = list(zip(found.patterns, found.bins.tolist(), strict=True))
        assert cells == sorted(set(cells))
        assert len(set(found.patterns)) == 9

    def test_thirty_letters_fit(self):
        many = {f"c{i}": (None, "yes") for i in range(MOST_LETTERS)}
        assert read({"yes": [1, 1]}, many) == [("1" * MOST_LETTERS, -1)] * 2


class TestScores:
    def test_the_mean_of_those_that_are_there(self):
        rows = {"score_a": [0.2, NAN, 0.2, NAN], "score_b": [0.4, 0.4, NAN, NAN], "call_a": 0, "call_b": 0}
        assert [number for _, number in read(rows)] == [bin_of((0.2 + 0.4) / 2), bin_of(0.4), bin_of(0.2), -1]

    def test_a_classifier_without_scores_leaves_the_mean_alone(self):
        rows = {"score_a": [0.2], "call_a": [0], "call_b": [0]}
        assert read(rows, {"a": ("score_a", "call_a"), "b": (None, "call_b")}) == [("00", bin_of(0.2))]

    def test_margins_go_through_the_logistic_function_to_the_last_digit(self):
        margins = [0.0, math.log(1 / 3), -math.log(7), 800.0, -800.0, 1.5]
        assert [number for _, number in alone(margins, kind="margin")] == [
            bin_of(score_to_probability(m, "margin")) for m in margins
        ]

    @pytest.mark.parametrize("score", [0.0, 1.0, 5e-324, math.nextafter(0.5, 0), 0.5])
    def test_the_ends_and_the_middle_are_binned(self, score):
        assert alone([score]) == [("0", bin_of(score))]


class TestAuxiliary:
    def test_it_has_the_last_letter_and_no_share_in_the_mean(self):
        rows = {"score_a": [0.2, 0.2, 0.2], "call_a": [0, 0, 0], "judge": [0.5, 0.4, NAN]}
        found = read(rows, {"a": ("score_a", "call_a")}, ["judge"])
        assert found == [("01", bin_of(0.2)), ("00", bin_of(0.2)), ("0-", bin_of(0.2))]

    def test_where_no_classifier_has_a_score_the_helpers_make_the_mean(self):
        rows = {"score_a": [0.2, NAN, NAN, NAN], "score_b": [NAN, 0.6, NAN, NAN], "call_a": 0, "call_b": 0}
        helpers = {"judge": [0.5, 0.5, 0.1, NAN], "old": [0.9, 0.9, 0.4, NAN]}
        found = read({**rows, **helpers}, auxiliary=["judge", "old"])
        assert found == [("0011", bin_of(0.2)), ("0011", bin_of(0.6)), ("0000", bin_of((0.1 + 0.4) / 2)), ("00--", -1)]

    def test_a_margin_leans_to_yes_from_zero_up(self):
        rows = {"call_a": [0, 0], "judge": [0.0, -0.1]}
        found = read(rows, {"a": (None, "call_a")}, ["judge"], {"judge": "margin"})
        assert [name for name, _ in found] == ["01", "00"]


class TestRefused:
    @pytest.mark.parametrize(("score", "shown"), [(-0.001, "-0.001"), (1.5, "1.5"), (math.inf, "inf")])
    def test_a_probability_outside_zero_and_one(self, score, shown):
        with pytest.raises(StratawatchError) as caught:
            alone([0.5, score])
        assert str(caught.value) == (
            f"scores of 'a' lie outside [0, 1]; expected probabilities; got {shown} in column 'score_a'; "
            "say score_kind={'a': 'margin'} if they are margins"
        )

    @pytest.mark.parametrize("score", [math.inf, -math.inf])
    def test_an_infinite_margin(self, score):
        with pytest.raises(StratawatchError, match="margins of 'a' are infinite; expected finite numbers, or null"):
            alone([0.5, score], kind="margin")

    def test_no_score_at_all_is_no_fault(self):
        assert alone([NAN], kind="margin") == [("0", -1)] == alone([NAN])

    def test_a_call_that_is_neither_yes_nor_no(self):
        with pytest.raises(StratawatchError) as caught:
            alone([0.5, 0.5, 0.5], [1, 0, 2])
        assert str(caught.value) == (
            "calls of 'a' cannot be read; expected True or False, yes or no, 1 or 0, or null; got 2 in column 'call_a'; "
            "compare the score with its cut-off first"
        )

    def test_a_word_that_is_neither_yes_nor_no(self):
        with pytest.raises(StratawatchError, match="got 'spam' in column 'call_a'"):
            alone([0.5, 0.5, 0.5], ["yes", None, "spam"])

    def test_a_column_that_is_not_there(self):
        with pytest.raises(StratawatchError, match="no column 'call_a', the calls of 'a'"):
            read({"score_a": [0.5]}, {"a": ("score_a", "call_a")})
