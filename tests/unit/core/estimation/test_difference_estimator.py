"""Totals and variances against brute force: every possible draw of tiny populations is looked at."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator, ItemSubset, Residuals
from stratawatch.core.history.working_model import logistic, quadratic_features, ridge_coefficients
from stratawatch.core.labelled_sample import FOLDS, LabelCounts
from stratawatch.core.metrics import A, B
from tests.support.every_draw import Small, mixed


def with_fixed_model(small: Small, answers: LabelCounts, model: np.ndarray) -> DifferenceEstimator:
    """Evidence whose model was not fitted to the labels."""
    return replace(
        DifferenceEstimator.of(small.cells, answers),
        folds=np.tile(model, (FOLDS, 1)),
        overall=np.clip(model, 0.001, 0.999),
    )


class TestEveryDraw:
    """All 7 x 6 x ... draws of 3, 2 and 1 labels: what textbooks promise of their mean holds to the last digit."""

    small, labels = mixed(), (3, 2, 1)
    model = np.array([0.8, 0.5, 0.4, 0.15, 0.9])

    @pytest.fixture(scope="class")
    @classmethod
    def found(cls):
        everything = [cls.small.answers(drawn) for drawn in cls.small.draws(cls.labels)]
        evidence = [with_fixed_model(cls.small, answers, cls.model) for answers in everything]
        return [(one, one.sides([one.everything])) for one in evidence]

    def members(self):
        return np.stack([self.small.cells.positive, self.small.cells.negative], axis=-1)

    def textbook(self, weights: np.ndarray, seen=(0, 1, 2)) -> float:
        """sum N^2 (1 - f)/n S^2 of the weighted residuals, the variance of a stratified draw."""
        residuals = weights[self.small.atoms] * (self.small.labels - self.model[self.small.atoms])
        total = 0.0
        for h, n in enumerate(self.labels):
            part = residuals[self.small.strata() == h]
            if h in seen:
                total += len(part) ** 2 * (1 - n / len(part)) / n * part.var(ddof=1)
        return total

    def unclipped(self, found):
        """Estimated totals by cell, before what was observed is held against them."""
        return np.array([Residuals.of(one, [one.everything]).totals[0] for one, _ in found])

    def test_there_are_as_many_as_combinatorics_say(self, found):
        """7 choose 3, 4 choose 2, 2 choose 1."""
        assert len(found) == 35 * 6 * 2

    def test_totals_are_unbiased(self, found):
        totals = self.unclipped(found)
        for classifier in range(2):
            for side in (A, B):
                members = self.members()[:, classifier, side]
                estimates = totals @ members
                assert estimates.mean() == pytest.approx(self.small.positives(members), abs=1e-12)

    def test_their_variance_is_the_textbooks(self, found):
        totals = self.unclipped(found)
        for classifier in range(2):
            for side in (A, B):
                members = self.members()[:, classifier, side].astype(float)
                assert (totals @ members).var() == pytest.approx(self.textbook(members), abs=1e-12)

    def test_the_raw_variance_estimates_it_without_bias(self, found):
        """But for the stratum with one label, which has no raw variance and is not seen in it."""
        rows = self.members()[:, 0, A].astype(float)
        mean = np.mean([sides.variance[0, 0, 0] for _, sides in found])
        assert mean == pytest.approx(self.textbook(rows, seen=(0, 1)), abs=1e-12)

    def test_the_raw_covariance_of_both_sides_is_unbiased_too(self, found):
        rows = self.members()[:, 1].astype(float)
        of_a, of_b, of_both = (
            self.textbook(weights, seen=(0, 1)) for weights in (rows[:, A], rows[:, B], rows.sum(axis=1))
        )
        raw = np.mean([sides.variance[0, 1] for _, sides in found], axis=0)
        assert raw.tolist() == pytest.approx([of_a, (of_both - of_a - of_b) / 2, of_b], abs=1e-12)

    def test_any_weights_of_cells_are_estimated_alike(self, found):
        weights = np.array([0.3, -1.0, 2.0, 0.5, 0.0])
        raw = [float(one.variances(weights[None])[0][0]) for one, _ in found]
        assert np.mean(raw) == pytest.approx(self.textbook(weights), abs=1e-12)

    def test_rows_of_membership_are_the_sides(self, found):
        for one, sides in found[::50]:
            raw, smooth = one.variances(self.members()[:, :, A].T.astype(float))
            assert raw.tolist() == pytest.approx(sides.variance[0, :, 0].tolist(), abs=1e-12)
            assert smooth.tolist() == pytest.approx(sides.smoothed_variance[0, :, 0].tolist(), abs=1e-12)


class TestEqualities:
    def test_one_stratum_of_one_pattern_is_a_plain_draw(self):
        """N ybar, whatever the fold models say; their errors on labels they never saw can only widen it."""
        small = Small.of(["1"], [0.7], [0], ["1101001011"])
        drawn = np.array([0, 2, 3, 6, 7, 9, 4])
        evidence = DifferenceEstimator.of(small.cells, small.answers(drawn))
        sides = evidence.sides([evidence.everything])
        said = small.labels[drawn]
        assert sides.totals[0, 0, A] == pytest.approx(10 * said.mean(), abs=1e-12)
        assert sides.variance[0, 0, 0] >= 100 * 0.3 * said.var(ddof=1) / 7

    def test_with_one_model_its_variance_is_that_of_a_plain_draw(self):
        small = Small.of(["1"], [0.7], [0], ["1101001011"])
        drawn = np.array([0, 2, 3, 6, 7, 9, 4])
        evidence = with_fixed_model(small, small.answers(drawn), np.array([0.5]))
        sides = evidence.sides([evidence.everything])
        assert sides.variance[0, 0, 0] == pytest.approx(100 * 0.3 * small.labels[drawn].var(ddof=1) / 7, abs=1e-12)

    def test_strata_of_one_atom_are_the_stratified_estimator(self):
        small = Small.of(["1", "0"], [0.8, 0.1], [0, 1], ["1101111011", "0" * 15 + "11010"])
        drawn = small.random_draw((6, 8), np.random.default_rng(3))
        evidence = DifferenceEstimator.of(small.cells, small.answers(drawn))
        sides = evidence.sides([evidence.everything])
        for side, size in ((A, 10), (B, 20)):
            mean = small.labels[drawn[small.atoms[drawn] == side]].mean()
            assert sides.totals[0, 0, side] == pytest.approx(size * mean, abs=1e-9)

    def test_a_census_is_the_truth_and_certain(self):
        small = mixed()
        evidence = DifferenceEstimator.of(small.cells, small.answers(np.arange(len(small.labels))))
        sides = evidence.sides([evidence.everything])
        for classifier in range(2):
            assert sides.totals[0, classifier, A] == small.positives(small.cells.positive[:, classifier])
            assert sides.totals[0, classifier, B] == small.positives(small.cells.negative[:, classifier])
        for certain in (
            sides.variance,
            sides.smoothed_variance,
            sides.unsampled_variance,
            sides.max_weight,
            sides.joint_max_weight,
        ):
            assert np.abs(certain).max() == 0

    def test_all_classifiers_see_the_same_positives(self):
        rng = np.random.default_rng(5)
        letters = rng.choice([0, 1], 40, p=[0.6, 0.4])
        parts = ["".join(map(str, letters[i : i + 10])) for i in range(0, 40, 10)]
        small = Small.of(["11", "10", "01", "00"], [0.9, 0.6, 0.5, 0.1], [0, 0, 1, 1], parts)
        evidence = DifferenceEstimator.of(small.cells, small.answers(small.random_draw((8, 8), rng)))
        sides = evidence.sides([evidence.everything])
        positives = sides.totals[0].sum(axis=-1)
        assert positives[0] == pytest.approx(positives[1], abs=1e-9)


class TestParts:
    def test_parts_of_the_population_add_up(self):
        small, rng = mixed(), np.random.default_rng(1)
        drawn = small.random_draw((4, 3, 2), rng)
        answers = small.answers(drawn)
        evidence = DifferenceEstimator.of(small.cells, answers)
        share = rng.uniform(size=small.cells.sizes.shape)
        one = ItemSubset(small.cells.sizes * share, LabelCounts(answers.labelled * share, answers.positive * share))
        two = ItemSubset(
            small.cells.sizes - one.sizes,
            LabelCounts(answers.labelled - one.answers.labelled, answers.positive - one.answers.positive),
        )
        found = Residuals.of(evidence, [evidence.everything, one, two]).totals
        assert (found[1] + found[2]).tolist() == pytest.approx(found[0].tolist())

    def test_a_part_without_a_label_in_a_stratum_may_be_anything_there(self):
        """5 of the 10 items of stratum 0 lie in the part, none of them labelled: 5^2/4."""
        cells = Cells.of(("a",), ["1", "0"], np.array([10.0, 20.0]), np.array([0.8, 0.1]))
        answers = LabelCounts(np.array([[2.0, 2]] * FOLDS) / 2, np.array([[1.0, 0]] * FOLDS))
        none = np.zeros((FOLDS, 2))
        evidence = DifferenceEstimator.of(cells, answers)
        sides = evidence.sides([ItemSubset(np.array([5.0, 0]), LabelCounts(none, none))])
        assert sides.unsampled_variance[0, 0].tolist() == [6.25, 0]

    def test_w_is_what_a_label_stands_for_but_no_more_than_what_is_left(self):
        """10 items, 5 labels: 2 items a label, sqrt(1 - f) = sqrt(.5); a part with one unlabelled item: 1."""
        cells = Cells.of(("a",), ["1"], np.array([10.0]), np.array([0.8]))
        answers = LabelCounts(np.ones((FOLDS, 1)), np.ones((FOLDS, 1)))
        evidence = DifferenceEstimator.of(cells, answers)
        one = ItemSubset(np.array([6.0]), answers)
        sides = evidence.sides([evidence.everything, one])
        assert sides.max_weight[:, 0, A].tolist() == pytest.approx([2 * 0.5**0.5, 1 * 0.5**0.5])


class TestSmoothing:
    def test_adds_four_labels_of_the_models_variance(self):
        """One stratum of 40 items, 5 yes answers, a fixed model .9: ss = 0, V = 40^2 (35/40)/5 (4 x .09)/(3 + 5)."""
        cells = Cells.of(("a",), ["1"], np.array([40.0]), np.array([0.8]))
        answers = LabelCounts(np.ones((FOLDS, 1)), np.ones((FOLDS, 1)))
        evidence = replace(
            DifferenceEstimator.of(cells, answers), folds=np.full((FOLDS, 1), 0.9), overall=np.array([0.9])
        )
        sides = evidence.sides([evidence.everything])
        assert sides.variance[0, 0, 0] == pytest.approx(0, abs=1e-12)
        assert sides.smoothed_variance[0, 0, 0] == pytest.approx(40**2 * 35 / 40 / 5 * 4 * 0.09 / 8)

    @pytest.mark.parametrize("share", [0, 1])
    def test_labels_that_all_agree_leave_some_variance(self, share):
        cells = Cells.of(("a",), ["1", "0"], np.array([100.0, 300.0]), np.array([0.8, 0.1]))
        answered = np.full((FOLDS, 2), 10.0)
        evidence = DifferenceEstimator.of(cells, LabelCounts(answered, answered * share))
        assert evidence.sides([evidence.everything]).smoothed_variance[0, 0, 0] > 0


class TestFolds:
    def test_no_label_foretells_itself(self):
        """An atom whose labels all lie in one fold is foretold there by a model that never saw the atom's answers."""
        cells = Cells.of(("a",), ["1", "0", "0"], np.array([100.0, 300, 300]), np.array([0.8, 0.1, 0.2]))
        answered, yes = np.zeros((FOLDS, 3)), np.zeros((FOLDS, 3))
        answered[0, 0] = 10
        answered[:, 1:] = 4
        changed = yes.copy()
        changed[0, 0] = 10
        one, two = (DifferenceEstimator.of(cells, LabelCounts(answered, said)) for said in (yes, changed))
        assert one.folds[0].tolist() == pytest.approx(two.folds[0].tolist(), abs=1e-6)
        assert abs(one.folds[1, 0] - two.folds[1, 0]) > 0.3

    def test_the_fold_models_agree_with_fits_of_their_own(self):
        small = mixed()
        answers = small.answers(np.arange(10))
        evidence = DifferenceEstimator.of(small.cells, answers)
        rest = answers.labelled.sum(axis=0) - answers.labelled[2], answers.positive.sum(axis=0) - answers.positive[2]
        columns = quadratic_features(small.cells)
        alone = logistic(ridge_coefficients(columns, rest[1], rest[0], penalty=0.5) @ columns.T)
        assert evidence.folds[2].tolist() == pytest.approx(alone.tolist(), abs=1e-6)


