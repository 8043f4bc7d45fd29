from dataclasses import fields, replace

import numpy as np
import pytest

from stratawatch.core.designs.frozen import FrozenDesign, stratify_for_survey
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation import side_intervals
from stratawatch.core.estimation.replication.replicated_estimate import t_quantile
from stratawatch.core.estimation.replication.replicates import Replicates
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.estimation.variance_methods import VARIANCES
from stratawatch.core.estimation.variance_methods.brr import BalancedReplication, _Replicated
from stratawatch.core.goals import SurveySpec
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Candidates, Census
from stratawatch.core.verdicts import VerdictsByItem

BRR = SurveySpec(budget=300, variance="brr")


@pytest.fixture(scope="module")
def found(population):
    ledger, drawn = population.labelled()
    plain = population.design.estimate(ledger, drawn, segments=(population.north, population.south))
    return plain, replace(population.design, survey=BRR).estimate(
        ledger, drawn, segments=(population.north, population.south)
    )


def one_stratum(said, items, budget=100):
    """A window without scores, all of it called positive: one stratum, no working model but a constant."""
    census = Census(("a",), ("1",), np.array([-1]), np.array([items]))
    survey = replace(BRR, budget=budget)
    names = tuple(f"i{row}" for row in range(len(said)))
    digests = tuple(f"{row:032x}" for row in range(len(said)))
    pool = Candidates(names, np.zeros(len(said), dtype=np.int64), digests)
    ledger = VerdictsByItem({name: "yes" if yes else "no" for name, yes in zip(names, said, strict=True)})
    return FrozenDesign(("a",), stratify_for_survey(census, survey), pool, survey), ledger


def test_values_are_the_difference_estimates(found):
    for plain, one in zip(*found, strict=True):
        assert one.result.value == pytest.approx(plain.result.value, abs=1e-12)


def test_intervals_are_symmetric_where_they_are_not_cut_off(found):
    for one in found[1]:
        if one.result.low > 0 and one.result.high < 1:
            assert one.result.value - one.result.low == pytest.approx(one.result.high - one.result.value)


def test_they_are_about_as_wide_as_the_designs_own(population, monkeypatch):
    """Without the larger tails of small counts, which replicates know nothing of, in the draw and in both readings."""
    monkeypatch.setattr(side_intervals, "TAIL_GROWTH", 0.0)
    ledger, drawn = population.labelled()
    segments, design = (population.north, population.south), population.design
    plain = design.estimate(ledger, drawn, segments=segments)
    replicated = replace(design, survey=BRR).estimate(ledger, drawn, segments=segments)
    for own, one in zip(plain, replicated, strict=True):
        assert 0.6 < one.result.half_width / own.result.half_width < 1.2


def test_the_method_says_how_many_replicates(found):
    """300 labels make at most 150 pairs, so 256 replicates."""
    assert {one.method for one in found[1]} == {
        "difference estimate, BRR, 256 replicates, t",
        "ratio of difference estimates, BRR, 256 replicates, t",
    }


def test_hand_arithmetic(monkeypatch):
    """A yes and a no of 100 items: one replicate says 1, the other 0, each drawn to .5 by sqrt(1 - f) = sqrt(.98).

    v = .98/4, and Student's t with one degree of freedom is 1 at a confidence of one half.
    """
    monkeypatch.setitem(VARIANCES, "brr", BalancedReplication(fewest=1))
    design, ledger = one_stratum([True, False], 100, budget=2)
    foretold = replace(design, atoms=tuple(replace(atom, prior_rate=0.5) for atom in design.atoms))
    (one,) = foretold.estimate(ledger, ledger.verdicts, metrics=("precision",), confidence=0.5)
    assert t_quantile(1, 0.5) == pytest.approx(1)
    assert one.result.value == pytest.approx(0.5)
    assert one.result.half_width == pytest.approx((0.98 / 4) ** 0.5)
    assert one.result.n_eff == pytest.approx(1 / 0.98, abs=1e-6)


@pytest.mark.parametrize("foretold", [None, 0.5, 0.999])
@pytest.mark.parametrize(("yes", "no"), [(20, 0), (0, 20), (20, 4), (4, 20), (2, 2)])
def test_labels_that_nearly_agree_are_no_information(yes, no, foretold):
    """Whatever the working model foretold: the variation of what it expects is none of the labels."""
    design, ledger = one_stratum([True] * yes + [False] * no, 100)
    told = replace(design, atoms=tuple(replace(atom, prior_rate=foretold) for atom in design.atoms))
    (one,) = told.estimate(ledger, ledger.verdicts, metrics=("precision",))
    assert one.result == Undefined(
        f"of the labels among the items it calls positive {yes} say yes and {no} no: "
        "replicates tell nothing with fewer than 5 of each"
    )


