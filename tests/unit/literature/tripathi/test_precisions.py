import numpy as np
import pytest

from stratawatch.core.estimate import Undefined
from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.mixing import MIXING, UNIFORM_SAMPLE, UNIFORM_SHUFFLE
from stratawatch.literature.tripathi.panel_draw import draw_panel
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns
from stratawatch.literature.tripathi.precisions import NO_ANSWER, estimate_precisions
from stratawatch.literature.tripathi.share_estimate import ShareEstimate, smoothed_share
from tests.support.tripathi_answers import PANEL, YES, answers

TRUTH = (YES @ PANEL.positive) / PANEL.called_positive


def run(mixing, runs=1500, lengths=(300, 300, 300)):
    rng = np.random.default_rng(17)
    made = []
    for _ in range(runs):
        draw = draw_panel(PANEL, np.array(lengths), 1, rng, mixing)
        made.append(estimate_precisions(draw, answers(draw, rng)))
    return made


@pytest.fixture(scope="module", params=sorted(MIXING))
def simulated(request):
    return request.param, run(request.param)


class TestMonteCarlo:
    def test_precisions_are_unbiased(self, simulated):
        _, made = simulated
        values = np.array([[share.value for share in one.shares] for one in made])
        assert np.abs((values.mean(axis=0) - TRUTH) / (values.std(axis=0) / len(values) ** 0.5)).max() < 3.5

    def test_covariances_between_classifiers_are_right(self, simulated):
        _, made = simulated
        values = np.array([[share.value for share in one.shares] for one in made])
        found, said = np.cov(values.T), np.mean([one.covariance for one in made], axis=0)
        off = ~np.eye(3, dtype=bool)
        scale = np.sqrt(np.outer(np.diag(found), np.diag(found)))
        assert np.abs((found - said) / scale)[off].max() < 4 / len(values) ** 0.5
        assert said[off].min() > 0

    def test_variances_are_right(self, simulated):
        """UniformSample's are about twice those of plain samples."""
        mixing, made = simulated
        values = np.array([[share.value for share in one.shares] for one in made])
        ratio = np.mean([np.diag(one.covariance) for one in made], axis=0) / values.var(axis=0)
        assert bool(((ratio > 0.88) & (ratio < 1.14)).all())
        twice = values.var(axis=0) * 300 / (TRUTH * (1 - TRUTH))
        assert bool((twice[[0, 2]] > 1.6).all()) == (mixing == UNIFORM_SAMPLE)

    def test_intervals_cover(self, simulated):
        _, made = simulated
        for classifier in range(3):
            found = [one.shares[classifier].interval() for one in made]
            covered = np.mean([one.low <= TRUTH[classifier] <= one.high for one in found])
            assert covered > 0.95 - 3 * (0.05 * 0.95 / len(found)) ** 0.5


