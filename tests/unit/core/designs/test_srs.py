from itertools import combinations

import numpy as np
import pytest
from scipy.stats import hypergeom

from stratawatch.core.cells import Cells
from stratawatch.core.designs import design_named
from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes, stratify_for_survey
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.wilson import wilson_interval
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.labelled_sample import FOLDS, LabelledSample
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Candidates, Census
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import PlanImpossible
from tests.support.closed_forms import closed_form

SRS = SurveySpec(budget=40, design="srs")
CENSUS = Census(
    ("a", "b"), ("00", "00", "01", "11", "--"), np.array([10, 400, 500, 900, 300]), np.array([400, 300, 60, 40, 50])
)


def design_of(census=CENSUS, survey=SRS) -> FrozenDesign:
    """The design with a candidate for every item of the pools, in an order that knows nothing."""
    atoms = stratify_for_survey(census, survey)
    homes = np.repeat(np.arange(len(atoms)), [atom.size for atom in atoms])
    order = np.random.default_rng(5).permutation(len(homes))
    items = tuple(f"i{row}" for row in range(len(homes)))
    digests = tuple(format(place, "032x") for place in np.argsort(order).tolist())
    return FrozenDesign(census.classifiers, atoms, Candidates(items, homes, digests), SurveySpec(design="srs"))


def truth_of(design, says) -> dict[str, str]:
    patterns = [design.atoms[atom].pattern for atom in design.candidates.atoms.tolist()]
    return {
        item: "yes" if says(pattern, number) else "no"
        for number, (item, pattern) in enumerate(zip(design.candidates.items, patterns, strict=True))
    }


def told(design, drawn, says):
    found = design.estimate(VerdictsByItem(truth_of(design, says)), drawn, metrics=tuple(METRICS))
    return {(one.classifier, one.metric): one for one in found}


class TestDraw:
    def test_one_stratum_of_all_that_was_judged_gets_the_budget(self):
        design = design_of()
        plan = design.plan(SRS, VerdictsByItem({}), (), ordinal=1)
        homes = {design.atoms[atom].pattern: design.atoms[atom].stratum for atom in range(len(design.atoms))}
        assert homes == {"00": 0, "01": 0, "11": 0, "--": 1}
        assert plan.totals == (40, 0)
        assert pool_sizes(design.atoms, design.classifiers, SRS) == (40, 0)

    def test_every_item_is_as_likely_as_any_other(self):
        design = design_of()
        drawn = design.draw(design.plan(SRS, VerdictsByItem({}), (), ordinal=1))
        smallest = sorted(
            (row for row in range(850) if design.atoms[int(design.candidates.atoms[row])].stratum == 0),
            key=lambda row: design.candidates.digests[row],
        )[:40]
        assert sorted(drawn) == sorted(smallest)

    def test_known_labels_make_room_for_more(self):
        design = design_of()
        first = [
            design.candidates.items[row] for row in design.draw(design.plan(SRS, VerdictsByItem({}), (), ordinal=1))
        ]
        plan = design.plan(SRS, VerdictsByItem(dict.fromkeys(first[:10], "no")), (), ordinal=1)
        assert plan.totals == (50, 0)

    def test_a_second_round_adds_nothing(self):
        design = design_of()
        drawn = [
            design.candidates.items[row] for row in design.draw(design.plan(SRS, VerdictsByItem({}), (), ordinal=1))
        ]
        assert design.plan(SRS, VerdictsByItem(dict.fromkeys(drawn, "no")), drawn, ordinal=2).labels == 40

    def test_a_budget_beyond_the_population_takes_all_of_it(self):
        survey = SurveySpec(budget=10_000, design="srs")
        assert design_of(survey=survey).plan(survey, VerdictsByItem({}), (), ordinal=1).totals == (800, 0)

    def test_goals_without_a_budget_are_refused(self):
        with pytest.raises(PlanImpossible, match='design = "srs" does not know how many labels goals need'):
            stratify_for_survey(CENSUS, SurveySpec(stop_at_goals=True, design="srs"))

    def test_where_nobody_judged_anything_there_is_nothing_to_draw(self):
        census = Census(("a",), ("-",), np.array([5]), np.array([30]))
        design = design_of(census)
        assert design.plan(SRS, VerdictsByItem({}), (), ordinal=1).totals == (0,)


