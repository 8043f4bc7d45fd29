"""Peers: what they are asked, and what their designs have to keep whatever library answers."""

import doctest

import numpy as np
import pytest

from benchmarks.labels.peers import PEERS, glide, plain_sampling, svy_peer
from benchmarks.labels.peers.glide import capped
from benchmarks.labels.peers.peer import Task, installed, wald
from benchmarks.labels.peers.plain_sampling import PlainSampling


@pytest.fixture
def task():
    """100 calls of which 80 are right, 900 others of which 20 are positive."""
    calls = np.arange(1000) < 100
    truth = (np.arange(1000) < 80) | (np.arange(1000) >= 980)
    return Task("recall", calls, np.where(calls, 0.75, 0.03), truth)


class TestTask:
    def test_values(self, task):
        assert task.value == pytest.approx(80 / 100)
        assert Task("precision", task.calls, task.scores, task.truth).value == pytest.approx(0.8)

    def test_precision_is_asked_of_the_calls_and_recall_of_everything(self, task):
        assert len(Task("precision", task.calls, task.scores, task.truth).frame) == 100
        assert len(task.frame) == 1000

    def test_the_guess_takes_scores_at_their_word(self, task):
        assert task.guess == pytest.approx(75 / (75 + 27))
        assert Task("precision", task.calls, task.scores, task.truth).guess == pytest.approx(0.75)

    @pytest.mark.parametrize("metric", ["precision", "recall"])
    def test_parts_and_residual_agree_with_the_value(self, task, metric):
        """The ratio of the parts' means is the metric, and there the residual of recall has mean 0."""
        one = Task(metric, task.calls, task.scores, task.truth)
        y = one.truth[one.frame].astype(float)
        means = one.parts(y, one.frame).mean(axis=0)
        assert means[0] / (means[1] if metric == "recall" else 1) == pytest.approx(one.value)
        expected = 0 if metric == "recall" else one.value
        assert one.residual(y, one.frame, one.value).mean() == pytest.approx(expected)


class TestPlainSampling:
    @pytest.mark.parametrize("metric", ["precision", "recall"])
    def test_is_right_on_average_and_covers(self, task, metric):
        one = Task(metric, task.calls, task.scores, task.truth)
        ask = PlainSampling().prepare(one, 60)
        answers = [ask(np.random.default_rng(seed)) for seed in range(300)]
        assert np.mean([answer.value for answer in answers]) == pytest.approx(0.8, abs=0.03)
        assert np.mean([answer.low <= one.value <= answer.high for answer in answers]) > 0.92

    def test_nothing_asked_is_everything_possible(self):
        answer = plain_sampling.wilson(0, 0, 60)
        assert (answer.low, answer.high) == (0, 1)


class TestDesigns:
    def test_capped_chances_add_up_and_keep_their_proportions(self):
        chances = capped(np.array([50.0, 40.0, 3.0, 2.0, 1.0]), 4)
        assert chances.sum() == pytest.approx(4, abs=1e-4)
        assert chances.max() < 1
        assert chances[3] / chances[4] == pytest.approx(2, rel=1e-4)

    def test_shares_add_up(self):
        assert svy_peer._shares(200, np.array([10, 30, 60])) == [20, 60, 120]
        assert sum(svy_peer._shares(17, np.array([33, 33, 34]))) == 17

    def test_wald(self):
        answer = wald(0.5, 0.01, 30)
        assert (answer.low, answer.high) == pytest.approx((0.304, 0.696), abs=1e-4)


class TestRegistry:
    def test_every_peer_says_what_it_was_asked_and_how_to_install_it(self):
        assert len({peer.name for peer in PEERS}) == len(PEERS) == 7
        for peer in PEERS:
            assert peer.how
            assert peer.module is None or peer.install.startswith("pip install")

    def test_what_cannot_be_imported_is_not_installed(self):
        assert installed(PlainSampling())
        peer = glide.Glide()
        peer.module = "no_such_module_anywhere"
        assert not installed(peer)


def test_doctests():
    for module in (glide, plain_sampling):
        found = doctest.testmod(module)
        assert found.attempted > 0
        assert found.failed == 0
