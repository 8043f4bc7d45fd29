"""How much of what a test looks at was in an earlier pool."""

import pytest

from stratawatch.core.alarms.evidence.persistence import persisting_shares
from stratawatch.core.population import Segment
from tests.support.small_windows import ceiling, floor, window

DESIGN, _ = window(
    ["1", "0"], [0.8, 0.1], [0, 1], ["1101", "0000100000"], prior=[0.75, 0.1], segments=["xxyy", "x" * 10]
)


def share(stays, test):
    return persisting_shares(DESIGN, [test], stays)[0]


def test_without_any_it_is_nothing():
    assert share((), floor()) == 0


@pytest.mark.parametrize("called", range(2, 60))
def test_where_all_that_a_test_looks_at_stays_it_is_1_and_no_rounding_more_or_less(called):
    design, _ = window(["1", "0"], [0.8, 0.1], [0, 1], ["1" * called, "0" * 37], prior=[0.7 + called / 999, 0.1])
    assert persisting_shares(design, [floor("precision")], {f"0-{n}" for n in range(called)})[0] == 1


def test_of_a_test_that_looks_at_one_side_the_other_does_not_count():
    assert share({f"1-{n}" for n in range(10)}, floor("precision")) == 0
    assert share({"0-0"}, floor("precision")) == pytest.approx(1 / 4)


def test_a_small_part_of_the_pool_may_be_much_of_what_a_test_looks_at():
    everything_called = {f"0-{n}" for n in range(4)}
    assert share(everything_called, floor("precision")) == 1
    assert share(everything_called, ceiling("false_omission_rate", 0.1)) == 0


def test_the_larger_of_the_shares_by_expected_yes_and_by_expected_no():
    # recall at .5: |alpha| is .5 on either side. By yes 4 x .75 of 4 x .75 + 10 x .1 stays, by no 4 x .25 of 1 + 9.
    stays = {f"0-{n}" for n in range(4)}
    assert share(stays, floor("recall", 0.5)) == pytest.approx(3 / 4)


def test_inside_a_segment_only_its_items_count():
    test = floor("precision", segment=Segment("kind", "y"))
    assert share({"0-0", "0-1"}, test) == 0
    assert share({"0-2"}, test) == pytest.approx(1 / 2)
