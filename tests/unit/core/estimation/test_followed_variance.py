"""Intervals whose variance lies between what history expects and what labels scatter by, on strata of known truth."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.followed_variance import FollowedVariance
from stratawatch.core.estimation.metric_estimates import EstimationRequest, estimate_metrics
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.labelled_sample import FOLDS, LabelCounts, LabelledSample
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Atom, Segment

SIZES = np.array([20_000.0, 4_000, 1_000, 1_000])
RATES = np.array([0.02, 0.3, 0.7, 0.95])
CELLS = replace(Cells.of(("c",), ["0", "0", "1", "1"], SIZES, np.array([0.01, 0.1, 0.7, 0.95])), prior_rate=RATES)
TOTALS = np.array([300, 600, 600, 400])
FEW = np.array([60, 40, 30, 20])
PRECISION, RECALL, FOR = (metric_named(name) for name in ("precision", "recall", "false_omission_rate"))


def counts(yes=None, totals=TOTALS):
    share = np.full((FOLDS, 1), 1 / FOLDS)
    return LabelCounts(share * totals, share * (totals * RATES if yes is None else np.asarray(yes, dtype=float)))


def followed(yes=None, totals=TOTALS, cells=CELLS):
    return FollowedVariance.of(DifferenceEstimator.of(cells, counts(yes, totals)))


def of_slopes(found, metric):
    """History's variance of a metric, the labels' own and the squared weight of its heaviest label, by hand."""
    on_a, on_b = (float(np.ravel(slope)[0]) for slope in metric.slopes(found.sides.table))
    forms = (found.by_history.smoothed_variance[0, 0], found.sides.variance[0, 0])
    expected, raw = (on_a**2 * aa + 2 * on_a * on_b * ab + on_b**2 * bb for aa, ab, bb in forms)
    w_a, w_b = found.sides.max_weight[0, 0]
    return expected, raw, max((on_a * w_a) ** 2, (on_b * w_b) ** 2)


@pytest.mark.parametrize("metric", [PRECISION, RECALL, FOR])
@pytest.mark.parametrize("yes", [[1, 12, 21, 19], [0, 9, 27, 20], [2, 16, 17, 18], [4, 12, 21, 19]])
def test_labels_are_followed_by_the_part_that_historys_error_has_in_both(metric, yes):
    """Few labels, which scatter by less or more than history expects."""
    found = followed(yes, FEW)
    assert found.is_trusted.all()
    expected, raw, heaviest = of_slopes(found, metric)
    part = 0.3**2 * expected / (0.3**2 * expected + heaviest)
    mixed = part * raw + (1 - part) * expected
    assert found.variance(metric)[0, 0] == pytest.approx(mixed)


def test_labels_scatter_otherwise_than_expected_in_those_cases():
    ratios = [of_slopes(followed(yes, FEW), PRECISION)[:2] for yes in ([0, 9, 27, 20], [2, 16, 17, 18])]
    assert ratios[0][1] < 0.7 * ratios[0][0]
    assert ratios[1][1] > 1.05 * ratios[1][0]


def test_history_widens_by_no_more_than_half_of_the_variance():
    found = followed()
    wide = replace(found.by_history, smoothed_variance=10 * found.by_history.smoothed_variance)
    larger = found.sides.variance_of(*RECALL.slopes(found.sides.table))
    assert replace(found, by_history=wide).variance(RECALL) == pytest.approx(1.5 * larger)
    assert found.variance(RECALL) < 1.5 * larger


def test_labels_that_weigh_little_are_followed_most():
    """A label of the calls stands for 2.5 items at the most, one of the others for 67."""
    found = followed()
    parts = []
    for metric in (PRECISION, FOR):
        expected, _, heaviest = of_slopes(found, metric)
        parts.append(0.09 * expected / (0.09 * expected + heaviest))
    assert parts[0] > 0.8
    assert parts[1] < 0.6


@pytest.mark.parametrize(
    ("yes", "totals"), [([12, 30, 30, 20], [60, 40, 30, 20]), ([1, 0, 30, 20], [60, 1, 30, 20])], ids=["against", "one"]
)
def test_untrusted_history_lowers_nothing(yes, totals):
    """Misses without end contradict it, or a stratum has one label. All calls are right, so that the raw variance is 0."""
    found = followed(yes, np.array(totals))
    alone = found.sides.variance_of(*PRECISION.slopes(found.sides.table))
    trusted = replace(found, is_trusted=np.array([True]))
    assert not found.is_trusted.any()
    assert trusted.variance(PRECISION) < 0.98 * alone
    assert found.variance(PRECISION) == pytest.approx(alone)


def test_untrusted_history_may_raise_it():
    found = replace(followed(), is_trusted=np.array([False]))
    wide = replace(found.by_history, smoothed_variance=1.2 * found.by_history.smoothed_variance)
    assert replace(found, by_history=wide).variance(FOR) > found.sides.variance_of(*FOR.slopes(found.sides.table))


def test_a_stratum_with_its_only_item_labelled_scatters_by_nothing():
    sizes = np.array([20_000.0, 4_000, 1_000, 1])
    cells = replace(Cells.of(("c",), ["0", "0", "1", "1"], sizes, np.array([0.01, 0.1, 0.7, 0.95])), prior_rate=RATES)
    few = np.array([300, 600, 600, 1])
    assert followed(few * RATES, few, cells).is_trusted.all()


def test_what_no_label_fell_into_is_added():
    """A second classifier calls half of the items of a stratum whose labels are all of the other half."""
    sizes, scores = np.array([20_000.0, 4_000, 500, 500]), np.array([0.01, 0.1, 0.7, 0.7])
    both = Cells.of(("c", "d"), ["00", "00", "10", "11"], sizes, scores)
    both = replace(both, strata=np.array([0, 1, 2, 2]), prior_rate=np.array([0.02, 0.3, 0.7, 0.7]))
    totals = np.array([300, 600, 600, 0])
    found = followed(totals * both.prior_rate, totals, both)
    unseen = found.sides.unsampled_variance[0, 1, 0]
    on_a, _ = PRECISION.slopes(found.sides.table)
    assert unseen == 500**2 / 4
    assert found.variance(PRECISION)[0, 1] >= float(on_a[0, 1]) ** 2 * unseen


def test_many_runs_are_the_single_ones():
    runs = [followed(), followed([30, 260, 420, 380]), followed(TOTALS * RATES + np.array([2, 0, 5, 0]))]
    together = FollowedVariance.stack(runs)
    for place, one in enumerate(runs):
        for metric in (PRECISION, RECALL, FOR):
            assert together.intervals(metric, 0.95).high[place] == pytest.approx(one.intervals(metric, 0.95).high)


def test_what_is_labelled_wholly_is_exact():
    whole = SIZES.astype(int)
    assert followed(whole * RATES, whole).intervals(RECALL, 0.95).half_width == pytest.approx(0, abs=1e-6)


class TestEstimates:
    def estimates(self, **changes):
        sample = LabelledSample(TOTALS, counts().labelled, counts().positive)
        metrics = ("precision", "recall", "false_omission_rate")
        return estimate_metrics(CELLS, (), sample, EstimationRequest(0.95, metrics, (None,), **changes))

    def test_have_the_ends_and_the_effective_labels_of_that_variance(self):
        found = followed().intervals(FOR, 0.95)
        (*_, said) = self.estimates(follows_history=True)
        ends = (said.result.low, said.result.high, said.result.n_eff)
        assert ends == pytest.approx((float(found.low[0, 0]), float(found.high[0, 0]), float(found.n_eff[0, 0])))
        assert said.result.n_eff == pytest.approx(said.result.value * (1 - said.result.value) / found.variance[0, 0])

    def test_say_so(self):
        assert all(one.method.endswith(", variance with history") for one in self.estimates(follows_history=True))
        assert not any("history" in one.method for one in self.estimates())

    def test_keep_values(self):
        values = [[one.result.value for one in self.estimates(follows_history=some)] for some in (True, False)]
        assert values[0] == values[1]

    def test_of_a_segment_keep_the_larger_variance(self):
        where = Segment("region", "north")
        atoms = [
            Atom(pattern, stratum, stratum, stratum, int(size), {where: int(size)})
            for stratum, (pattern, size) in enumerate(zip("0011", SIZES, strict=True))
        ]
        sample = LabelledSample(TOTALS, counts().labelled, counts().positive, {where: counts()})
        found = {
            some: estimate_metrics(
                CELLS, atoms, sample, EstimationRequest(0.95, ("precision",), (None, where), follows_history=some)
            )
            for some in (True, False)
        }
        assert found[True][1] == found[False][1]
        assert "history" not in found[True][1].method
        assert found[True][0] != found[False][0]


def test_small_counts_keep_the_larger_variance():
    """Three mistakes among what is called: the interval is that for small counts, whatever history expects."""
    rates = np.array([0.02, 0.3, 0.999, 0.995])
    cells, yes = replace(CELLS, prior_rate=rates), np.array([6, 180, 599, 398])
    found = followed(yes, cells=cells)
    assert found.is_trusted.all()
    reading = SideIntervals(found.sides, 0.95)
    ends = found.intervals(PRECISION, 0.95)
    assert float(ends.logit_weight[0, 0]) == 0
    small = reading.small_sample_ends(PRECISION)
    half_item = 0.5 / 2000
    assert float(ends.low[0, 0]) == pytest.approx(float(small.low[0, 0]) - half_item)
