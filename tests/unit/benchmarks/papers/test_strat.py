import argparse

import numpy as np
import pytest

from benchmarks.papers.strat import clustering, figures, groups, joint, known, run
from benchmarks.papers.strat.tallies import DELTA, GROUPS, PAIRS, Reader, Tally
from benchmarks.shape import Options
from stratawatch.core.methods.strat.labels import Calls, Strata

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
    assert len(list(found.rows())) == 18


def test_strata_of_the_groups_share_all_labels():
    assert groups.weights(6, alike=True).tolist() == [pytest.approx(1 / 6)] * 6
    assert groups.weights(6, alike=False).sum() == pytest.approx(1)


def test_a_reader_reads_every_way():
    yes = np.array([True, False, True, False, False, True])
    calls = Calls(np.ones(6, dtype=bool), np.zeros(6, dtype=bool), 60.0, 0.0)
    reader = Reader(Strata(np.repeat([0, 1], 3), np.array([30.0, 30.0])), (GROUPS, PAIRS), np.random.default_rng(0))
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
