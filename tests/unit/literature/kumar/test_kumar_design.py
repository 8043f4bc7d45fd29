from itertools import pairwise

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.designs import design_named
from stratawatch.core.designs.frozen import pool_sizes, stratify_for_survey
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.metrics import METRICS
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.population import Census, Segment
from stratawatch.core.score_bins import centre
from stratawatch.errors import PlanImpossible, StratawatchError
from tests.support.complements import with_complements
from tests.support.design_cycle import Cycle, design_of

SERVED = {name for name, metric in METRICS.items() if metric.is_listed and metric.is_plain_share}
assert {"precision", "false_omission_rate", "accuracy", "negative_predictive_value", "prevalence"} <= SERVED
NORTH = Segment("region", "north")
CENSUS = Census(
    ("a", "b"),
    ("-1", "00", "00", "01", "11", "11"),
    np.array([700, 10, 500, 480, 520, 1000]),
    np.array([50, 400, 100, 100, 100, 200]),
    {NORTH: np.array([0, 200, 100, 0, 100, 0])},
)


def survey_of(budget=100, **options) -> SurveySpec:
    return SurveySpec(budget=budget, design="kumar", options=options)


def cycle_of(survey, says=lambda pattern, number: number % 5 == 0, labelled=frozenset(), census=CENSUS) -> Cycle:
    return Cycle(design_of(census, survey), says, labelled)


class TestStrata:
    def test_hold_calls_of_both_kinds_that_are_as_sure(self):
        """a: .5 is unsure, whichever the call; what a did not judge stands apart."""
        atoms = stratify_for_survey(CENSUS, survey_of(strata=2))
        strata_of_atoms = {(atom.pattern, atom.first_bin): atom.stratum for atom in atoms}
        assert strata_of_atoms["00", 10] == strata_of_atoms["11", 1000]
        assert strata_of_atoms["00", 500] == strata_of_atoms["01", 480] == strata_of_atoms["11", 520]
        assert len({strata_of_atoms["-1", 700], strata_of_atoms["00", 10], strata_of_atoms["00", 500]}) == 3
        assert sum(atom.size for atom in atoms) == 950

    def test_are_those_of_the_classifier_that_is_named(self):
        """b calls the items of bin 480 positive: it is unsure of them, and sure of those a did not judge."""
        census = Census(("a", "b"), ("00", "01"), np.array([20, 20]), np.array([100, 100]))
        assert len(stratify_for_survey(census, survey_of(strata=2))) == 2
        strata = [
            [a.stratum for a in stratify_for_survey(census, survey_of(strata=2, classifier=name))] for name in "ab"
        ]
        assert strata == [[0, 0], [0, 1]]

    def test_items_without_a_score_are_one_more(self):
        census = Census(("a",), ("0", "0", "1", "1"), np.array([-1, 100, -1, 900]), np.array([30, 60, 20, 60]))
        atoms = stratify_for_survey(census, survey_of(strata=2))
        unscored = {atom.stratum for atom in atoms if atom.mean_score is None}
        assert len(unscored) == 1
        assert unscored.isdisjoint(atom.stratum for atom in atoms if atom.mean_score is not None)
        assert cycle_of(survey_of(strata=2), census=census).finish().new_labels == 100

    @pytest.mark.parametrize("stratifier", ["SQRT", "CBRT", "WTMN", "KM", "GMM", "EQSZ", "EQWD"])
    def test_every_stratifier_cuts_by_certainty(self, stratifier):
        bins = np.arange(40, 1000, 20)
        census = Census(("a",), tuple("1" if b > 600 else "0" for b in bins), bins, np.full(len(bins), 50))
        atoms = stratify_for_survey(census, survey_of(strata=3, stratifier=stratifier))
        sure = np.array([[centre(bin_) for bin_ in (atom.first_bin, atom.last_bin)] for atom in atoms])
        sure = np.where([[atom.pattern == "1"] for atom in atoms], sure, 1 - sure)
        strata = np.array([atom.stratum for atom in atoms])
        spans = sorted((sure[strata == k].min(), sure[strata == k].max()) for k in set(strata.tolist()))
        assert 2 <= len(spans) <= 3
        assert all(high < low for (_, high), (low, _) in pairwise(spans))

    @pytest.mark.parametrize(
        ("pattern", "options", "calls"),
        [
            ("-1", {}, "judged"),
            ("01", {"share": "precision"}, "calls positive"),
            ("10", {"share": "false_omission_rate"}, "calls negative"),
        ],
    )
    def test_a_classifier_without_an_item_to_ask_about_is_refused(self, pattern, options, calls):
        census = Census(("a", "b"), (pattern,), np.array([700]), np.array([50]))
        with pytest.raises(PlanImpossible, match=f"asks about items that a {calls}, and there is none; name another"):
            stratify_for_survey(census, survey_of(**options))
        assert stratify_for_survey(census, survey_of(classifier="b", **options))


