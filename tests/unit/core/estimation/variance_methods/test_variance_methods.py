from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.designs import DESIGNS, design_class
from stratawatch.core.designs.frozen import stratify_for_survey
from stratawatch.core.designs.goal_checks import check_variance_method
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.variance_methods import VARIANCES, variance_named
from stratawatch.core.goals import SurveySpec
from stratawatch.core.metrics import METRICS
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import PlanImpossible, StratawatchError

EVERY = pytest.mark.parametrize("name", VARIANCES)


def with_variance(design, name):
    return replace(design, survey=replace(design.survey, variance=name))


@EVERY
class TestEvery:
    def test_gives_every_metric_and_segment_its_interval(self, population, told, name):
        design = with_variance(population.design, name)
        found = design.estimate(*told, metrics=tuple(METRICS), segments=(population.north, population.south))
        assert len(found) == 3 * 2 * len(METRICS)
        for one in found:
            assert isinstance(one.result, IntervalEstimate | Undefined)
            if isinstance(one.result, IntervalEstimate):
                assert 0 <= one.result.low <= one.result.value <= one.result.high <= 1
                assert one.result.n_eff > 0

    def test_the_same_labels_have_the_same_interval_in_any_order(self, population, told, name):
        ledger, drawn = told
        pool = population.design.candidates
        order = np.random.default_rng(4).permutation(len(pool)).tolist()
        shuffled = replace(
            pool,
            items=tuple(pool.items[i] for i in order),
            atoms=pool.atoms[order],
            digests=tuple(pool.digests[i] for i in order),
            segments={"region": tuple(pool.segments["region"][i] for i in order)},
        )
        design = with_variance(population.design, name)
        again = replace(design, candidates=shuffled)
        for one, other in zip(design.estimate(ledger, drawn), again.estimate(ledger, drawn), strict=True):
            assert other.result.low == pytest.approx(one.result.low, abs=1e-12)

    def test_what_the_design_cannot_tell_stays_undefined(self, population, name):
        found = with_variance(population.design, name).estimate(VerdictsByItem({}), ())
        assert all(isinstance(one.result, Undefined) for one in found)

    def test_warnings_are_sentences(self, population, name):
        assert all(text[0].isupper() and text.endswith(".") for text in variance_named(name).warnings)


def test_the_default_is_the_designs_own(population, told):
    assert SurveySpec().variance == "default"
    assert variance_named("default").warnings == ()


def test_a_name_that_is_none_is_refused():
    with pytest.raises(
        StratawatchError, match="there is no variance 'jackknife'; expected one of default, labels, brr"
    ):
        variance_named("jackknife")


@pytest.mark.parametrize("name", [[], {}, None, 3])
def test_so_is_what_is_no_name(name):
    with pytest.raises(StratawatchError, match=r"there is no variance .*; expected one of default, labels, brr"):
        variance_named(name)


@pytest.mark.parametrize("design", [name for name in DESIGNS if design_class(name).estimator != "difference"])
def test_replicates_are_of_difference_estimates_only(design):
    with pytest.raises(PlanImpossible, match=f"'brr' is not one of the estimates of design = '{design}'; expected"):
        check_variance_method("brr", design)
    check_variance_method("default", design)
    check_variance_method("brr", "joint")


def test_a_design_is_not_cut_for_a_variance_of_another(population):
    with pytest.raises(PlanImpossible, match="variance = 'brr'"):
        stratify_for_survey(population.census, SurveySpec(budget=100, design="srs", variance="brr"))
