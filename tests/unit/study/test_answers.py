import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from stratawatch.errors import StratawatchError
from stratawatch.study.answers import label_pairs, refuse_changed_label, verdict_from


class TestVerdictOf:
    @pytest.mark.parametrize(
        ("value", "verdict"), [(True, "yes"), (np.True_, "yes"), (False, "no"), (np.False_, "no"), (None, "unresolved")]
    )
    def test_true_false_and_none(self, value, verdict):
        assert verdict_from("i1", value) == verdict

    @pytest.mark.parametrize(
        ("value", "verdict"),
        [
            *((value, "yes") for value in (1, 1.0, "yes", " TRUE", "1.0", np.int64(1), np.float32(1), np.str_("Yes"))),
            *((value, "no") for value in (0, 0.0, "No", "false", "0", np.uint8(0), np.array(0))),
            ("skip", "unresolved"),
            ("Skip ", "unresolved"),
        ],
    )
    def test_the_words_of_queues_and_files(self, value, verdict):
        assert verdict_from("i1", value) == verdict

    @pytest.mark.parametrize("value", [2, -1, 0.5, float("nan"), "maybe", "", pd.NA, pd.NaT, np.float64("nan"), [1]])
    def test_nothing_else_is_guessed_at(self, value):
        with pytest.raises(StratawatchError) as caught:
            verdict_from("i1", value)
        assert str(caught.value) == (
            "the label of item 'i1' cannot be read; expected True or False, yes or no, 1 or 0, or None where it could "
            f"not be labelled; got {value!r}; leave out what nobody has answered yet"
        )


class TestPairs:
    def test_a_mapping_or_a_series(self):
        assert label_pairs({"a": True}, "id") == [("a", True)]
        assert label_pairs(pd.Series([True, False], index=["a", "b"]), "id") == [("a", True), ("b", False)]

    @pytest.mark.parametrize("made", [pd.DataFrame, pa.table, pl.DataFrame])
    def test_a_frame_of_items_and_labels_in_either_order(self, made):
        assert label_pairs(made({"id": ["a", "b"], "label": ["yes", None]}), "id") == [("a", "yes")]
        assert label_pairs(made({"label": [1, 0], "id": ["a", "b"]}), "id") == [("a", 1), ("b", 0)]
        assert label_pairs(made({"item": ["a"], "label": [True]}), "id") == [("a", True)]

    def test_a_frame_of_other_columns_is_refused(self):
        with pytest.raises(StratawatchError, match=r"expected a frame of two columns, .*; got 3 columns; choose them"):
            label_pairs(pd.DataFrame({"id": ["a"], "label": [1], "text": ["x"]}), "id")

    @pytest.mark.parametrize("answers", [["a"], {"a"}, "a", None])
    def test_anything_else_is_refused(self, answers):
        with pytest.raises(
            StratawatchError,
            match="the labels cannot be read; expected {item: True | False | None}".replace("|", r"\|"),
        ):
            label_pairs(answers, "id")


class TestRefuseChange:
    def test_the_same_again_is_no_change(self):
        refuse_changed_label("i1", "yes", "yes")

    @pytest.mark.parametrize(
        ("before", "after", "said"),
        [
            ("yes", "no", "True; got False"),
            ("no", "unresolved", "False; got None"),
            ("unresolved", "yes", "None; got True"),
        ],
    )
    def test_another_value_is_one(self, before, after, said):
        with pytest.raises(StratawatchError, match=f"item 'i1' is labelled already; expected {said}; say tell"):
            refuse_changed_label("i1", before, after)
