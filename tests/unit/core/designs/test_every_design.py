"""What every design keeps to, whatever its name."""

from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.cells import Cells
from stratawatch.core.designs import DESIGNS, design_class, design_named
from stratawatch.core.designs.frozen import FrozenDesign, stratify_for_survey
from stratawatch.core.designs.joint import JointDesign
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.variance_methods import VARIANCES
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.metrics import METRICS
from stratawatch.core.plan import CycleForecast
from stratawatch.core.planning.allocation import drawable_items
from stratawatch.core.population import Candidates, Census, Segment
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import PlanImpossible, StratawatchError
from tests.support.hypothesis_examples import examples

NAMES = pytest.mark.parametrize("name", DESIGNS)
MANY_ROUNDS = 20
"""A design of more rounds than this is played with a quarter of the budget: every round is planned."""


def design_of(census, survey) -> FrozenDesign:
    atoms = stratify_for_survey(census, survey)
    homes = np.repeat(np.arange(len(atoms)), [atom.size for atom in atoms])
    items = tuple(f"i{row}" for row in range(len(homes)))
    digests = tuple(format(row, "032x") for row in np.random.default_rng(1).permutation(len(homes)).tolist())
    return FrozenDesign(census.classifiers, atoms, Candidates(items, homes, digests), survey)


