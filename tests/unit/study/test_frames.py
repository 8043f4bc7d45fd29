import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from stratawatch.errors import StratawatchError
from stratawatch.study.frames import open_frame

NUMBERS = {
    "pandas floats": pd.DataFrame({"x": [0.5, None, 1]}),
    "pandas objects": pd.DataFrame({"x": pd.Series([0.5, None, True], dtype=object)}),
    "pandas nullable": pd.DataFrame({"x": pd.Series([0.5, None, 1], dtype="Float64")}),
    "pandas on arrow": pd.DataFrame({"x": pd.Series([0.5, None, 1], dtype="double[pyarrow]")}),
    "pyarrow": pa.table({"x": [0.5, None, 1.0]}),
    "pyarrow decimals": pa.table({"x": pa.array([Decimal("0.5"), None, Decimal(1)])}),
    "polars": pl.DataFrame({"x": [0.5, None, 1.0]}),
    "polars with nan": pl.DataFrame({"x": [0.5, math.nan, 1.0]}),
    "polars single": pl.DataFrame({"x": pl.Series([0.5, None, 1.0], dtype=pl.Float32)}),
}
FLAGS = {
    "pandas objects": pd.DataFrame({"x": pd.Series([True, None, False], dtype=object)}),
    "pandas nullable": pd.DataFrame({"x": pd.Series([True, None, False], dtype="boolean")}),
    "pandas nullable numbers": pd.DataFrame({"x": pd.Series([1, None, 0], dtype="Int8")}),
    "pyarrow": pa.table({"x": [True, None, False]}),
    "polars": pl.DataFrame({"x": [True, None, False]}),
}
TEXTS = {
    "pandas": pd.DataFrame({"x": ["a", None, "b"]}),
    "pandas objects": pd.DataFrame({"x": pd.Series(["a", math.nan, "b"], dtype=object)}),
    "pandas categories": pd.DataFrame({"x": pd.Series(["a", None, "b"], dtype="category")}),
    "pyarrow": pa.table({"x": pa.chunked_array([["a"], [None, "b"]])}),
    "pyarrow dictionary": pa.table({"x": pa.array(["a", None, "b"]).dictionary_encode()}),
    "polars": pl.DataFrame({"x": ["a", None, "b"]}),
    "polars categories": pl.DataFrame({"x": pl.Series(["a", None, "b"], dtype=pl.Categorical)}),
}


class TestNumbers:
    @pytest.mark.parametrize("name", NUMBERS)
    def test_are_doubles_with_nan_for_null(self, name):
        numbers = open_frame(NUMBERS[name]).numbers("x", "scores")
        assert numbers.dtype == np.float64
        assert numbers.tolist() == [0.5, pytest.approx(math.nan, nan_ok=True), 1.0]

    @pytest.mark.parametrize("name", FLAGS)
    def test_true_is_one_and_false_is_none(self, name):
        assert open_frame(FLAGS[name]).numbers("x", "calls").tolist() == [1, pytest.approx(math.nan, nan_ok=True), 0]

    def test_doubles_of_pandas_are_not_copied(self):
        frame = pd.DataFrame({"x": [0.5, 1.0]})
        assert np.shares_memory(open_frame(frame).numbers("x", "scores"), frame["x"].to_numpy())

    @pytest.mark.parametrize("name", TEXTS)
    def test_text_is_refused_in_one_sentence(self, name):
        with pytest.raises(StratawatchError, match="column 'x', the scores of 'lr', is not made of numbers") as caught:
            open_frame(TEXTS[name]).numbers("x", "the scores of 'lr'")
        assert "\n" not in str(caught.value)

    def test_times_are_refused(self):
        frame = pd.DataFrame({"x": pd.to_datetime(["2026-01-05"])})
        with pytest.raises(StratawatchError, match="is not made of numbers; got datetime64"):
            open_frame(frame).numbers("x", "the scores of 'lr'")


class TestColumn:
    @pytest.mark.parametrize("name", TEXTS)
    def test_parts_and_rows_are_plain_values(self, name):
        column = open_frame(TEXTS[name]).column("x", "a segment")
        assert len(column) == 3
        assert column.part(0, 2) == ["a", None]
        assert column.part(1, 3) == [None, "b"]
        assert column.at(np.array([2, 1])) == ["b", None]

    @pytest.mark.parametrize("name", NUMBERS)
    def test_nan_and_null_are_none(self, name):
        assert open_frame(NUMBERS[name]).column("x", "a segment").part(1, 2) == [None]

    def test_a_missing_column_is_named_with_what_it_is_for_and_what_there_is(self):
        with pytest.raises(StratawatchError, match="no column 'y', the items; expected one of 'x'"):
            open_frame(TEXTS["pandas"]).column("y", "the items")

    def test_two_columns_of_one_name_are_refused(self):
        frame = pd.DataFrame([[1, 2]], columns=["x", "x"])
        with pytest.raises(StratawatchError, match="2 columns 'x'; expected one"):
            open_frame(frame).column("x", "the items")


class TestOpening:
    def test_a_subclass_of_a_known_frame_is_read(self):
        class Ours(pd.DataFrame):
            pass

        assert open_frame(Ours({"x": [1]})).rows == 1

    @pytest.mark.parametrize("thing", [[{"x": 1}], {"x": [1]}, np.zeros(3), None, pd.Series([1])])
    def test_anything_else_is_refused(self, thing):
        with pytest.raises(
            StratawatchError, match="expected a pandas DataFrame, a pyarrow Table or a polars DataFrame"
        ):
            open_frame(thing)

    def test_a_lazy_frame_is_told_to_collect(self):
        with pytest.raises(StratawatchError, match=r"got polars LazyFrame; call its collect\(\) first"):
            open_frame(pl.LazyFrame({"x": [1]}))