class TestEstimates:
    def test_are_the_plain_shares_among_the_labels(self):
        design = design_of()
        drawn = [
            design.candidates.items[row] for row in design.draw(design.plan(SRS, VerdictsByItem({}), (), ordinal=1))
        ]
        found = told(design, drawn, lambda pattern, number: number % 3 == 0)
        truth = truth_of(design, lambda pattern, number: number % 3 == 0)
        calls = {item: design.atoms[int(design.candidates.atoms[row])].pattern for row, item in enumerate(truth)}
        tp, fp, fn, tn = (
            sum((calls[i][1] == "1") is call and (truth[i] == "yes") is yes for i in drawn)
            for call, yes in ((True, True), (True, False), (False, True), (False, False))
        )
        shares = {metric: closed_form(metric, tp, fp, fn, tn) for metric in METRICS}
        assert {metric: found["b", metric].result.value for metric in METRICS} == pytest.approx(shares)

    def test_the_interval_is_wilsons_with_the_labels_of_an_endless_population(self):
        """n = 40 of N = 800: n/((N - n)/(N - 1)) labels."""
        design = design_of()
        drawn = [
            design.candidates.items[row] for row in design.draw(design.plan(SRS, VerdictsByItem({}), (), ordinal=1))
        ]
        one = told(design, drawn, lambda pattern, number: number % 3 == 0)["a", "prevalence"].result
        low, high = wilson_interval(np.array(one.value), np.array(40 * 799 / 760), 0.95)
        assert (one.low, one.high, one.n_eff) == pytest.approx((float(low), float(high), 40 * 799 / 760))

    def test_a_census_is_the_truth(self):
        design = design_of()
        everyone = [
            item
            for row, item in enumerate(design.candidates.items)
            if design.atoms[int(design.candidates.atoms[row])].stratum == 0
        ]
        for one in told(design, everyone, lambda pattern, number: number % 3 == 0).values():
            assert isinstance(one.result, IntervalEstimate)
            assert one.result.low == one.result.value == one.result.high
            assert one.result.n_eff <= 800

    @pytest.mark.parametrize(("labels", "positives"), [(640, 1), (640, 2), (720, 1), (40, 60)])
    def test_intervals_hold_however_much_of_the_population_is_labelled(self, labels, positives):
        """Every number of positives that a sample may hold, with its chance; 800 items, prevalence."""
        cells = Cells.of(("a",), ["0"], np.array([800.0]), np.array([0.1]))
        chances = hypergeom(800, positives, labels)
        held = 0.0
        for met in range(max(0, labels + positives - 800), min(positives, labels) + 1):
            answers = np.zeros((FOLDS, 1))
            answers[0, 0] = labels
            yes = answers * (met / labels)
            request = EstimationRequest(0.95, ("prevalence",), (None,))
            (one,) = design_named("srs").estimate(cells, (), LabelledSample(np.array([labels]), answers, yes), request)
            held += chances.pmf(met) * (one.result.low <= positives / 800 <= one.result.high)
        assert held >= 0.94

    def test_all_samples_of_a_tiny_population_have_the_true_mean(self):
        census = Census(("a",), ("0", "1"), np.array([10, 900]), np.array([4, 3]))
        design = design_of(census)
        says = [True, False, False, False, True, True, False]
        values = [
            told(design, [f"i{row}" for row in rows], lambda _, number: says[number])["a", "prevalence"].result.value
            for rows in combinations(range(7), 3)
        ]
        assert np.mean(values) == pytest.approx(3 / 7)

    def test_what_no_label_tells_is_undefined_in_words(self):
        design = design_of()
        quiet = [
            item
            for row, item in enumerate(design.candidates.items)
            if design.atoms[int(design.candidates.atoms[row])].pattern == "00"
        ][:20]
        found = told(design, quiet, lambda pattern, number: False)
        assert found["a", "precision"].result == Undefined("no labelled item is called positive")
        assert found["a", "recall"].result == Undefined("no labelled item is positive")
        assert found["a", "prevalence"].result.value == 0


def test_the_forecast_is_the_interval_on_what_scores_promise():
    cells = Cells.of_atoms(CENSUS.classifiers, design_of().atoms)
    plan = design_named("srs").plan_all_rounds(cells, SRS, NO_HISTORY, ("precision", "prevalence"))
    more = design_named("srs").plan_all_rounds(cells, SurveySpec(budget=400, design="srs"), NO_HISTORY, ("precision",))
    assert set(plan.half_widths) == {(name, metric) for name in "ab" for metric in ("precision", "prevalence")}
    assert more.half_widths["a", "precision"] < plan.half_widths["a", "precision"] / 2.5