class TestByHand:
    draw = draw_panel(PANEL, np.array([40, 40, 40]), 1, np.random.default_rng(2))

    def test_the_share_of_yes_in_the_sequence_repeats_counted(self):
        said = np.arange(self.draw.labels) % 2
        made = estimate_precisions(self.draw, said)
        for classifier in range(3):
            assert made.shares[classifier].value == pytest.approx(said[self.draw.items_of(classifier)].mean())

    def test_the_parents_variance_is_that_of_a_plain_sample(self):
        rate = estimate_precisions(self.draw, np.arange(self.draw.labels) % 2).shares[1]
        share = smoothed_share(rate.value, 40)
        assert rate.variance == pytest.approx(share * (1 - share) / 40)
        assert rate.n_eff == pytest.approx(40)

    def test_a_childs_variance_is_that_of_its_parts(self):
        """Nothing is cut: sum of n q (1 - q) over S+, S- and S_remain, half a yes and half a no added to each."""
        part, said = self.draw.sequences[0], np.arange(self.draw.labels) % 3 % 2
        assert part.recycled + part.outside <= len(part.sequence)
        assert min(part.recycled, part.remaining) > 0
        yes, recycled = said[self.draw.items[part.sequence]], part.sequence < 40
        last = np.arange(40) >= 40 - part.remaining
        parts = [yes[members] for members in (recycled, ~recycled & ~last, last)]
        shares = [(one.sum() + 0.5) / (len(one) + 1) for one in parts]
        expected = sum(len(one) * q * (1 - q) for one, q in zip(parts, shares, strict=True)) / 1600
        assert estimate_precisions(self.draw, said).shares[0].variance == pytest.approx(expected)

    def test_parent_and_child_hang_together_by_their_shared_draws(self):
        """Cov = q (1 - q) s/(n_P n_C)."""
        rng = np.random.default_rng(3)
        said = rng.integers(2, size=self.draw.labels)
        shared = np.intersect1d(self.draw.sequences[0].sequence, self.draw.sequences[1].sequence)
        q = said[self.draw.items[shared]].mean()
        expected = q * (1 - q) * len(shared) / 1600
        assert estimate_precisions(self.draw, said).covariance[0, 1] == pytest.approx(expected)

    def test_all_yes_is_no_certainty(self):
        rate = estimate_precisions(self.draw, np.ones(self.draw.labels, dtype=np.int64)).shares[0]
        assert rate.value == 1
        assert rate.variance > 0
        assert rate.interval().low < 0.92

    def test_items_without_an_answer_are_left_out(self):
        said = np.arange(self.draw.labels) % 2
        before = estimate_precisions(self.draw, said).shares[0]
        said[self.draw.items_of(0)[:20]] = NO_ANSWER
        kept = said[self.draw.items_of(0)]
        after = estimate_precisions(self.draw, said).shares[0]
        assert after.value == pytest.approx((kept == 1).sum() / (kept != NO_ANSWER).sum())
        assert after.n_eff < 0.7 * before.n_eff

    def test_without_any_answer_all_are_undefined(self):
        made = estimate_precisions(self.draw, np.full(self.draw.labels, NO_ANSWER))
        assert made.shares[0] == Undefined(f"no label among the {PANEL.called_positive[0]:,} items it calls positive")
        assert not made.covariance.any()

    def test_who_calls_nothing_has_no_precision(self):
        patterns = CallPatterns.of(["00", "10"], np.array([5, 50]), 2)
        draw = draw_panel(patterns, np.array([9, 9]), 0, np.random.default_rng(1))
        assert estimate_precisions(draw, np.ones(draw.labels, dtype=np.int64)).shares[1] == Undefined(
            "it calls no item positive"
        )

    def test_an_empty_draw(self):
        draw = draw_panel(PANEL, np.zeros(3, dtype=np.int64), 1, np.random.default_rng(1), UNIFORM_SHUFFLE)
        made = estimate_precisions(draw, np.zeros(0, dtype=np.int64))
        assert all(isinstance(rate, Undefined) for rate in made.shares)

    def test_answers_of_other_items_are_refused(self):
        with pytest.raises(StratawatchError, match="every drawn item needs an answer"):
            estimate_precisions(self.draw, np.ones(3, dtype=np.int64))


class TestRate:
    @pytest.mark.parametrize(("value", "end"), [(0.0, "low"), (1.0, "high")])
    def test_the_ends_of_the_scale_are_reached(self, value, end):
        assert getattr(ShareEstimate(value, 0.01, 20.0).interval(), end) == value

    def test_wilson_is_where_the_score_test_stops(self):
        """|p - v| = z sqrt(p (1 - p)/n) at both ends."""
        interval = ShareEstimate(0.8, 0.0016, 100.0).interval(0.9)
        for end in (interval.low, interval.high):
            assert abs(end - 0.8) == pytest.approx(1.6448536 * (end * (1 - end) / 100) ** 0.5)

    def test_smoothing_adds_half_a_yes_and_half_a_no(self):
        assert smoothed_share(1.0, 9) == pytest.approx(9.5 / 10)
