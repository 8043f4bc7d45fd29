import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.planning.integer_allocation import clip_and_round


def shared(weights, floors, caps, total):
    return clip_and_round(np.array(weights, dtype=float), np.array(floors), np.array(caps), total).tolist()


@pytest.mark.parametrize(
    ("weights", "floors", "caps", "total", "expected"),
    [
        pytest.param([1, 2, 3], [0, 0, 0], [99, 99, 99], 60, [10, 20, 30], id="proportional without bounds"),
        # 10 x (.34, .33, .33) = 3.4, 3.3, 3.3: the first has the largest remainder.
        pytest.param([34, 33, 33], [0, 0, 0], [99, 99, 99], 10, [4, 3, 3], id="the largest remainder gets the odd one"),
        # 40 each by weight; the cap keeps 10 of the first, and 110 are shared 55 : 55.
        pytest.param([1, 1, 1], [0, 0, 0], [10, 99, 99], 120, [10, 55, 55], id="what a cap cuts off goes to others"),
        pytest.param([0, 1, 1], [6, 0, 0], [99, 99, 99], 20, [6, 7, 7], id="what a floor takes comes from others"),
        pytest.param([1, 2], [0, 0], [3, 4], 100, [3, 4], id="all that there is when more is asked"),
        pytest.param([0, 1], [0, 0], [50, 10], 30, [20, 10], id="cells without weight are served last"),
        pytest.param([0, 0], [0, 0], [30, 10], 20, [15, 5], id="no weights at all share by room"),
        pytest.param([1, 1], [8, 9], [20, 20], 5, [8, 9], id="floors above the total are kept"),
        pytest.param([], [], [], 0, [], id="no cells"),
    ],
)
def test_by_hand(weights, floors, caps, total, expected):
    assert shared(weights, floors, caps, total) == expected


cell = st.tuples(st.floats(0, 1e6), st.integers(0, 50), st.integers(0, 2000))


@given(st.lists(cell, min_size=1, max_size=30), st.integers(0, 5000))
def test_sums_are_exact_within_floors_and_caps(cells, total):
    weights, floors, extra = (np.array(column) for column in zip(*cells, strict=True))
    caps = floors + extra
    shares = clip_and_round(weights.astype(float), floors, caps, total)
    assert bool(np.all((shares >= floors) & (shares <= caps)))
    assert shares.sum() == np.clip(total, floors.sum(), caps.sum())


@given(st.lists(st.tuples(st.floats(0.01, 100), st.integers(1, 500)), min_size=2, max_size=12), st.data())
def test_no_label_can_be_moved_with_gain(cells, data):
    """The result minimises sum w^2/n over whole numbers up to rounding: a free cell's n/w is the same for all."""
    weights, caps = np.array([w for w, _ in cells]), np.array([c for _, c in cells])
    total = data.draw(st.integers(len(cells), int(caps.sum())))
    shares = clip_and_round(weights, np.zeros(len(cells), dtype=np.int64), caps, total)
    free = shares < caps
    capped = ~free
    if free.any():
        scale = shares[free].sum() / weights[free].sum()
        assert bool(np.all(np.abs(shares[free] - scale * weights[free]) <= 2))
        # The scale is read off whole numbers: a small free cell knows it to one label only.
        most = (shares[free] + 1).sum() / weights[free].sum()
        assert bool(np.all(most * weights[capped] >= caps[capped] - 2))


@pytest.mark.parametrize("total", [7, 100, 901])
def test_more_labels_never_take_a_label_away_by_more_than_rounding(total):
    weights, caps = np.array([3.0, 1.0, 0.2, 7.0]), np.array([300, 300, 300, 50])
    fewer = clip_and_round(weights, np.zeros(4, dtype=np.int64), caps, total)
    more = clip_and_round(weights, np.zeros(4, dtype=np.int64), caps, total + 20)
    assert bool(np.all(more >= fewer - 1))


def test_sums_of_very_large_numbers_are_exact_too():
    """Slopes that end leave the last digits of what came before; the sum must not."""
    weights = np.array([46.232675664173414, 5.920603913615479e-10, 0.7629958461490771, 0])
    found = clip_and_round(weights, np.array([4, 27, 0, 1]), np.array([5, 562680365, 27, 2]), 562680397)
    assert found.sum() == 562680397


@given(
    st.lists(st.tuples(st.floats(0, 1e3), st.integers(0, 50), st.integers(0, 10**8)), min_size=1, max_size=12),
    st.floats(0, 1),
)
def test_sums_are_exact_at_any_size(cells, part):
    weights, floors, room = (np.array(column) for column in zip(*cells, strict=True))
    caps = floors + room
    total = int(floors.sum() + round(part * float(room.sum())))
    assert clip_and_round(weights.astype(float), floors, caps, total).sum() == total
