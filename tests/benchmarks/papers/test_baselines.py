"""The worlds' truths and the alarms' figures, against plain simulation."""

import numpy as np
import pytest

from benchmarks.papers.baselines import alarms
from benchmarks.papers.baselines.coverage import AVERAGE, DEPLOYED, TESTED, measured
from benchmarks.papers.baselines.labels_alone import Apart, apart_coverage, share_coverage
from benchmarks.papers.baselines.worlds import WORLDS
from stratawatch.core.alarms.judge import page_confidence
from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.baselines.drop import metric_drop
from stratawatch.core.metrics import BASELINES_REPORTED, ConfusionCounts, metric_named
from stratawatch.resampling import METHODS


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_the_truth_of_a_fit_is_what_fresh_items_show(world):
    rng = np.random.default_rng(5)
    model = world.rule.fit(*world.draw(rng))
    truth = rng.random(40_000) < world.prevalence
    answers = ConfusionCounts.of_calls(model.predict(world._items(rng, truth)), truth)
    for metric, expected in zip(BASELINES_REPORTED, world.truths(model), strict=True):
        yes, of = metric_named(metric).share(answers)
        assert yes / of == pytest.approx(expected, abs=5 * np.sqrt(0.25 / of) + 0.02 * (world.axes == 10))


def test_every_method_is_measured_against_every_truth_it_can_have():
    cells = measured(3, 2)
    told = {(cell.world, cell.method, cell.truth) for cell in cells}
    assert len(told) == len(cells) == len(WORLDS) * (2 * (len(METHODS) + 1) + 1)
    assert {truth for _, _, truth in told} == {DEPLOYED, AVERAGE, TESTED}
    assert all(((cell.coverage >= 0) & (cell.coverage <= 1)).all() for cell in cells)


def test_pages_are_those_of_the_products_own_drop():
    rng = np.random.default_rng(5)
    confidence, runs = page_confidence(1, alarms.WEEKS, 1.0), 4000
    before, now = rng.binomial(1200, 0.8, runs) / 1200, rng.binomial(300, 0.77, runs) / 300
    paged = [
        metric_drop(
            "precision", BaselineShare(b, 1200).interval_at(confidence), BaselineShare(n, 300).interval_at(confidence)
        ).proven_beyond(0.03)
        for b, n in zip(before, now, strict=True)
    ]
    [expected] = [page for page in alarms.of_intervals(1, 4) if page.rule == "drop's interval"]
    assert 52 * np.mean(paged) == pytest.approx(expected.false, abs=3 * 52 * np.sqrt(np.mean(paged) / runs))


def test_the_longer_the_baseline_the_nearer_to_a_known_one():
    known = alarms.exact(20)
    excess = [page.false - known.false for weeks in (1, 4, 26) for page in alarms.of_intervals(20, weeks)[:1]]
    assert excess == sorted(excess, reverse=True)
    assert excess[-1] > 0


def test_evidence_against_the_truth_keeps_its_promise_and_a_point_baseline_breaks_it():
    rng = np.random.default_rng(5)
    [known] = alarms.added_up(rng, 20, 0, 4000)
    point, lower = alarms.added_up(rng, 20, 4, 4000)
    assert known.false < 1
    assert lower.false < 1
    assert point.false > 5


def test_coverage_over_all_counts_by_hand():
    """Two labels, p = .5: Wilson's interval of none is [0, .658], of one around a half, of both [.342, 1]; all hold."""
    assert share_coverage(2, 0.5) == pytest.approx(1.0)
    assert share_coverage(2, 0.8) == pytest.approx(0.96)


def test_draws_without_a_positive_tell_nothing_of_recall():
    coverage, none = apart_coverage(Apart(0.5, 0.5, 2, 2, 0.5), "recall")
    assert none == pytest.approx(1 / 16)
    assert 0.8 < coverage <= 1 + 1e-9
