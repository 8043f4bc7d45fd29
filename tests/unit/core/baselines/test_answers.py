import numpy as np
import pytest

from stratawatch.core.baselines.answers import LACKING, REPORTED, SHARES, Answers, count, one_hot, share
from stratawatch.errors import StratawatchError

CALLS = np.array([True, True, True, False, False, False, False])
TRUTH = np.array([True, True, False, True, False, False, False])


class TestCounts:
    def test_each_item_is_one_of_four(self):
        assert np.array(one_hot(CALLS, TRUTH)).sum(axis=0).tolist() == [1] * 7

    def test_by_hand(self):
        assert [int(n) for n in count(CALLS, TRUTH)] == [2, 1, 1, 3]

    def test_unequal_lengths_are_refused(self):
        with pytest.raises(StratawatchError, match=r"do not belong together; .* got 7 calls and 6 truths"):
            count(CALLS, TRUTH[1:])


class TestShares:
    @pytest.mark.parametrize(
        ("metric", "yes", "of"),
        [
            ("precision", 2, 3),
            ("recall", 2, 3),
            ("false_omission_rate", 1, 4),
            ("accuracy", 5, 7),
            ("specificity", 3, 4),
            ("negative_predictive_value", 3, 4),
        ],
    )
    def test_by_hand(self, metric, yes, of):
        assert [int(n) for n in share(metric, count(CALLS, TRUTH))] == [yes, of]

    def test_of_many_runs_at_once(self):
        runs = Answers(*(np.array(counts) for counts in ([2.0, 0], [1.0, 0], [1.0, 5], [3.0, 5])))
        assert [part.tolist() for part in share("precision", runs)] == [[2, 0], [3, 0]]

    def test_what_is_no_share_is_refused(self):
        with pytest.raises(StratawatchError, match="there is no baseline of 'f1'; expected one of precision, recall"):
            share("f1", count(CALLS, TRUTH))

    def test_every_metric_can_say_why_it_is_lacking(self):
        assert set(LACKING) == set(SHARES)
        assert set(REPORTED) <= set(SHARES)