class TestShare:
    """What the labels are for: then all of them go where it is decided."""

    @pytest.mark.parametrize(
        ("share", "pattern"),
        [("precision", "11"), ("false_omission_rate", "0"), ("negative_predictive_value", "0")],
    )
    def test_labels_go_to_the_items_that_it_is_a_share_of(self, share, pattern):
        cycle = cycle_of(survey_of(120, strata=2, share=share), lambda _, number: number % 3 == 0).finish()
        atoms = dict(zip(cycle.design.candidates.items, cycle.design.candidates.atoms.tolist(), strict=True))
        assert all(cycle.design.atoms[atoms[item]].pattern.startswith(pattern) for item in cycle.drawn)
        estimates = cycle.estimates(list(METRICS))
        assert {key for key, one in estimates.items() if isinstance(one.result, IntervalEstimate)} == {
            ("a", m) for m in with_complements(share)
        }

    def test_anything_else_is_undefined_in_words(self):
        estimates = cycle_of(survey_of(120, strata=2, share="precision")).finish().estimates(["accuracy", "precision"])
        asked = "with share = 'precision' it asks about items that a calls positive"
        assert estimates["a", "accuracy"].result == Undefined(f"design = 'kumar' does not tell accuracy of a: {asked}")
        assert estimates["b", "precision"].result == Undefined(
            f"design = 'kumar' does not tell precision of b: {asked}"
        )

    def test_opt_looks_for_disagreement_inside(self):
        """Of the items called positive the unsure ones are a coin and the others right: all 60 but 5 go to the coin."""
        says = lambda pattern, number: pattern == "11" and (number % 2 == 0 or number >= 750)  # noqa: E731
        survey = survey_of(60, strata=2, share="precision", allocation="OPT-A1", pseudo_labels=0.0)
        cycle = cycle_of(survey, says).finish()
        sizes, totals = cycle.design.cells.stratum_sizes, np.array(cycle.plans[-1].totals)
        assert totals[sizes == 100].tolist() == [55]


