"""Estimates without the errors of labels: the formula by hand, its ends, and what cannot be corrected."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.designs.label_error import (
    NO_BETTER_THAN_CHANCE,
    SIDE_SHARES,
    GoldAnswers,
    corrected_estimates,
    side_shares,
)
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.goals import SurveySpec
from stratawatch.core.metrics import METRICS, SideTotals
from stratawatch.core.population import Atom, Candidates, Segment
from stratawatch.core.second_votes import yes_rate
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import StratawatchError

DE = Segment("country", "DE")
ATOMS = (
    Atom("1", 600, 700, 1000, 0.8, {DE: 400}),
    Atom("0", 0, 400, 9000, 0.1, {DE: 2600}, stratum=1),
)
DESIGN = FrozenDesign(("lr",), ATOMS, Candidates((), np.array([], dtype=np.int64), ()), SurveySpec(budget=10))
GOLD = GoldAnswers(positives=1000, said_yes=950, negatives=2000, said_no=1960)
EXACT = GoldAnswers(positives=10**9, said_yes=10**9, negatives=10**9, said_no=10**9)


def found(metric, value, low, high, segment=None):
    return Estimate("lr", metric, segment, IntervalEstimate(value, low, high, 200.0), 300, "made up", 0.95)


def labelled(tp, fn, width=0.1, segment=None):
    """The shares of both sides that labels gave."""
    return [
        found(name, share, share * (1 - width), share * (1 + width), segment)
        for name, share in zip(SIDE_SHARES, (tp, fn), strict=True)
    ]


def with_errors(share, se=0.95, sp=0.98):
    return share * se + (1 - share) * (1 - sp)


class TestTheValue:
    @pytest.mark.parametrize("name", METRICS)
    def test_of_every_metric_is_that_of_the_true_shares(self, name):
        """.75 of 1,000 and .008 of 9,000 are positive; the labels err as the gold items do."""
        shares = labelled(with_errors(0.75), with_errors(0.008))
        (one,) = corrected_estimates(DESIGN, [found(name, 0.5, 0.4, 0.6)], shares, GOLD)
        truth = METRICS[name].value(SideTotals(*(np.array(n) for n in (1000.0, 9000.0, 750.0, 72.0))))
        assert one.value == pytest.approx(float(truth), abs=1e-9)
        assert one.low < one.value < one.high

    def test_in_a_segment_counts_the_segments_items(self):
        shares = labelled(with_errors(0.75), with_errors(0.02), segment=DE)
        (one,) = corrected_estimates(DESIGN, [found("recall", 0.5, 0.4, 0.6, DE)], shares, GOLD)
        assert one.value == pytest.approx(300 / (300 + 52))

    def test_is_no_share_below_zero(self):
        """Fewer positives were labelled than labels of negatives alone give."""
        (one,) = corrected_estimates(DESIGN, [found("recall", 0.9, 0.8, 1.0)], labelled(0.75, 0.018, width=0.4), GOLD)
        assert one.value == 1.0
        assert one.low < 0.97


class TestTheEnds:
    def test_are_those_of_the_label_where_labels_do_not_err(self):
        shares = labelled(0.75, 0.02)
        for one, plain in zip(corrected_estimates(DESIGN, shares, shares, EXACT), shares, strict=True):
            assert one.value == pytest.approx(plain.result.value)
            assert (one.low, one.high) == pytest.approx((plain.result.low, plain.result.high), rel=0.02)

    def test_of_a_share_are_those_of_the_delta_method(self):
        shares = labelled(with_errors(0.75), with_errors(0.2), width=0.02)
        (one, _) = corrected_estimates(DESIGN, shares, shares, GoldAnswers(1000, 950, 1000, 980))
        z, excess = norm.ppf(0.975), 0.93
        by_se = 0.75 * np.sqrt(0.95 * 0.05 / 1000)
        by_sp = 0.25 * np.sqrt(0.98 * 0.02 / 1000)
        by_labels = shares[0].result.value * 0.02 / z
        by_chance = np.sqrt((0.75 * 0.95 * 0.05 + 0.25 * 0.98 * 0.02) / 1000)
        expected = 2 * z * np.sqrt(by_se**2 + by_sp**2 + by_labels**2 + by_chance**2) / excess
        assert one.high - one.low == pytest.approx(expected, rel=0.03)

    def test_are_wider_the_fewer_gold_items_there_are(self):
        shares, recall = labelled(with_errors(0.75), with_errors(0.008)), [found("recall", 0.6, 0.5, 0.7)]
        widths = [
            one.high - one.low
            for n in (10_000, 1000, 100)
            for one in corrected_estimates(DESIGN, recall, shares, GoldAnswers(n, n * 95 // 100, n, n * 98 // 100))
        ]
        assert widths == sorted(widths)

    def test_are_the_same_every_time(self):
        shares = labelled(0.75, 0.03)
        assert corrected_estimates(DESIGN, shares, shares, GOLD) == corrected_estimates(DESIGN, shares, shares, GOLD)


class TestWhatCannotBeCorrected:
    def test_where_labels_may_be_chance(self):
        shares = labelled(0.75, 0.03)
        assert (
            corrected_estimates(DESIGN, shares, shares, GoldAnswers(6, 4, 6, 4))
            == (Undefined(NO_BETTER_THAN_CHANCE),) * 2
        )

    def test_where_a_side_tells_nothing(self):
        nothing = Undefined("no label on that side")
        shares = [labelled(0.75, 0.03)[0], replace(labelled(0.75, 0.03)[1], result=nothing)]
        assert corrected_estimates(DESIGN, shares, shares, GOLD) == (nothing, nothing)

    def test_where_no_positive_is_left(self):
        shares = labelled(0.01, 0.01)
        (one,) = corrected_estimates(DESIGN, [found("recall", 0.5, 0.4, 0.6)], shares, GOLD)
        assert one == Undefined("without the errors of labels nothing is left that recall is a share of")

    def test_gold_items_that_do_not_add_up_or_are_of_one_kind(self):
        with pytest.raises(StratawatchError, match="do not add up"):
            GoldAnswers(10, 11, 10, 10)
        with pytest.raises(StratawatchError, match="of one kind alone"):
            GoldAnswers(10, 10, 0, 0)


class TestSecondVotes:
    """Two classifiers: 1,000 items that both call positive, 500 that one of them does, 8,500 that none does."""

    ATOMS = (
        Atom("11", 600, 700, 1000, 0.8, {DE: 400}),
        Atom("10", 500, 599, 300, 0.6, {DE: 100}, stratum=1),
        Atom("01", 500, 599, 200, 0.6, {DE: 100}, stratum=2),
        Atom("00", 0, 400, 8500, 0.1, {DE: 2400}, stratum=3),
    )
    TRUE = (0.8, 0.5, 0.3, 0.01)

    def design(self, rule="called_negative_yes", design="srs"):
        items = tuple(f"i{n}" for n in range(10_000))
        atoms = np.repeat(np.arange(4), [atom.size for atom in self.ATOMS])
        digests = tuple(f"{n:032x}" for n in np.random.default_rng(1).permutation(10_000).tolist())
        countries = tuple("DE" if n < atom.segments[DE] else "FR" for atom in self.ATOMS for n in range(atom.size))
        pool = Candidates(items, atoms.astype(np.int64), digests, {"country": countries})
        return FrozenDesign(("a", "b"), self.ATOMS, pool, SurveySpec(budget=10_000, design=design, second_votes=rule))

    def labelled(self, design, se=0.9, sp=0.9, *, is_checked=(False, True, True, True)):
        """Every item is labelled, with as many verdicts yes in each atom as the errors make on average."""
        verdicts = {}
        begin = 0
        for atom, share, checked in zip(self.ATOMS, self.TRUE, is_checked, strict=True):
            right, wrong = (yes_rate(np.array(rate), np.array(float(checked))) for rate in (se, 1 - sp))
            for number in (atom.segments[DE], atom.size - atom.segments[DE]):
                yes = round(number * float(share * right + (1 - share) * wrong))
                verdicts |= {f"i{begin + n}": "yes" if n < yes else "no" for n in range(number)}
                begin += number
        return VerdictsByItem(verdicts)

    def corrected(self, design, ledger, segments=()):
        drawn = list(ledger.verdicts)
        shares = side_shares(design, ledger, drawn, confidence=0.95, segments=segments)
        found = design.estimate(ledger, drawn, metrics=["precision", "recall"], segments=segments)
        gold = GoldAnswers(10_000, 9_000, 10_000, 9_000)
        results = corrected_estimates(design, found, shares, gold)
        return {(e.classifier, e.metric, e.segment): result.value for e, result in zip(found, results, strict=True)}

    @pytest.mark.parametrize("design", ["srs", "joint"])
    def test_each_class_of_a_mixed_side_is_corrected_by_its_own_rates(self, design):
        design = self.design(design=design)
        found = self.corrected(design, self.labelled(design), [DE])
        positives = 800 + 150 + 60 + 85
        assert found["a", "precision", None] == pytest.approx(950 / 1300, abs=0.002)
        assert found["b", "precision", None] == pytest.approx(860 / 1200, abs=0.002)
        assert found["a", "recall", None] == pytest.approx(950 / positives, abs=0.005)
        assert found["b", "recall", None] == pytest.approx(860 / positives, abs=0.005)
        assert found["a", "precision", DE] == pytest.approx((320 + 50) / 500, abs=0.005)

    def test_without_the_classes_the_mixed_side_comes_out_wrong(self):
        """Labels of the rule read as if each had one vote."""
        ruled = self.design()
        ledger = self.labelled(ruled)
        plain = self.corrected(self.design(rule="none"), ledger)
        assert abs(plain["a", "recall", None] - 950 / 1095) > 0.05

    def test_of_a_single_classifier_need_no_other_estimates(self):
        design = replace(DESIGN, survey=SurveySpec(budget=10, second_votes="called_negative_yes"))
        se, sp = 0.9, 0.9
        shares = labelled(with_errors(0.75, se, sp), with_errors(0.02, se**2 * (2 - se), 1 - (1 - sp) ** 2 * (1 + sp)))
        gold = GoldAnswers(1000, 900, 1000, 900)
        (one,) = corrected_estimates(design, [found("recall", 0.5, 0.4, 0.6)], shares, gold)
        assert one.value == pytest.approx(750 / (750 + 180))

    def test_where_other_votes_did_not_come_the_rates_lie_between(self):
        design = replace(DESIGN, survey=SurveySpec(budget=10, second_votes="called_negative_yes"))
        rates = [float(yes_rate(np.array(rate), np.array(0.6))) for rate in (0.9, 0.1)]
        shares = labelled(with_errors(0.75, 0.9, 0.9), 0.02 * rates[0] + 0.98 * rates[1])
        gold = GoldAnswers(1000, 900, 1000, 900)
        (one,) = corrected_estimates(design, [found("recall", 0.5, 0.4, 0.6)], shares, gold, complete=0.6)
        assert one.value == pytest.approx(750 / (750 + 180))
