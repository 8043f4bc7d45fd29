"""The benchmark of studies measures what it says it does."""

import math

import pytest

from benchmarks.study import CASES, frame_of, later_asks, measure, write


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_small_run_of_every_case(case, tmp_path):
    file = tmp_path / "0.parquet"
    write(case, 6000, 1, file)
    found = measure(case, 1, file)
    assert found["items"] == 6000
    assert found["asked"] >= 100
    assert found["seconds"] == pytest.approx(found["make_s"] + found["ask_s"])
    assert found["frame_mb"] == pytest.approx(6000 * 62e-6, rel=0.4)
    assert math.isfinite(found["extra_mb"])


def test_a_second_period_of_ten_classifiers_asks_in_rounds():
    seconds = later_asks(1, items=20_000)
    assert len(seconds) >= 3  # two rounds, and that there is no further one
    assert min(seconds) > 0


def test_the_frame_has_six_classifiers_and_calls_some_items_positive():
    frame = frame_of(CASES[0], 2000, 1)
    assert frame.shape == (2000, 13)
    assert 0.02 < frame["call_0"].mean() < 0.3