class TestRounds:
    def test_pro_is_one_in_proportion_to_items(self):
        cycle = cycle_of(survey_of(90, strata=2)).finish()
        sizes = cycle.design.cells.stratum_sizes
        judged = sizes != 50
        assert len(cycle.plans) == 2
        assert np.allclose(np.array(cycle.plans[0].totals)[judged], 90 * sizes[judged] / 900)
        assert np.array(cycle.plans[0].totals)[~judged].tolist() == [0]

    def test_equ_is_one_of_equal_numbers(self):
        cycle = cycle_of(survey_of(90, strata=2, allocation="EQU")).finish()
        assert sorted(cycle.plans[-1].totals) == [0, 45, 45]

    def test_opt_a1_is_two_the_second_where_labels_disagree(self):
        """Unsure calls are wrong every other time, sure ones never: with pseudo_labels 0 all the rest goes to them."""
        unsure = {"00", "01", "11"}
        cycle = cycle_of(
            survey_of(100, strata=2, allocation="OPT-A1", n_ini=10, pseudo_labels=0.0),
            lambda pattern, number: pattern in unsure and (number % 2 == 0 if 450 <= number < 750 else pattern == "11"),
        ).finish()
        assert [sorted(plan.totals) for plan in cycle.plans] == [[0, 10, 10], [0, 10, 90], [0, 10, 90]]

    def test_pseudo_labels_keep_opt_asking_everywhere(self):
        cycle = cycle_of(survey_of(100, strata=2, allocation="OPT-A1", n_ini=10), lambda pattern, _: pattern == "11")
        assert min(total for total in cycle.finish().plans[-1].totals if total) > 20

    def test_opt_a2_has_as_many_as_the_budget_has_steps(self):
        survey = survey_of(95, strata=2, allocation="OPT-A2", n_ini=5, n_step=20)
        cycle = cycle_of(survey).finish()
        assert [plan.labels for plan in cycle.plans] == [10, 30, 50, 70, 90, 95, 95]
        assert cycle.design.sampling_design.max_rounds(survey) >= 6

    @pytest.mark.parametrize("allocation", ["PRO", "EQU", "OPT-A1", "OPT-A2"])
    def test_labels_that_exist_already_are_free(self, allocation):
        survey = survey_of(80, strata=2, allocation=allocation, n_step=15)
        labelled = frozenset(f"i{number}" for number in range(0, 950, 3))
        cycle = cycle_of(survey, labelled=labelled).finish()
        assert 79 <= cycle.new_labels <= 80
        assert len(cycle.drawn) > 100

    def test_a_pool_that_is_too_small_is_listed_as_exhausted(self):
        design = design_of(CENSUS, survey_of(90, strata=2))
        plan = design.sampling_design.plan(
            design.cells, design.survey, NO_HISTORY, _before_the_first(design), np.full(design.cells.stratum_count, 20)
        )
        assert max(plan.totals) == 20
        assert plan.exhausted == tuple(np.flatnonzero(design.cells.stratum_sizes > 50).tolist())

    def test_pools_of_opt_hold_the_whole_budget_wherever_it_goes(self):
        survey = survey_of(90, strata=2, allocation="OPT-A2")
        atoms = stratify_for_survey(CENSUS, survey)
        assert sorted(pool_sizes(atoms, ("a", "b"), survey)) == [30, 90, 90]


