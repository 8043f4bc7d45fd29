import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from stratawatch.core.random_numbers import digest
from stratawatch.errors import StratawatchError
from stratawatch.study import item_ids as module
from stratawatch.study.frames import open_frame
from stratawatch.study.item_ids import read_item_ids


def read(values, seed="7", library=pd.DataFrame):
    return read_item_ids("id", open_frame(library({"id": values})).column("id", "the items"), seed)


class TestReading:
    @pytest.mark.parametrize("library", [pd.DataFrame, pa.table, pl.DataFrame])
    def test_every_item_has_the_head_of_its_digest(self, library):
        names = [f"ö-{i}" for i in range(20)]
        assert read(names, library=library).prefixes.tolist() == [int(digest("7", name)[:16], 16) for name in names]

    def test_whole_numbers_are_hashed_as_the_text_that_databases_make_of_them(self):
        assert read([5, -3]).prefixes.tolist() == read(["5", "-3"]).prefixes.tolist()

    def test_ids_are_given_back_as_the_frame_has_them(self):
        assert read([5, 6]).given("5") == 5
        assert read(["5", "6"]).given("5") == "5"

    def test_parts_do_not_show(self, monkeypatch):
        names = [f"i{i}" for i in range(50)]
        whole = read(names).prefixes
        monkeypatch.setattr(module, "_PART", 7)
        assert (read(names).prefixes == whole).all()


class TestRowsOf:
    def test_finds_rows_and_says_which_items_are_not_there(self):
        names = [f"i{i}" for i in range(100)]
        assert read(names).rows_of("7", ["i42", "stranger", "i0"]).tolist() == [42, -1, 0]

    def test_nothing_is_found_of_nothing(self):
        assert read(["a"]).rows_of("7", []).tolist() == []

    def test_order_is_the_order_of_the_digests(self):
        names = np.array([f"i{i}" for i in range(100)])
        assert names[read(names).order].tolist() == sorted(names, key=lambda name: digest("7", name))


class TestRefused:
    def test_an_id_that_comes_twice(self):
        with pytest.raises(StratawatchError, match="'id' repeats 1 of its ids; expected every item once; got 'b'"):
            read(["a", "b", "c", "b", "b"])

    @pytest.mark.parametrize("values", [["a", None], pd.Series(["a", pd.NA]), pd.Series([1, None], dtype="Int64")])
    def test_an_id_that_is_missing(self, values):
        with pytest.raises(StratawatchError, match="'id' holds nulls; expected an id in every row; got none in row 1"):
            read(values)

    def test_numbers_that_became_floats_through_a_null(self):
        with pytest.raises(StratawatchError, match="'id' holds nulls"):
            read([1, None])

    @pytest.mark.parametrize(
        ("values", "kinds"), [([0.5, 1.5], "float"), ([True, False], "bool"), (["a", 1], "int and str")]
    )
    def test_what_does_not_name_an_item(self, values, kinds):
        with pytest.raises(StratawatchError, match=f"expected text or whole numbers; got {kinds}; turn it into text"):
            read(values)

    def test_text_in_one_part_and_numbers_in_the_next(self, monkeypatch):
        monkeypatch.setattr(module, "_PART", 1)
        with pytest.raises(StratawatchError, match="got int and str"):
            read(pd.Series(["1", 1], dtype=object))

    def test_two_ids_that_share_sixty_four_bits_are_not_one(self, monkeypatch):
        monkeypatch.setattr(module, "digest_prefixes", lambda seed, names: np.zeros(len(list(names)), dtype=np.uint64))
        assert len(read(["a", "b"]).prefixes) == 2