def test_five_of_each_are_information():
    design, ledger = one_stratum([True] * 20 + [False] * 5, 100)
    (one,) = design.estimate(ledger, ledger.verdicts, metrics=("precision",))
    assert one.result.value == pytest.approx(0.8)
    assert one.result.high - one.result.low > 0.2


def test_every_side_that_a_metric_reads_needs_both(population):
    """People say no to all that "a" calls negative; some of that "b" calls positive, and it has positives elsewhere."""
    ledger, drawn = population.labelled(
        lambda item, said: "no" if population.patterns[int(item[1:])][0] == "0" else said
    )
    design = replace(population.design, survey=BRR)
    found = design.estimate(ledger, drawn, metrics=("precision", "false_omission_rate", "recall"))
    told = {(one.classifier, one.metric): one.result for one in found}
    assert isinstance(told["a", "precision"], IntervalEstimate)
    for metric in ("false_omission_rate", "recall"):
        assert "among the items it calls negative 0 say yes" in told["a", metric].reason
        assert isinstance(told["b", metric], IntervalEstimate)


def test_a_ratio_of_next_to_nothing_is_no_information():
    """Estimated errors took nearly all positives away again; replicates would be divided by what is left."""
    half = np.array([[[20.0, 20.0]]])
    left = {"sizes": np.array([[[500.0, 500.0]]]), "totals": np.array([[[1e-200, 0.0]]])}
    sides = SideEstimates(**{field.name: left.get(field.name, half) for field in fields(SideEstimates)})
    sides = replace(sides, yes=half / 2)
    made = Replicates(np.ones(2), np.ones((2, 2)), 1, 0.5)
    replicated = _Replicated(5, made, sides, np.array([[[[1e-200, 40.0]]], [[[30.0, -1e-200]]]]))
    found = replicated.result(metric_named("recall"), (0, 0), 0.95)
    assert found == Undefined("less than one item is left to make it of")


def test_a_segment_is_named_where_it_cannot_be_told(population):
    ledger, drawn = population.labelled()
    where = dict(zip(population.design.candidates.items, population.design.candidates.segments["region"], strict=True))
    north = {item: "yes" for item in drawn if where[item] == "north"}
    said = VerdictsByItem({**ledger.verdicts, **north})
    found = replace(population.design, survey=BRR).estimate(said, drawn, segments=(population.north,))
    assert all("in region=north" in one.result.reason for one in found if isinstance(one.result, Undefined))


@pytest.mark.parametrize("yes", [7, 10, 0])
def test_a_window_that_is_labelled_wholly_is_exact(yes):
    """Labels that agree are all there is to know."""
    design, ledger = one_stratum([True] * yes + [False] * (10 - yes), 10)
    (one,) = design.estimate(ledger, ledger.verdicts, metrics=("precision",))
    assert (one.result.low, one.result.value, one.result.high) == pytest.approx((yes / 10,) * 3)


def test_many_labels_stay_within_a_thousand_replicates():
    rng = np.random.default_rng(1)
    design, ledger = one_stratum((rng.random(6000) < 0.7).tolist(), 100_000, budget=6000)
    (one,) = design.estimate(ledger, ledger.verdicts, metrics=("precision",))
    assert one.method == "difference estimate, BRR, 1,024 replicates, t"
    assert one.result.half_width == pytest.approx(1.96 * (0.94 * 0.21 / 6000) ** 0.5, rel=0.08)


def test_clusters_widen_it_as_they_widen_the_default(population):
    ledger, drawn = population.labelled()
    clusters = tuple(str(int(item[1:]) // 300) for item in population.design.candidates.items)
    there = replace(population.design, candidates=replace(population.design.candidates, clusters=clusters))
    plain = replace(population.design, survey=BRR).estimate(ledger, drawn)
    wide = replace(there, survey=BRR).estimate(ledger, drawn)
    effects = [one.deff for one in there.estimate(ledger, drawn)]
    assert [one.deff for one in wide] == effects
    assert all(w.result.half_width >= p.result.half_width for w, p in zip(wide, plain, strict=True))
