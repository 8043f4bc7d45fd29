import math
from datetime import UTC, datetime

import pytest

from stratawatch.adapters.sources import packed_codes
from stratawatch.adapters.sources.ranges import InputRanges
from stratawatch.engine.model.panel_spec import ClassifierSpec
from tests.support.predictions.panels import panel

PANEL = panel(
    (
        ClassifierSpec("lr", "p_lr", call="is"),
        ClassifierSpec("rules", call="is"),
        ClassifierSpec("nn", "p_nn", call="is"),
    )
)
NOON = datetime(2026, 1, 5, 12)  # noqa: DTZ001 - as engines hand times out: in UTC, without saying so
CODES = {"v": 0, "-": packed_codes.NULL, "!": packed_codes.INVALID}


def row(marks, *ends, first=NOON, last=NOON):
    """A group: the marks of id, time and three classifiers, times, smallest and largest of lr and nn."""
    return sum(CODES[mark] * 4**place for place, mark in enumerate(marks)), first, last, *ends


def ranges_of(*batches):
    found = InputRanges(PANEL)
    for batch in batches:
        found.add(batch)
    return found.score_ranges(valid=True), found.score_ranges(valid=False)


class TestRanges:
    def test_the_widest_of_all_groups_and_batches(self):
        first, second = row("vvvvv", 0.2, 0.3, 0.5, 0.6), row("vvvvv", 0.1, 0.25, 0.7, 0.9)
        expected = ({"lr": (0.1, 0.3), "nn": (0.5, 0.9)}, {})
        assert ranges_of([first, second]) == ranges_of([first], [second]) == ranges_of([second], [first]) == expected

    @pytest.mark.parametrize("order", [1, -1])
    def test_what_cannot_be_read_is_told_apart_whichever_comes_first(self, order):
        rows = [row("vv!vv", 1.5, 7.0, 0.5, 0.6), row("vvvvv", 0.2, 0.3, 0.4, 0.6)][::order]
        assert ranges_of(rows) == ({"lr": (0.2, 0.3), "nn": (0.4, 0.6)}, {"lr": (1.5, 7.0)})

    @pytest.mark.parametrize("marks", ["!vvvv", "v!vvv"])
    def test_scores_of_rows_without_id_or_time_are_readable(self, marks):
        assert ranges_of([row(marks, 0.2, 0.3, 0.5, 0.6)]) == ({"lr": (0.2, 0.3), "nn": (0.5, 0.6)}, {})

    def test_nothing_is_told_of_scores_that_are_not_there(self):
        rows = [row("vv-vv", None, None, 0.5, 0.6), row("vv-v-", None, None, None, None)]
        assert ranges_of(rows) == ({"nn": (0.5, 0.6)}, {})

    @pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
    @pytest.mark.parametrize("order", [1, -1])
    def test_nothing_is_told_beside_what_is_no_number(self, odd, order):
        rows = [row("vv!vv", 2.0, odd, 0.5, 0.6), row("vv!vv", 2.0, 3.0, 0.5, 0.6)][::order]
        assert ranges_of(rows) == ranges_of(*([one] for one in rows)) == ({"nn": (0.5, 0.6)}, {})

    def test_no_groups_tell_nothing(self):
        assert ranges_of([]) == ({}, {})


class TestTimes:
    def test_the_first_and_the_last_in_utc(self):
        found = InputRanges(PANEL)
        assert (found.first, found.last) == (None, None)
        found.add([row("vvvvv", 0, 1, 0, 1, first=NOON.replace(hour=9), last=NOON.replace(hour=10))])
        found.add([row("v!vvv", 0, 1, 0, 1, first=None, last=None)])
        found.add([row("vvvvv", 0, 1, 0, 1, first=NOON.replace(hour=8), last=NOON.replace(hour=9))])
        assert (found.first, found.last) == (datetime(2026, 1, 5, 8, tzinfo=UTC), datetime(2026, 1, 5, 10, tzinfo=UTC))
