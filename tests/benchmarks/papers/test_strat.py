import argparse
from pathlib import Path

import numpy as np
import pytest

from benchmarks.papers.strat import clustering, few, figures, groups, joint, known, run, windows
from benchmarks.papers.strat.brr import ClassifierCalls
from benchmarks.papers.strat.tallies import DELTA, GROUPS, PAIRS, Reader, Tally
from benchmarks.shape import Options
from stratawatch.core.estimation.replication.units import StratifiedUnits

ROOT = Path(__file__).parents[3]
OPTIONS = Options(seed=7, quick=True, data=None, json=None, given=argparse.Namespace(runs=3, figures=None))


class TestTally:
    def test_coverage_of_told_intervals(self):
        ends = np.array([[[0, 2], [0, 1]], [[2, 3], [np.nan, np.nan]]], dtype=float)
        found = Tally(ends, np.array([1.0, 1.0]))
        assert (found.coverage, found.defined) == (2 / 3, 3 / 4)
        assert found.half_width == pytest.approx((2 + 1 + 1) / 6)

    def test_its_error_is_binomial_where_runs_are_single(self):
        held = np.random.default_rng(1).random(4000) < 0.9
        ends = np.stack([np.zeros(4000), np.where(held, 1.0, 0.1)], axis=1)[:, None, :]
        found = Tally(ends, np.array([0.5]))
        assert found.error == pytest.approx((held.mean() * (1 - held.mean()) / 4000) ** 0.5)

    def test_classifiers_that_always_agree_count_once(self):
        held = np.random.default_rng(2).random(1000) < 0.9
        ends = np.stack([np.zeros(1000), np.where(held, 1.0, 0.1)], axis=1)[:, None, :]
        one, three = Tally(ends, np.array([0.5])), Tally(np.repeat(ends, 3, axis=1), np.array([0.5]))
        assert three.error == pytest.approx(one.error)


class TestKnown:
    def test_every_published_answer(self):
        for _, verdicts in (known.replicate_counts(), known.linear(3), known.leprosy()):
            assert [v.name for v in verdicts if not v.holds] == []

    def test_a_flaw_would_be_seen(self):
        array = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        assert known.unbalanced(array, 2) == 0
        assert known.unbalanced(array[[0, 0, 2, 3]], 2) == 2
        assert known.unbalanced(array[:, [0, 0]], 2) == 1


def test_a_cell_of_the_joint_design():
    found = joint.cell("panel of four", joint.ONE_DRAW, 200, 4, [1, 2])
    assert {metric for _, metric in found.tallies} == set(joint.METRICS)
    assert all(tally.ends.shape == (4, 4, 2) for tally in found.tallies.values())
    assert len(list(found.rows())) == 21


def test_more_labels_that_disagree_are_asked_for_than_a_sharp_classifier_has():
    """Every least number reads the same labels: what is told with more of them is told with fewer as well."""
    found = few.cell(few.WORLDS[0], 100, 6, np.random.default_rng(1))
    for metric in few.METRICS:
        told = [found.tallies[metric, least].defined for least in few.LEAST]
        assert told == sorted(told, reverse=True)
    assert found.tallies["precision", 0].defined == 1
    assert found.tallies["precision", 5].defined == 0
    assert len(list(found.rows())) == len(few.METRICS) * len(few.LEAST)


def test_strata_of_the_groups_share_all_labels():
    assert groups.weights(6, alike=True).tolist() == [pytest.approx(1 / 6)] * 6
    assert groups.weights(6, alike=False).sum() == pytest.approx(1)


def test_a_reader_reads_every_way():
    yes = np.array([True, False, True, False, False, True])
    calls = ClassifierCalls(np.ones(6, dtype=bool), np.zeros(6, dtype=bool), 60.0, 0.0)
    reader = Reader(
        StratifiedUnits(np.repeat([0, 1], 3), np.array([30.0, 30.0])), (GROUPS, PAIRS), np.random.default_rng(0)
    )
    found = reader.ends("precision", yes, calls)
    assert list(found) == [DELTA, GROUPS, PAIRS]
    assert all(low < 0.5 < high for low, high in found.values())


def test_correlated_clusters_are_foretold_by_kish():
    one = clustering.whole(5, 400)[-1]
    assert one.tallies[clustering.BINOMIAL].coverage == pytest.approx(one.foretold, abs=0.08)
    assert one.tallies[clustering.CLUSTERS].coverage > 0.88


def test_everything_runs_and_draws_the_same_picture_twice(tmp_path):
    result = run(OPTIONS)
    assert result.passed
    assert {"strata", "joint design", "clusters drawn whole, rho"} <= {next(iter(row)) for row in result.rows}
    pictures = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        figures(folder, OPTIONS)
        pictures.append((folder / "strat.svg").read_bytes())
    assert pictures[0] == pictures[1]


class TestWindows:
    found = windows.cell(windows.Shape(12, 100, 120), 20, np.random.default_rng(8))

    def test_both_ways_are_told_of_both_questions(self):
        assert len(list(self.found.rows())) == 2 * 2 * len(windows.METRICS)

    def test_few_customers_cost_much_where_one_asks_about_others(self):
        tallies = self.found.tallies
        assert self.found.design_effects["precision"] > 1.3
        with_it, without = (tallies[windows.NEXT, "precision", way] for way in (windows.WITH, windows.WITHOUT))
        assert with_it.half_width > 1.2 * without.half_width
        assert with_it.coverage >= without.coverage

    def test_customers_of_one_item_cost_nothing(self):
        one = windows.cell(windows.Shape(1200, 1, 120), 3, np.random.default_rng(9)).tallies
        for metric in windows.METRICS:
            ends = [one[windows.THIS, metric, way].ends for way in windows.WAYS]
            assert (ends[0] == ends[1]).all()

    def test_labels_are_right_as_often_as_scores_say(self):
        truths = self.found.tallies[windows.THIS, "precision", windows.WITH].truths
        assert truths.mean() == pytest.approx(windows.TO_COME[0], abs=0.08)

    def test_are_as_many_as_the_page_about_them_says(self):
        page = " ".join((ROOT / "docs/methods/strat.md").read_text(encoding="utf-8").split())
        many, rows, own = [one.windows for one in windows.SHAPES][:5], windows.SHAPES[5].windows, windows.SHAPES[6:]
        assert f"{max(many):,} windows each, {rows} in the last row" in page
        assert (len(set(many)), {one.windows for one in own}) == (1, {500})
        assert "600 labels, 500 windows, standard errors" in page

    @pytest.mark.parametrize(("named", "made"), [(None, 3), (2, 2)])
    def test_are_as_many_as_somebody_names_or_else_its_own(self, named, made):
        (found,) = windows.cells(7, named, [windows.Shape(12, 10, 40, windows=3)])
        assert len(found.tallies[windows.THIS, "precision", windows.WITH].truths) == made


def test_the_variance_that_panels_can_choose_is_among_the_ways():
    (one,) = joint.cells(7, 3, ["panel of four"], [300])[:1]
    for metric in joint.METRICS:
        own, chosen = (one.tallies[way, metric] for way in (joint.OWN, joint.CHOSEN))
        assert chosen.defined == 1
        assert 0.5 < chosen.half_width / own.half_width < 1.1
