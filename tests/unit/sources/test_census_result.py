import pytest

from stratawatch.adapters.sources import packed_codes
from stratawatch.adapters.sources.census_result import MIN_FINGERPRINT_CELLS, MOST_SEGMENT_VALUES, CensusCounts
from stratawatch.core.population import Segment
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns
from stratawatch.errors import InputRefused
from tests.support.predictions.panels import panel

PANEL = panel(
    (ClassifierSpec("lr", "p_lr", call="is_lr"), ClassifierSpec("nn", "p_nn", call="is_nn")),
    columns=Columns("id", "ts", segments=("lang", "country")),
)
BAD_TIME = packed_codes.INVALID * 4


def group(pattern, bin_, items, *, marks=0, number=0, value=None):
    calls = packed_codes.pack_patterns([pattern], 2)[0].item()
    return calls, marks, bin_, number, value, items, None, None, 0.1, 0.2, 0.3, 0.4


def counts_of(*batches):
    counts = CensusCounts(PANEL)
    for batch in batches:
        counts.add(batch)
    return counts


class TestCensus:
    GROUPS = (
        group("10", 700, 3),
        group("-1", 9, 1),
        group("10", -1, 4),
        group("10", 700, 5, marks=packed_codes.NULL * 16),
        group("00", 1023, 2),
        group("10", 700, 90, marks=BAD_TIME),
        group("!0", 7, 90),
    )

    def test_groups_of_a_cell_are_added_up_and_bad_ones_left_out(self):
        for counts in (counts_of(list(self.GROUPS)), counts_of(*([one] for one in self.GROUPS))):
            census = counts.census()
            cells = list(zip(census.patterns, census.bins.tolist(), census.counts.tolist(), strict=True))
            assert cells == [("-1", 9, 1), ("00", 1023, 2), ("10", -1, 4), ("10", 700, 8)]
            profile = counts.profile()
            assert (profile.rows, profile.bad_rows, profile.null_times, profile.null_items) == (195, 180, 90, 0)
            assert profile.columns["lr"]["score_nulls"] == 5
            assert (profile.columns["lr"]["invalid"], profile.columns["nn"]["positives"]) == (90, 1)

    def test_what_is_added_after_it_was_asked_counts_too(self):
        counts = counts_of([group("10", 700, 3)])
        assert counts.census().size == 3
        counts.add([group("10", 700, 4)])
        assert (counts.census().size, counts.profile().rows) == (7, 7)

    def test_nothing_is_counted_of_nothing(self):
        for counts in (CensusCounts(PANEL), counts_of([])):
            assert (counts.census().size, counts.census().patterns, counts.profile().rows) == (0, (), 0)
            assert counts.profile().fingerprint == ""


class TestSegments:
    def test_they_are_aligned_with_the_cells_and_in_order(self):
        rows = [group("10", 5, 9), group("00", 5, 9), group("01", 8, 1)]
        rows += [group("10", 5, 2, number=1, value="fr"), group("00", 5, 3, number=1, value="de")]
        rows += [group("10", 5, 4, number=1, value="de"), group("10", 5, 1, number=2, value="de")]
        rows += [group("10", 5, 3, number=1), group("10", 5, 6, number=2, value="us", marks=BAD_TIME)]
        segments = counts_of(rows).census().segments
        assert list(segments) == [Segment("country", "de"), Segment("lang", "de"), Segment("lang", "fr")]
        assert [counts.tolist() for counts in segments.values()] == [[0, 0, 1], [3, 0, 4], [0, 0, 2]]

    def test_one_value_too_many_is_refused(self):
        names = [str(i) for i in range(MOST_SEGMENT_VALUES + 1)]
        rows = [group("10", 5, 1, number=2, value=name) for name in names]
        few = counts_of([group("10", 5, MOST_SEGMENT_VALUES), *rows[:-1]])
        assert len(few.census().segments) == MOST_SEGMENT_VALUES
        with pytest.raises(InputRefused, match="segment column 'country' has too many values"):
            few.add(rows[-1:])

    def test_values_of_rows_that_cannot_be_used_do_not_count(self):
        names = [str(i) for i in range(MOST_SEGMENT_VALUES + 1)]
        rows = [group("10", 5, 1, number=1, value=name, marks=BAD_TIME) for name in names]
        assert counts_of([group("10", 5, 1), *rows]).census().segments == {}


class TestFingerprint:
    @staticmethod
    def prints(cells):
        return counts_of([group(*cell) for cell in cells]).profile().fingerprint

    def test_few_cells_have_none(self):
        cells = [("10", bin_, 1) for bin_ in range(MIN_FINGERPRINT_CELLS)]
        assert self.prints(cells[1:]) == ""
        assert len(self.prints(cells)) == 64

    def test_another_pattern_bin_or_count_is_another(self):
        cells = [("10", bin_, 5) for bin_ in range(30)]
        others = [[*cells[1:], one] for one in (("11", 0, 5), ("10", 31, 5), ("10", 0, 6))]
        swapped = [("10", 0, 6), ("10", 1, 4), *cells[2:]]
        assert self.prints(cells[::-1]) == self.prints(cells)
        assert len({self.prints(one) for one in [cells, swapped, *others]}) == 5
