import numpy as np
import pytest

from stratawatch.demo.random_sampling import RandomSampling, Wanted, answers_inside, random_sampling


class TestAnswersInside:
    def test_the_textbook_number_of_a_large_population(self):
        """1.96^2 x .9 x .1 / .03^2 = 384.1"""
        assert answers_inside(Wanted(0.9, 0.03, 10**9, listed=True)) == pytest.approx(384.1, abs=0.1)

    def test_a_finite_domain_takes_fewer_and_never_more_than_it_has(self):
        """384.15 / (1 + 384.15 / 500) = 217.2"""
        assert answers_inside(Wanted(0.9, 0.03, 500, listed=True)) == pytest.approx(217.2, abs=0.1)
        assert answers_inside(Wanted(0.9, 1e-6, 500, listed=True)) < 500

    def test_certainty_takes_them_all(self):
        assert answers_inside(Wanted(0.9, 0.0, 500, listed=True)) == 500

    def test_the_half_width_is_what_a_random_sample_really_gives(self):
        """A sample of that size misses the value by more than the half-width about one time in twenty."""
        rng = np.random.default_rng(3)
        size = round(answers_inside(Wanted(0.8, 0.03, 5_000, listed=True)))
        shares = rng.hypergeometric(4_000, 1_000, size, 20_000) / size
        assert (abs(shares - 0.8) > 0.03).mean() == pytest.approx(0.05, abs=0.008)


class TestRandomSampling:
    def test_a_listed_domain_is_drawn_from_directly_the_other_is_searched_for(self):
        precision = Wanted(0.9, 0.03, 10**9, listed=True)
        recall = Wanted(0.9, 0.03, 10**9, listed=False)
        assert random_sampling([precision], 10**10).independent == 385
        assert random_sampling([recall], 10**10).independent == pytest.approx(3841, abs=1)

    def test_independent_samples_add_up_and_a_shared_one_serves_the_greediest(self):
        precision = Wanted(0.9, 0.03, 10**9, listed=True)
        recall = Wanted(0.9, 0.03, 10**9, listed=False)
        both = random_sampling([precision, recall], 10**10)
        assert both == RandomSampling(independent=385 + 3842, shared=3842)