class TestEstimates:
    def test_are_weighted_means_of_strata(self):
        """Accuracy by hand: the shares of right calls of both strata, weighted with 600 and 300 items."""
        cycle = cycle_of(survey_of(90, strata=2)).finish()
        design = cycle.design
        place = {item: int(design.candidates.atoms[row]) for row, item in enumerate(design.candidates.items)}
        found = []
        for stratum, size in enumerate(design.cells.stratum_sizes.tolist()):
            mine = [item for item in cycle.drawn if design.atoms[place[item]].stratum == stratum]
            right = [(design.atoms[place[item]].pattern[0] == "1") == (cycle.truth[item] == "yes") for item in mine]
            found.append((size / 900, np.mean(right) if right else 0.0, len(mine), size))
        estimates = cycle.estimates(["accuracy"])["a", "accuracy"]
        drawn = [row for row in found if row[2]]
        value = sum(weight * share for weight, share, _, _ in drawn)
        variance = sum(w**2 * (1 - n / size) * p * (1 - p) / (n - 1) for w, p, n, size in drawn)
        assert estimates.result.value == pytest.approx(value)
        assert estimates.result.half_width == pytest.approx(1.959964 * variance**0.5)
        assert (estimates.labels_used, estimates.method) == (90, "stratified share, Wald")

    def test_one_stratum_is_a_simple_random_sample(self):
        """The same items as srs, and the same shares."""
        census = Census(("a",), ("0", "1"), np.array([100, 900]), np.array([300, 200]))
        says = lambda pattern, number: (number * 7) % 10 < (8 if pattern == "1" else 1)  # noqa: E731
        both = [
            Cycle(design_of(census, survey), says).finish()
            for survey in (survey_of(strata=1), SurveySpec(budget=100, design="srs"))
        ]
        assert both[0].drawn == both[1].drawn
        ours, plain = (cycle.estimates(sorted(SERVED)) for cycle in both)
        for key in plain:
            assert ours[key].result.value == pytest.approx(plain[key].result.value)
            assert ours[key].labels_used == plain[key].labels_used

    def test_serve_every_classifier_and_what_is_a_share_of_listed_items(self):
        cycle = cycle_of(survey_of(300, strata=2), lambda pattern, number: number % 3 == 0).finish()
        estimates = cycle.estimates(list(METRICS))
        assert {
            metric for name, metric in estimates if isinstance(estimates["a", metric].result, IntervalEstimate)
        } == SERVED
        assert isinstance(estimates["b", "false_omission_rate"].result, IntervalEstimate)
        why = "design = 'kumar' does not tell recall: only labels say what it is a share of"
        assert estimates["a", "recall"].result == Undefined(why)
        assert estimates["a", "recall"].labels_used == 0

    def test_a_census_is_the_truth_of_a_segment(self):
        """North: all of 00 at bin 10 and 500, and of 11 at 520."""
        cycle = cycle_of(survey_of(900, strata=2), lambda pattern, number: number % 3 == 0).finish()
        estimates = cycle.estimates(["accuracy", "precision", "recall"], [NORTH])
        candidates, atoms = cycle.design.candidates, cycle.design.atoms
        north = [row for row, value in enumerate(candidates.segments["region"]) if value == "north"]
        right = [(atoms[candidates.atoms[row]].pattern[0] == "1") == (row % 3 == 0) for row in north]
        assert len(north) == 400
        assert estimates["a", "accuracy", NORTH].result == IntervalEstimate(*[pytest.approx(np.mean(right))] * 3, 400)
        assert estimates["a", "precision", NORTH].labels_used == 100
        assert estimates["a", "recall", NORTH].result == estimates["a", "recall"].result

    def test_a_segment_that_no_label_met_is_undefined_in_words(self):
        cycle = cycle_of(survey_of(16, strata=2))
        cycle.next()
        candidates = cycle.design.candidates
        cycle.drawn -= {item for item, v in zip(candidates.items, candidates.segments["region"], strict=True) if v}
        found = cycle.estimates(["precision"], [NORTH])["a", "precision", NORTH].result
        assert found == Undefined("no label among the items that it calls positive in region=north")

    def test_what_the_labels_do_not_tell_is_undefined_in_words(self):
        cycle = cycle_of(survey_of(16, strata=2), lambda pattern, number: False).finish()
        estimates = cycle.estimates(["prevalence", "precision"])
        agree = "the labels of every stratum agree, and a variance of 0 says nothing of the rest"
        assert estimates["a", "prevalence"].result == Undefined(agree)
        short = survey_of(16, strata=2)
        quiet = Cycle(design_of(CENSUS, short), lambda pattern, number: True)
        assert quiet.estimates(["precision"])["b", "precision"].result == Undefined(
            "no label among the items that it calls positive"
        )

    def test_other_classifiers_want_labels_where_the_first_judged_nothing(self):
        cycle = cycle_of(survey_of(300, strata=2), lambda pattern, number: number % 3 == 0).finish()
        assert cycle.estimates(["precision"])["b", "precision"].result == Undefined(
            "no label among the items that it calls positive in 1 of 3 strata"
        )


