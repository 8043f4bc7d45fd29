"""Families: what the populations promise to be, fixed and fresh."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.coverage.distortions import DISTORTIONS
from benchmarks.coverage.panels import PANELS, Member, Panel
from benchmarks.coverage.population import Population
from benchmarks.coverage.shapes import SHAPES, Side, scores_and_chances
from benchmarks.coverage.singles import SINGLES, Single

FAMILIES = [*SINGLES, *PANELS]


def made(family, seed=3, size=None):
    items = family.items(np.random.default_rng(seed), size or family.size)
    return Population.of(items, family.classifiers, family.auxiliary)


class TestShapes:
    @pytest.mark.parametrize("name", SHAPES)
    @pytest.mark.parametrize("side", [Side(0.85, 0.4, 1.0), Side(0.01, 0.0, 0.4)])
    def test_scores_stay_on_their_side_and_chances_have_the_wanted_mean(self, name, side):
        scores, chances = scores_and_chances(name, side)
        assert scores.min() >= side.low
        assert scores.max() < side.high
        assert chances.mean() == pytest.approx(side.share, abs=1e-9)

    def test_a_calibrated_score_is_the_chance(self):
        scores, chances = scores_and_chances("calibrated", Side(0.8, 0.4, 1.0))
        assert np.abs(scores - chances).max() < 0.01

    def test_an_inverted_score_misleads(self):
        scores, chances = scores_and_chances("inverted", Side(0.8, 0.4, 1.0))
        assert np.corrcoef(scores, chances)[0, 1] < -0.5


class TestFixed:
    def test_there_are_twelve_singles_and_ten_panels_at_least(self):
        assert len(SINGLES) >= 12
        assert len(PANELS) >= 10
        assert len({family.name for family in FAMILIES}) == len(FAMILIES)
        assert all(3 <= len(panel.members) <= 6 for panel in PANELS)

    @pytest.mark.parametrize("family", SINGLES, ids=lambda family: family.name)
    def test_a_single_has_the_rates_that_it_states(self, family):
        """Within five standard errors of so many items."""
        found = made(family)
        called, passed = found.confusions[0].called, found.confusions[0].passed
        for metric, wanted, items in (
            ("precision", family.precision, called),
            ("false_omission_rate", family.omission, passed),
        ):
            assert found.truth(metric, 0) == pytest.approx(wanted, abs=5 * np.sqrt(wanted * (1 - wanted) / items))

    @pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
    def test_every_metric_has_a_truth(self, family):
        found = made(family)
        assert 0.004 < found.yes.sum() / found.census.size < 0.11
        assert all(side > 0 for truth in found.confusions for side in vars(truth).values())

    def test_precisions_and_omissions_span_what_is_promised(self):
        precisions = [single.precision for single in SINGLES] + [m.precision for p in PANELS for m in p.members]
        omissions = [single.omission for single in SINGLES]
        assert (min(precisions), max(precisions)) == (0.5, 0.99)
        assert (min(omissions), max(omissions)) == (0.001, 0.05)


class TestPanels:
    def test_a_cut_off_buys_the_stated_precision(self):
        panel = Panel("p", 0.06, (Member(3, 0.7), Member(2.6, 0.9)))
        found = made(panel, size=200_000)
        assert [found.truth("precision", column) for column in (0, 1)] == pytest.approx([0.7, 0.9], abs=0.02)

    def test_a_helper_adds_a_letter_and_leaves_scores_alone(self):
        alone = Panel("p", 0.06, (Member(3, 0.7),))
        helped = replace(alone, helpers=(Member(3, 0.7, "inverted"),))
        with_helper = helped.items(np.random.default_rng(1), 5000)
        assert with_helper.letters.shape == (5000, 2)
        without = alone.items(np.random.default_rng(1), 5000)
        assert np.ptp(with_helper.letters[:, 1].astype(np.int64)) == 1
        assert with_helper.scores.tolist() == pytest.approx(without.scores.tolist())

    def test_a_helper_scores_what_no_classifier_scores(self):
        silent = Panel("p", 0.06, (Member(3, 0.7, unjudged=0.5),), helpers=(Member(3, 0.7),))
        items = silent.items(np.random.default_rng(1), 5000)
        assert not np.isnan(items.scores).any()
        assert 0.45 < (items.letters[:, 0] == "-").mean() < 0.55

    def test_a_gap_is_no_call_and_no_score(self):
        items = Panel("p", 0.06, (Member(3, 0.7, unjudged=0.5),)).items(np.random.default_rng(1), 5000)
        assert (np.isnan(items.scores) == (items.letters[:, 0] == "-")).all()
        assert 0.45 < np.isnan(items.scores).mean() < 0.55

    @pytest.mark.parametrize("name", DISTORTIONS)
    def test_distorted_scores_are_scores(self, name):
        chance = np.linspace(0.0001, 0.9999, 50)
        told = DISTORTIONS[name](chance, np.random.default_rng(1))
        assert np.isnan(told).all() if name == "silent" else ((told >= 0) & (told <= 1)).all()


class TestFresh:
    @pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
    def test_a_fresh_one_is_of_the_same_kind_with_other_numbers(self, family):
        fresh = family.fresh(np.random.default_rng(8))
        assert (fresh.name, fresh.ranks, fresh.classifiers) == (family.name, family.ranks, family.classifiers)
        assert fresh != family
        assert 20_000 <= fresh.size <= 50_000
        assert 0.003 < made(fresh).yes.sum() / fresh.size < 0.12

    def test_fresh_numbers_follow_from_the_seed(self):
        single = SINGLES[0]
        assert isinstance(single, Single)
        assert single.fresh(np.random.default_rng(8)) == single.fresh(np.random.default_rng(8))
        assert single.fresh(np.random.default_rng(8)) != single.fresh(np.random.default_rng(9))
