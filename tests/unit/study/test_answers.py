import numpy as np
import pandas as pd
import pytest

from stratawatch.errors import StratawatchError
from stratawatch.study.answers import label_pairs, refuse_changed_label, verdict_from


class TestVerdictOf:
    @pytest.mark.parametrize(
        ("value", "verdict"), [(True, "yes"), (np.True_, "yes"), (False, "no"), (np.False_, "no"), (None, "unresolved")]
    )
    def test_true_false_and_none(self, value, verdict):
        assert verdict_from("i1", value) == verdict

    @pytest.mark.parametrize("value", [1, 0, 1.0, float("nan"), "yes", "", pd.NA, np.int64(1)])
    def test_nothing_else_is_guessed_at(self, value):
        with pytest.raises(StratawatchError) as caught:
            verdict_from("i1", value)
        assert str(caught.value) == (
            "the label of item 'i1' cannot be read; expected True, False, or None where it could not be labelled; "
            f"got {value!r}"
        )


class TestPairs:
    def test_a_mapping_or_a_series(self):
        assert label_pairs({"a": True}) == [("a", True)]
        assert label_pairs(pd.Series([True, False], index=["a", "b"])) == [("a", True), ("b", False)]

    @pytest.mark.parametrize("answers", [["a"], {"a"}, "a", None])
    def test_anything_else_is_refused(self, answers):
        with pytest.raises(
            StratawatchError,
            match="the labels cannot be read; expected {item: True | False | None}".replace("|", r"\|"),
        ):
            label_pairs(answers)


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