class TestForecast:
    def test_has_what_the_interval_should_be(self):
        """100 labels of 1000 in one stratum, a share of .5: 1.96 sqrt(.9 N/(N - 1) .25/100)."""
        census = Census(("a",), ("1",), np.array([512]), np.array([1000]))
        cells = Cells.of_atoms(("a",), stratify_for_survey(census, survey_of(strata=1)))
        plan = design_named("kumar", {"strata": 1}).plan_all_rounds(cells, survey_of(), NO_HISTORY, ["precision"])
        share = centre(512)
        expected = 1.959964 * (0.9 * 1000 / 999 * share * (1 - share) / 100) ** 0.5
        assert plan.half_widths == {("a", "precision"): pytest.approx(expected, rel=1e-6)}
        assert plan.labels == 100

    @pytest.mark.parametrize("allocation", ["PRO", "EQU", "OPT-A1", "OPT-A2"])
    def test_more_labels_buy_narrower_intervals(self, allocation):
        widths = []
        for budget in (60, 240):
            survey = survey_of(budget, strata=2, allocation=allocation)
            cells = Cells.of_atoms(("a", "b"), stratify_for_survey(CENSUS, survey))
            kind = design_named("kumar", survey.options)
            plan = kind.plan_all_rounds(cells, survey, NO_HISTORY, ["accuracy", "recall"])
            assert plan.labels == budget
            assert set(plan.half_widths) == {("a", "accuracy")}
            widths.append(plan.half_widths["a", "accuracy"])
        assert widths[1] < 0.6 * widths[0]

    def test_a_metric_that_a_stratum_hardly_meets_has_no_expected_width(self):
        census = Census(("a",), ("0", "1"), np.array([100, 900]), np.array([990, 10]))
        cells = Cells.of_atoms(("a",), stratify_for_survey(census, survey_of(strata=1)))
        plan = design_named("kumar", {"strata": 1}).plan_all_rounds(
            cells, survey_of(), NO_HISTORY, ["accuracy", "precision"]
        )
        assert set(plan.half_widths) == {("a", "accuracy")}


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"share": "recall"}, "there is no share of listed items 'recall'; expected one of precision, "),
            ({"stratifier": "BEST"}, "there is no stratifier 'BEST'; expected one of SQRT, CBRT"),
            ({"allocation": "OPT"}, "there is no allocation 'OPT'; expected one of PRO, EQU, OPT-A1, OPT-A2"),
            ({"strata": 0}, "option 'strata' is too small; expected at least 1; got 0"),
            ({"n_ini": 1}, "option 'n_ini' is too small; expected at least 2; got 1"),
            ({"allocation": "OPT-A2", "n_step": 7}, "option 'n_step' is too small"),
            ({"pseudo_labels": -1}, "option 'pseudo_labels' is no number of labels; expected 0 to 1,000,000; got -1"),
            ({"pseudo_labels": float("nan")}, "option 'pseudo_labels' is no number of labels"),
            ({"pseudo_labels": 1e308}, "option 'pseudo_labels' is no number of labels"),
            ({"strata": 10**9}, "option 'strata' is too large; expected at most 1,000; got 1,000,000,000"),
            ({"n_ini": 10**30}, "option 'n_ini' is too large; expected at most 1,000,000"),
            ({"n_step": 0}, "option 'n_step' is too small; expected at least 1; got 0"),
        ],
    )
    def test_options_that_cannot_be_used(self, options, said):
        with pytest.raises(StratawatchError, match=said):
            design_named("kumar", options)

    def test_steps_matter_to_opt_a2_alone(self):
        assert design_named("kumar", {"n_step": 1}).n_step == 1

    def test_a_classifier_that_is_not_there(self):
        with pytest.raises(StratawatchError, match="there is no classifier 'c'; expected one of a, b"):
            stratify_for_survey(CENSUS, survey_of(classifier="c"))

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"strata": 2}, "3 labels do not give 2 to each of 2 strata; expected at least 4"),
            ({"strata": 2, "allocation": "OPT-A1"}, "3 labels do not give 5 to each of 2 strata; expected at least 10"),
        ],
    )
    def test_a_budget_that_does_not_reach_every_stratum(self, options, said):
        with pytest.raises(PlanImpossible, match=said):
            stratify_for_survey(CENSUS, survey_of(3, **options))

    def test_a_goal_that_is_in_vain_and_not_the_usual_ones(self):
        goals = (Goal("precision", 0.03), Goal("recall", 0.05, classifiers=("b",)))
        with pytest.raises(PlanImpossible, match=r"does not tell recall: only labels .* got a goal for recall"):
            stratify_for_survey(CENSUS, SurveySpec(goals=goals, budget=100, design="kumar"))
        assert stratify_for_survey(CENSUS, survey_of())


class TestWarnings:
    def test_the_raw_opts_say_how_wrong_they_were(self):
        (said,) = design_named("kumar", {"allocation": "OPT-A2", "pseudo_labels": 0}).warnings
        assert "up to 4.7 points too high" in said
        assert "9 to 33% of cycles" in said
        assert "26 to 71%" in design_named("kumar", {"allocation": "OPT-A1", "pseudo_labels": 0.0}).warnings[0]

    def test_no_choice_is_without_a_word(self):
        for allocation in ("PRO", "EQU", "OPT-A1", "OPT-A2"):
            assert design_named("kumar", {"allocation": allocation}).warnings

    def test_raw_opt_is_no_default(self):
        assert design_named("kumar").allocation == "PRO"
        assert design_named("kumar").pseudo_labels == 1


def _before_the_first(design):
    nothing = np.zeros(design.cells.stratum_count, dtype=np.int64)
    return LabelsSoFar(1, nothing, np.zeros(len(design.atoms)), np.zeros(len(design.atoms)))