@NAMES
@settings(deadline=None, max_examples=examples(40))
@given(sizes=st.lists(st.integers(0, 300), min_size=5, max_size=5), budget=st.integers(2, 400), share=st.floats(0, 1))
def test_rounds_only_add_and_never_exceed_budget_or_pools(name, sizes, budget, share):
    patterns, bins = ("00", "00", "01", "11", "-0"), np.array([5, 300, 500, 900, 400])
    kept = [row for row, size in enumerate(sizes) if size]
    if not kept:
        return
    census = Census(("a", "b"), tuple(patterns[row] for row in kept), bins[kept], np.array(sizes)[kept])
    survey = SurveySpec(budget=budget, design=name)
    if design_named(name).max_rounds(survey) > MANY_ROUNDS:
        survey = replace(survey, budget=min(budget, 2 + budget // 4))
    try:
        design, drawn, plans = design_of(census, survey), set(), []
    except PlanImpossible:
        chosen = design_named(name)
        assert not chosen.drawable(Cells.of_census(census)).any() or survey.budget < chosen.least_budget(2)
        return
    for ordinal in range(1, design_named(name).max_rounds(survey) + 2):
        says = VerdictsByItem({item: "yes" if crc32(item.encode()) % 100 < 100 * share else "no" for item in drawn})
        plan = design.plan(survey, says, drawn, ordinal=ordinal, earlier=plans)
        totals = np.array(plan.totals)
        assert bool(np.all(totals <= drawable_items(design.cells)))
        if design_class(name).spends_budget and ordinal > 1:
            assert totals.sum() == min(survey.budget, drawable_items(design.cells).sum())
        assert totals.sum() <= survey.budget
        if plans:
            assert bool(np.all(totals >= plans[-1].totals))
        plans.append(plan)
        drawn = {design.candidates.items[row] for row in design.draw(plan)}


@NAMES
def test_every_metric_is_known_or_undefined_and_a_census_is_the_truth(name):
    census = Census(("a", "b"), ("00", "01", "11"), np.array([200, 500, 900]), np.array([60, 30, 10]))
    survey = SurveySpec(budget=100, design=name)
    design = design_of(census, survey)
    says = {item: "yes" if row % 3 == 0 else "no" for row, item in enumerate(design.candidates.items)}
    found = design.estimate(VerdictsByItem(says), says, metrics=tuple(METRICS))
    assert {(one.classifier, one.metric) for one in found} == {(c, m) for c in "ab" for m in METRICS}
    for one in found:
        assert isinstance(one.result, IntervalEstimate | Undefined)
        assert isinstance(one.result, IntervalEstimate) is (
            not design.sampling_design.unsupported_reason(one.metric, one.classifier, ("a", "b"))
        )
        if isinstance(one.result, IntervalEstimate):
            assert one.result.low == pytest.approx(one.result.high)
            assert 0 < one.result.n_eff <= 100 * (1 + 1e-12), "rounding aside, a census is worth its items"


@NAMES
def test_segments_are_told_by_the_designs_that_say_so(name):
    where = Segment("country", "DE")
    inside = {where: np.array([450, 60, 40])}  # every other item
    census = Census(("a", "b"), ("00", "01", "11"), np.array([200, 500, 900]), np.array([900, 120, 80]), inside)
    design = design_of(census, SurveySpec(budget=300, design=name))
    items = design.candidates.items
    countries = tuple("DE" if row % 2 else "FR" for row in range(len(items)))
    design = replace(design, candidates=replace(design.candidates, segments={"country": countries}))
    says = {item: "yes" if row % 3 == 0 else "no" for row, item in enumerate(items)}
    found = design.estimate(VerdictsByItem(says), says, metrics=tuple(METRICS), segments=[where])
    told = [one for one in found if one.segment == where and isinstance(one.result, IntervalEstimate)]
    assert bool(told) is design_class(name).estimates_segments


@NAMES
def test_the_forecast_has_every_metric_that_is_asked_for_and_served(name):
    census = Census(("a",), ("0", "1"), np.array([200, 900]), np.array([900, 300]))
    survey = SurveySpec(budget=200, design=name)
    cells = Cells.of_atoms(("a",), stratify_for_survey(census, survey))
    plan = design_named(name).plan_all_rounds(cells, survey, NO_HISTORY, tuple(METRICS))
    served = [metric for metric in METRICS if not design_named(name).unsupported_reason(metric, "a", ("a",))]
    assert served
    assert plan.labels == 200
    assert set(plan.half_widths) == {("a", metric) for metric in served}
    assert bool(plan.ranges) is design_class(name).forecasts_ranges


@NAMES
def test_a_cycle_s_forecast_is_that_of_all_rounds_where_ranges_are_told(name):
    census = Census(("a",), ("0", "1"), np.array([200, 900]), np.array([900, 300]))
    survey = SurveySpec(budget=200, design=name)
    design = design_of(census, survey)
    found = design.forecast(survey, NO_HISTORY, {("a", "precision")})
    assert (found is not None) is design_class(name).forecasts_ranges
    if found is not None:
        whole = design_named(name).plan_all_rounds(design.cells, survey, NO_HISTORY, ("precision",))
        assert found == CycleForecast(whole.labels, whole.half_widths, whole.ranges)


def test_a_design_is_not_planned_as_another():
    census = Census(("a",), ("0", "1"), np.array([200, 900]), np.array([900, 100]))
    design = design_of(census, SurveySpec(budget=50, design="srs"))
    with pytest.raises(StratawatchError, match='cut as "srs" cannot be planned as "joint"'):
        design.plan(SurveySpec(budget=50), VerdictsByItem({}), (), ordinal=1)


@dataclass(frozen=True)
class OtherJoint(JointDesign):
    """The joint design under another name."""

    name = "other"


@pytest.mark.parametrize("variance", VARIANCES)
@pytest.mark.parametrize("clustered", [False, True])
def test_a_subclass_under_another_name_has_the_numbers_of_its_class(monkeypatch, variance, clustered):
    monkeypatch.setitem(DESIGNS, OtherJoint.name, f"{__name__}:OtherJoint")
    inside = {Segment("country", "DE"): np.array([300, 200, 60])}
    census = Census(("a", "b"), ("00", "01", "11"), np.array([200, 500, 900]), np.array([900, 400, 300]), inside)
    found = []
    for name in ("joint", OtherJoint.name):
        survey = SurveySpec(budget=300, design=name, variance=variance)
        design = design_of(census, survey)
        names = tuple(f"c{row // 4}" for row in range(len(design.candidates.items)))
        design = replace(design, candidates=replace(design.candidates, clusters=names if clustered else None))
        plan = design.plan(survey, VerdictsByItem({}), (), ordinal=1)
        drawn = {design.candidates.items[row] for row in design.draw(plan)}
        says = VerdictsByItem({item: "yes" if crc32(item.encode()) % 3 == 0 else "no" for item in drawn})
        compared = design.compare(says, drawn, "a", "b", "recall")
        found.append((plan, drawn, design.estimate(says, drawn, metrics=tuple(METRICS)), compared))
    assert found[0] == found[1]
    assert {one.deff is not None for one in found[0][2] if isinstance(one.result, IntervalEstimate)} == {clustered}


def test_an_unknown_name_is_told_what_there_is():
    with pytest.raises(StratawatchError, match="there is no design 'best'"):
        design_named("best")
