import numpy as np

from stratawatch.demo.messages import draw_messages
from stratawatch.demo.models import CLASSIFIERS, SCORED_CLASSIFIERS, SIGNALS_READ, lowest_cut_off


class TestCutOffFor:
    def test_is_the_lowest_score_that_is_still_precise_enough(self):
        scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
        truth = np.array([True, True, False, True, False])
        assert lowest_cut_off(scores, truth, 0.75) == 0.6
        assert lowest_cut_off(scores, truth, 1.0) == 0.8


class TestModels:
    def test_views_overlap_and_only_the_logistic_one_reads_urgency(self):
        assert all(set(SIGNALS_READ[a]) & set(SIGNALS_READ[b]) for a in SCORED_CLASSIFIERS for b in SCORED_CLASSIFIERS)
        assert [name for name in SCORED_CLASSIFIERS if "urgency" in SIGNALS_READ[name]] == ["logistic"]

    def test_scores_are_probabilities(self, world):
        scores = world.week(1, items=5_000).scores
        assert scores.shape == (5_000, 3)
        assert scores.min() >= 0
        assert scores.max() <= 1

    def test_the_vote_is_the_majority_of_the_calls(self, world):
        calls = world.week(1, items=5_000).calls
        assert np.array_equal(calls[:, CLASSIFIERS.index("vote")], calls[:, :3].sum(axis=1) >= 2)

    def test_classifiers_overlap_and_err_differently(self, world):
        calls = world.week(1).calls[:, :3]
        together = calls.all(axis=1).sum()
        assert together > 0.5 * calls.sum(axis=0).max()
        assert (calls.sum(axis=1) == 1).sum() > 0.2 * calls.sum(axis=0).min()

    def test_a_call_is_a_score_at_or_above_the_cut_off(self, world):
        signals = draw_messages(np.random.default_rng(5), 2_000).signals
        scores = world.models.scores(signals)
        calls = world.models.calls(scores)
        for column, name in enumerate(SCORED_CLASSIFIERS):
            assert np.array_equal(calls[:, column], scores[:, column] >= world.models.cut_offs[name])

    def test_a_score_exactly_at_the_cut_off_says_yes(self, world):
        scores = np.array([[world.models.cut_offs[name] for name in SCORED_CLASSIFIERS]])
        assert world.models.calls(scores).tolist() == [[True, True, True, True]]
