"""The benchmark of Tripathi et al. measures what it says it does."""

import argparse

import numpy as np
import pytest

from benchmarks.papers.tripathi import coverage, cycles, ensemble, labelling, recalls, table
from benchmarks.shape import Options
from stratawatch.literature.tripathi.mixing import UNIFORM_SAMPLE, UNIFORM_SHUFFLE
from stratawatch.literature.tripathi.panel_draw import draw_panel
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns


def options(runs, quick=True):
    return Options(seed=1, quick=quick, data=None, json=None, given=argparse.Namespace(runs=runs))


class TestLabelling:
    def test_a_cell_that_is_all_yes_answers_yes(self):
        patterns = CallPatterns.of(["01", "10", "11"], np.array([50, 60, 70]), 2)
        draw = draw_panel(patterns, np.array([40, 40]), 0, np.random.default_rng(1))
        said = labelling.answers(draw, np.array([50, 0, 70]), np.random.default_rng(2))
        cell = np.repeat(np.arange(3), draw.totals)
        assert said.tolist() == (cell != 1).astype(int).tolist()

    @pytest.mark.parametrize(("runs", "quick", "found"), [(None, True, 2), (None, False, 9), (4, False, 4)])
    def test_runs_are_as_asked_for(self, runs, quick, found):
        assert labelling.runs(options(runs, quick), 9, 2) == found


class TestTable:
    def test_savings_are_the_smaller_ratio(self):
        cell = table.trial(np.random.default_rng(1), 0.25, 0.65, 200)
        assert cell.savings.mean() == pytest.approx(25, abs=4 * cell.savings.std() / 200**0.5)

    def test_the_published_table_has_all_cells(self):
        rows = table.run(options(1)).rows
        assert sum("PIR" in row for row in rows) == 25
        assert len({(row["PIR"], row["CIR"]) for row in rows if "PIR" in row}) == 25

    def test_errors_are_those_of_plain_samples_of_the_assumed_precisions(self):
        """E sqrt((1 - p)/p) over p uniform on (.5, 1) is 2 (pi/4 - 1/2), times sqrt(2/(pi 1100))."""
        cell = table.trial(np.random.default_rng(2), 0.45, 0.45, 600)
        expected = 100 * 2 * (np.pi / 4 - 0.5) * (2 / (np.pi * 1100)) ** 0.5
        assert cell.errors.mean() == pytest.approx(expected, abs=4 * cell.errors.std() / 600**0.5)


class TestEnsemble:
    @pytest.mark.parametrize("placing", ensemble.PLACINGS)
    def test_populations_are_as_the_paper_says(self, placing):
        patterns, yes = ensemble.population(np.random.default_rng(3), placing)
        called, found = patterns.called_positive, yes @ patterns.positive
        assert patterns.sizes.sum() == ensemble.N
        assert 0.01 <= yes.sum() / ensemble.N <= 0.5
        assert 0.7 <= found[1] / called[1] <= 1
        assert 0.1 <= found[1] / yes.sum() <= 1
        assert called[1] <= min(called[2], called[3])
        votes = patterns.positive[:, 1:].sum(axis=1)
        assert patterns.positive[patterns.sizes > 0, 0].tolist() == (votes >= 2)[patterns.sizes > 0].tolist()
        assert bool(np.all(yes <= patterns.sizes))

    def test_decaying_misses_lie_nearer_to_the_cut_off(self):
        """So the other models, whose calls reach further down, find more of them."""
        shares = []
        for placing in ensemble.PLACINGS:
            patterns, yes = ensemble.population(np.random.default_rng(3), placing)
            others = (patterns.positive[:, 2] | patterns.positive[:, 3]) & ~patterns.positive[:, 1]
            shares.append(yes[others].sum() / patterns.sizes[others].sum())
        assert shares[1] > shares[0]

    def test_shuffling_in_blocks_keeps_the_number_called(self):
        for called in (1, 500, 30_000, 999_999):
            flags = ensemble._shuffled(np.random.default_rng(1), called)
            assert flags.sum() == called
            assert np.flatnonzero(flags).max() < called + 45_000

    def test_all_ways_and_models_are_reported(self):
        result = ensemble.run(options(2))
        assert len(result.rows) == 2 * 3 * 4
        assert len(result.verdicts) == 4


class TestCoverage:
    def test_sampling_again_doubles_the_variance_of_a_copied_sequence(self):
        case = next(case for case in coverage.CASES if case.name == "the same items")
        rng = np.random.default_rng(1)
        found = {
            option: np.array([coverage._direct(case, option, rng) for _ in range(600)])
            for option in (UNIFORM_SHUFFLE, UNIFORM_SAMPLE)
        }
        ratio = found[UNIFORM_SAMPLE][:, 0].var() / found[UNIFORM_SHUFFLE][:, 0].var()
        assert ratio == pytest.approx(2, abs=0.5)
        assert found[UNIFORM_SAMPLE][:, 1].mean() == pytest.approx(1068 / 2, rel=0.02)

    def test_chains_of_shuffles_stay_as_they_are(self):
        case = coverage.Case("chain", 1.0, 1.0, 0.8, 0.8, chain=3)
        _, effective = coverage._chained(case, UNIFORM_SHUFFLE, np.random.default_rng(1))
        assert effective == 1068

    def test_precision_of_both_parts(self):
        assert coverage.Case("", 0.5, 0.25, 0.8, 0.4).precision == pytest.approx(0.5)


class TestRecalls:
    def test_strata_make_up_the_parents_negatives(self):
        world = recalls.world(np.random.default_rng(1))
        assert world.strata.sum() == world.patterns.called_negative[0]
        assert world.strata_yes.sum() == world.yes.sum() - (world.yes @ world.patterns.positive)[0]
        assert bool(np.all(world.strata_yes <= world.strata))

    def test_recall_and_false_omission_rate_of_the_truth_fit_together(self):
        world = recalls.world(np.random.default_rng(1))
        recall, omission = world.truth("recall"), world.truth("false_omission_rate")
        assert (omission * world.patterns.called_negative).tolist() == pytest.approx(
            ((1 - recall) * world.yes.sum()).tolist()
        )


class TestCycles:
    def test_the_truth_of_the_population_fits_together(self):
        items = cycles.population(1)
        census = items.census
        assert census.size == len(items.yes) == cycles.N
        called = np.array([[letter == "1" for letter in name] for name in census.patterns]).T @ census.counts
        precision, recall, omission = items.truth
        assert bool(np.all((precision > 0.3) & (recall > 0.3) & (omission > 0.01)))
        assert (precision * called).tolist() == pytest.approx((recall * items.yes.sum()).tolist())
        assert (omission * (cycles.N - called)).tolist() == pytest.approx(((1 - recall) * items.yes.sum()).tolist())

    def test_designs_are_run_on_the_same_items_with_the_same_budget(self):
        wide = {name: cycles.simulate(1, name, 500, 3)[:, 0, :, 1].mean() for name in ("tripathi", "srs")}
        assert not np.isnan(cycles.simulate(1, "tripathi", 500, 3)).any()
        assert wide["tripathi"] < 0.8 * wide["srs"]
        assert cycles.simulate(1, "tripathi", 500, 3)[..., 0].mean() > 0.75