class TestHistory:
    """What earlier labels foretold is a model that no label of this period had a part in."""

    told = np.array([0.8, 0.5, 0.4, 0.15, 0.9])

    def evidence(self, drawn, told=None):
        small = mixed()
        cells = replace(small.cells, prior_rate=self.told if told is None else told)
        return DifferenceEstimator.of(cells, small.answers(drawn))

    def test_foretells_every_fold_alike(self):
        found = self.evidence(np.arange(9))
        assert found.folds.tolist() == [self.told.tolist()] * FOLDS

    def test_smooths_by_itself_moved_to_the_present_labels(self):
        small = mixed()
        everyone = np.arange(len(small.labels))
        found = self.evidence(everyone, told=np.full(5, 0.05))
        assert 0.05 < found.overall[0] < small.labels.mean()
        assert found.overall.tolist() == pytest.approx([found.overall[0]] * 5)

    def test_its_variance_counts_like_labels_that_hold_two_of_the_rarer_kind(self):
        """A stratum that is 1% positive: 2/.01 labels; never fewer than 20."""
        found = self.evidence(np.zeros(0, dtype=np.int64), told=np.array([0.01, 0.01, 0.01, 0.5, 0.99]))
        assert found.prior_labels.tolist() == pytest.approx([200, 20, 200])

    def test_totals_hold_for_any_foretelling(self):
        """Unbiased over all draws of 2, 2 and 1 labels, however wrong the model is."""
        small, wrong = mixed(), np.array([0.1, 0.9, 0.9, 0.9, 0.1])
        found = [
            Residuals.of(one, [one.everything]).totals[0]
            for one in (self.evidence(drawn, told=wrong) for drawn in small.draws((2, 2, 1)))
        ]
        for members in (small.cells.positive[:, 0], small.cells.negative[:, 1]):
            assert np.mean(np.array(found) @ members) == pytest.approx(small.positives(members), abs=1e-12)
