import numpy as np
import pytest

from stratawatch.errors import StratawatchError
from stratawatch.literature.stratum_counts import StratumCounts


def counts(drawn, labels, yes):
    return StratumCounts(*(np.array(column) for column in (drawn, labels, yes)))


def test_before_the_first_draw_all_are_zero():
    nothing = StratumCounts.none_drawn(2, 3)
    assert nothing.drawn.shape == nothing.labels.shape == nothing.yes.shape == (2, 3)
    assert nothing.drawn.sum() == nothing.labels.sum() == nothing.yes.sum() == 0


def test_where_all_are_answered_every_item_has_a_label():
    assert StratumCounts.all_answered(np.array([4, 2]), np.array([1, 2])).drawn.tolist() == [4, 2]


@pytest.mark.parametrize("impossible", [([5], [6], [1]), ([5], [4], [5]), ([5], [4], [-1])])
def test_counts_that_cannot_be_are_refused(impossible):
    with pytest.raises(StratawatchError, match="counts contradict one another"):
        counts(*impossible)


def test_counts_of_other_strata_are_refused():
    with pytest.raises(StratawatchError, match="counts contradict one another"):
        counts([1, 2], [1], [1])
