"""The benchmark of Bennett & Carvalho measures what it says it does."""

import argparse

import numpy as np
import pytest

from benchmarks.papers.bennett import figures, run
from benchmarks.papers.bennett.failures import DESIGN_PRECISIONS, DESIGN_RULES, as_a_design, steep
from benchmarks.papers.bennett.populations import Bins, categories
from benchmarks.papers.bennett.simulation import at_once, converge
from benchmarks.papers.bennett.table_one import published
from benchmarks.papers.bennett.ways import RANDOM, WAYS, measure
from benchmarks.shape import Options
from stratawatch.literature.bennett.sampling_rounds import StoppingRule


def options(runs):
    return Options(seed=1, quick=True, data=None, json=None, given=argparse.Namespace(runs=runs))


class TestPopulations:
    def test_there_are_fifteen_of_the_printed_variance(self):
        """69,300 labels of random sampling are z^2 p (1 - p)/.01^2, summed over fifteen categories."""
        variances = [one.bins(None).precision * (1 - one.bins(None).precision) for one in categories()]
        assert len(variances) == 15
        assert (1.959964 / 0.01) ** 2 * sum(variances) == pytest.approx(69_300, rel=0.02)

    @pytest.mark.parametrize("binning", [None, "equal", "perc"])
    def test_cutting_keeps_items_and_precision(self, binning):
        for one in categories():
            bins = one.bins(binning)
            assert bins.sizes.sum() == len(one.labels)
            assert bins.precision == pytest.approx(one.labels.mean())

    def test_most_scores_are_near_the_cut_off(self):
        for one in categories():
            assert bool(np.all(np.diff(one.bins("equal").sizes) < 0))


class TestSimulation:
    population = Bins(np.array([600, 400]), np.array([0.6, 0.9]))

    def test_runs_of_two_populations_do_not_mix(self):
        other = Bins(np.array([600, 400]), np.array([0.2, 0.4]))
        first, second = converge(
            StoppingRule(0.05, replacement=True), [self.population, other], 200, np.random.default_rng(1)
        )
        assert first.values.mean() == pytest.approx(0.72, abs=0.01)
        assert second.values.mean() == pytest.approx(0.28, abs=0.01)

    def test_without_replacement_a_small_margin_finds_the_truth(self):
        [found] = converge(StoppingRule(1e-6, per_bin=40), [self.population], 5, np.random.default_rng(1))
        assert found.values.tolist() == pytest.approx([0.72] * 5)
        assert found.labels.tolist() == [1000] * 5

    def test_every_run_ends_narrow_enough(self):
        [found] = converge(StoppingRule(0.05, replacement=True), [self.population], 50, np.random.default_rng(2))
        assert bool(np.all(found.half_widths <= 0.05))

    def test_one_look_covers_as_it_says(self):
        found = at_once(np.array([300, 200]), self.population, 4000, np.random.default_rng(3))
        assert found.covered(0.72) == pytest.approx(0.95, abs=3 * (0.95 * 0.05 / 4000) ** 0.5 + 0.003)


def test_the_printed_table_has_our_rows():
    assert list(published()) == [way.name for way in WAYS]


def test_change_against_oneself_is_none():
    found = measure(RANDOM, 1, 5, margin=0.05)
    assert found.change(found) == (0, 0)
    assert found.percent_proportional == pytest.approx(found.percent_oracle)


@pytest.mark.slow
def test_a_small_run_keeps_every_promise():
    result = run(options(20))
    assert result.passed
    assert {next(iter(row)) for row in result.rows} >= {"Table 1", "whose oracle?", "precision"}


@pytest.mark.slow
def test_the_picture_is_the_same_twice(tmp_path):
    for name in ("one", "two"):
        figures(tmp_path / name, options(3))
    assert (tmp_path / "one/bennett.svg").read_bytes() == (tmp_path / "two/bennett.svg").read_bytes()


class TestAsADesign:
    def test_steep_bins_have_the_precision_that_is_said_and_odds_that_rise_sixteenfold(self):
        for precision, bins in zip(DESIGN_PRECISIONS, steep(), strict=True):
            assert bins.precision == pytest.approx(precision, abs=1e-4)
            odds = bins.rates / (1 - bins.rates)
            assert odds[-1] / odds[0] == pytest.approx(16, rel=0.05)

    def test_a_budget_is_spent_and_a_margin_is_not(self):
        rows = as_a_design(1, 20)
        assert len(rows) == len(DESIGN_RULES) * 2 * len(DESIGN_PRECISIONS)
        assert {row["labels"] for row in rows if row["as a design, until"] == "400 labels"} == {400.0}
        loose = [row["labels"] for row in rows if row["as a design, until"] == "margin 0.05"]
        tight = [row["labels"] for row in rows if row["as a design, until"] == "margin 0.03"]
        assert all(few < many for few, many in zip(loose, tight, strict=True))
