import numpy as np
import pandas as pd
import pytest

from stratawatch.core.population import Segment
from stratawatch.errors import StratawatchError
from stratawatch.study import segments as module
from stratawatch.study.frames import open_frame
from stratawatch.study.segments import MOST_VALUES, read_segment_column


def read(values):
    return read_segment_column("where", open_frame(pd.DataFrame({"where": values})).column("where", "a segment"))


class TestReadSlices:
    def test_values_are_sorted_and_nothing_is_no_value(self):
        found = read(["b", None, "a", "b"])
        assert found.texts == ("a", "b")
        assert found.at(np.arange(4)) == ("b", None, "a", "b")

    def test_parts_do_not_show(self, monkeypatch):
        monkeypatch.setattr(module, "_PART", 2)
        assert read(["b", None, "a", "b"]).at(np.arange(4)) == ("b", None, "a", "b")

    @pytest.mark.parametrize(
        ("values", "texts"), [([2, 10, 2], ("10", "2")), ([True, False], ("false", "true")), ([1.5], ("1.5",))]
    )
    def test_values_are_text_as_databases_write_it(self, values, texts):
        assert read(values).texts == texts

    def test_too_many_values_are_no_segment(self):
        assert len(read(range(MOST_VALUES)).texts) == MOST_VALUES
        with pytest.raises(StratawatchError, match="'where' has too many values to report on; expected at most 1000"):
            read(range(MOST_VALUES + 1))


class TestCounts:
    def test_items_by_cell_inside_every_value(self):
        counts = dict(read(["b", None, "a", "b", "b"]).counts(np.array([0, 0, 1, 1, 1], dtype=np.int32), 3))
        assert {segment: found.tolist() for segment, found in counts.items()} == {
            Segment("where", "a"): [0, 1, 0],
            Segment("where", "b"): [1, 2, 0],
        }

    def test_a_column_without_a_value_has_no_segment(self):
        assert list(read([None, None]).counts(np.array([0, 0], dtype=np.int32), 1)) == []
