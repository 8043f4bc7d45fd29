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
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.literature.bennett.precision_estimate import estimate_precision
from tests.support.complements import with_complements
from tests.support.design_cycle import Cycle, design_of

CENSUS = Census(
    ("a", "b"),
    ("-1", "00", "01", "10", "10", "11", "11"),
    np.array([700, 10, 480, 560, 620, 700, 1000]),
    np.array([50, 300, 100, 100, 100, 100, 100]),
)
PRECISION_OF_A = {("a", name) for name in with_complements("precision")}


def survey_of(budget=100, **options) -> SurveySpec:
    return SurveySpec(budget=budget, design="bennett", options=options, seed="s")


def mostly(pattern, number) -> bool:
    return number % 4 > 0


def cycle_of(survey, says=mostly, labelled=frozenset(), census=CENSUS) -> Cycle:
    return Cycle(design_of(census, survey), says, labelled)


class TestBins:
    def test_hold_what_the_classifier_calls_positive_whatever_others_say(self):
        atoms = stratify_for_survey(CENSUS, survey_of(bins=2))
        strata = {(atom.pattern, atom.first_bin, atom.last_bin): atom.stratum for atom in atoms}
        assert strata["10", 560, 620] != strata["11", 700, 1000]
        assert len({strata["00", 10, 10], strata["-1", 700, 700], strata["01", 480, 480]}) == 1

    def test_equal_bins_are_of_equal_widths(self):
        """Between the scores of bins 560 and 1000 the middle one lies above bin 620."""
        sizes = [
            sorted(_bins(stratify_for_survey(CENSUS, survey_of(bins=2, binning=word)))) for word in ("perc", "equal")
        ]
        assert sizes[0] == [200, 200]
        assert sizes[1] != [200, 200]

    def test_items_without_a_score_are_one_more(self):
        census = Census(("a",), ("0", "1", "1"), np.array([100, -1, 900]), np.array([60, 20, 60]))
        assert sorted(_bins(stratify_for_survey(census, survey_of()))) == [20, 60]
        assert cycle_of(survey_of(500), census=census).finish().new_labels == 80

    def test_whose_calls_they_are_can_be_said(self):
        assert sum(_bins(stratify_for_survey(CENSUS, survey_of()))) == 400
        atoms = stratify_for_survey(CENSUS, survey_of(classifier="b"))
        assert sum(atom.size for atom in atoms if atom.pattern[1] == "1") == 350
        assert sorted({atom.pattern for atom in atoms if atom.stratum == atoms[1].stratum}) == ["00", "10"]

    def test_where_nothing_is_called_positive_there_is_no_cycle(self):
        census = Census(("a", "b"), ("01",), np.array([100]), np.array([60]))
        with pytest.raises(PlanImpossible, match="asks about items that a calls positive, and there is none; name"):
            stratify_for_survey(census, survey_of())
        assert stratify_for_survey(census, survey_of(classifier="b"))


class TestRounds:
    def test_are_of_two_labels_a_bin_until_the_budget_is_spent(self):
        cycle = cycle_of(survey_of(100)).finish()
        assert [plan.labels for plan in cycle.plans] == [*range(8, 97, 8), 100, 100]

    def test_only_bins_get_labels(self):
        cycle = cycle_of(survey_of(100)).finish()
        assert {cycle.design.atoms[atom].pattern[0] for atom in _drawn_atoms(cycle)} == {"1"}

    def test_stop_when_the_interval_was_narrow_in_so_many_rounds_running(self):
        """Without disagreement the interval narrows fast; each more that is required is a round more."""
        lengths = [
            len(cycle_of(survey_of(300, delta=0.1, per_bin=4, in_a_row=k), lambda *_: True).finish().plans)
            for k in (1, 2, 3)
        ]
        assert np.diff(lengths).tolist() == [1, 1]
        assert lengths[0] < 10

    def test_their_interval_is_as_narrow_as_delta_asks(self):
        cycle = cycle_of(survey_of(400, delta=0.06, per_bin=4)).finish()
        assert cycle.new_labels < 300
        assert cycle.estimates(["precision"])["a", "precision"].result.half_width <= 0.06

    def test_are_the_same_when_planned_again_and_others_with_another_seed(self):
        first, again = cycle_of(survey_of(100)).finish(), cycle_of(survey_of(100)).finish()
        assert [plan.totals for plan in first.plans] == [plan.totals for plan in again.plans]
        other = SurveySpec(budget=100, design="bennett", seed="t")
        assert [plan.totals for plan in cycle_of(other).finish().plans] != [plan.totals for plan in first.plans]

    def test_opt_goes_where_labels_disagree(self):
        """The lower bin is a coin, the upper one always right."""
        says = lambda pattern, number: pattern == "11" or number % 2 == 0  # noqa: E731
        cycle = cycle_of(survey_of(160, bins=2), says).finish()
        patterns = [cycle.design.atoms[atom].pattern for atom in _drawn_atoms(cycle)]
        assert patterns.count("10") > 2 * patterns.count("11")
        even = cycle_of(survey_of(160, bins=2, style="uni"), says).finish()
        patterns = [even.design.atoms[atom].pattern for atom in _drawn_atoms(even)]
        assert 50 < patterns.count("10") < 110

    def test_labels_that_exist_already_are_free(self):
        cycle = cycle_of(survey_of(60), labelled=frozenset(f"i{number}" for number in range(0, 850, 2))).finish()
        assert cycle.new_labels == 60
        assert len(cycle.drawn) > 90

    def test_labels_that_exist_already_do_not_use_up_the_rounds(self):
        """One bin, so that a round is two labels: free ones make more rounds than the budget has pairs."""
        labelled = frozenset(f"i{number}" for number in range(850) if number % 3)
        cycle = cycle_of(survey_of(40, bins=1), labelled=labelled).finish()
        assert cycle.new_labels == 40
        assert 20 < len(cycle.plans) <= cycle.design.sampling_design.max_rounds(cycle.design.survey)

    def test_end_with_the_last_item(self):
        cycle = cycle_of(survey_of(500)).finish()
        assert cycle.new_labels == 400
        found = cycle.estimates(["precision"])["a", "precision"].result
        truth = np.mean([cycle.truth[item] == "yes" for item in cycle.drawn])
        assert found == IntervalEstimate(*[pytest.approx(truth)] * 3, 400)

    def test_a_pool_that_is_too_small_is_listed_as_exhausted(self):
        design = design_of(CENSUS, survey_of(300, bins=1, per_bin=50))
        pools = np.full(design.cells.stratum_count, 20)
        nothing = Cycle(design, mostly)
        nothing.next()
        plan = design.sampling_design.plan(design.cells, design.survey, NO_HISTORY, _first(design), pools)
        assert sorted(plan.totals) == [0, 20]
        assert len(plan.exhausted) == 1

    def test_pools_hold_the_whole_budget_in_every_bin(self):
        survey = survey_of(90)
        assert sorted(pool_sizes(stratify_for_survey(CENSUS, survey), ("a", "b"), survey)) == [30, 90, 90, 90, 90]


class TestEstimates:
    def test_are_the_papers(self):
        cycle = cycle_of(survey_of(100)).finish()
        cells, atoms = cycle.design.cells, _drawn_atoms(cycle)
        yes = [cycle.truth[item] == "yes" for item in sorted(cycle.drawn)]
        strata = cells.strata[np.array(atoms)]
        labels, right = (np.bincount(strata, weights, cells.stratum_count) for weights in (None, yes))
        served = cells.stratum_sizes == 100
        by_hand = estimate_precision(
            *(np.rint(part[served]).astype(int) for part in (cells.stratum_sizes, labels, right))
        )
        estimates = cycle.estimates(["precision"])["a", "precision"]
        assert estimates.result == by_hand
        assert estimates.labels_used == 100

    def test_of_anything_else_are_no_information(self):
        segment = Segment("region", "north")
        cycle = cycle_of(survey_of(100)).finish()
        estimates = cycle.estimates(list(METRICS), [])
        assert {key for key, one in estimates.items() if isinstance(one.result, IntervalEstimate)} == PRECISION_OF_A
        why = "design = 'bennett' does not tell recall of a: only precision of a"
        assert estimates["a", "recall"].result == Undefined(why)
        assert estimates["b", "precision"].result == Undefined(why.replace("recall of a", "precision of b"))
        counts = np.zeros(7, dtype=np.int64)
        counts[3] = 10
        inside = cycle_of(
            survey_of(), census=Census(("a", "b"), CENSUS.patterns, CENSUS.bins, CENSUS.counts, {segment: counts})
        )
        found = inside.finish().estimates(["precision"], [segment])["a", "precision", segment]
        assert found.result == Undefined("design = 'bennett' tells nothing of segments")

    def test_before_a_label_there_is_no_information(self):
        found = cycle_of(survey_of()).estimates(["precision"])["a", "precision"].result
        assert found == Undefined("no item that the classifier calls positive has a label")


class TestForecast:
    def test_is_the_budget_without_a_margin(self):
        plan = _whole(survey_of(100))
        assert plan.labels == 100
        assert set(plan.half_widths) == PRECISION_OF_A

    def test_is_as_many_labels_as_the_margin_needs(self):
        plan = _whole(survey_of(300, delta=0.06))
        assert 20 < plan.labels < 100
        assert 0.055 < plan.half_widths["a", "precision"] <= 0.06

    def test_a_margin_that_the_budget_does_not_reach_spends_it(self):
        plan = _whole(survey_of(100, delta=0.001))
        assert plan.labels == 100
        assert plan.half_widths["a", "precision"] > 0.02

    def test_all_items_are_certain(self):
        assert _whole(survey_of(1000)).half_widths == dict.fromkeys(PRECISION_OF_A, 0)


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"binning": "log"}, "there is no binning 'log'; expected one of equal, perc"),
            ({"style": "best"}, "there is no style 'best'; expected one of uni, pps, opt"),
            ({"bins": 0}, "option 'bins' is too small; expected at least 1; got 0"),
            ({"bins": 10**9}, "option 'bins' is too large; expected at most 1,000; got 1,000,000,000"),
            ({"per_bin": 0}, "option 'per_bin' is too small"),
            ({"per_bin": 10**19}, "option 'per_bin' is too large; expected at most 1,000,000"),
            ({"in_a_row": 0}, "option 'in_a_row' is too small"),
            ({"delta": 1.0}, "option 'delta' is no half-width; expected a number between 0 and 1; got 1"),
            ({"delta": float("nan")}, "option 'delta' is no half-width"),
        ],
    )
    def test_options_that_cannot_be_used(self, options, said):
        with pytest.raises(StratawatchError, match=said):
            design_named("bennett", options)

    def test_a_classifier_that_is_not_there(self):
        with pytest.raises(StratawatchError, match="there is no classifier 'c'; expected one of a, b"):
            stratify_for_survey(CENSUS, survey_of(classifier="c"))

    @pytest.mark.parametrize("goal", [Goal("recall", 0.05), Goal("precision", 0.03)])
    def test_a_goal_for_more_than_the_precision_of_one(self, goal):
        survey = SurveySpec(goals=(goal,), budget=100, design="bennett")
        with pytest.raises(PlanImpossible, match="design = 'bennett' does not tell"):
            stratify_for_survey(CENSUS, survey)

    def test_a_goal_that_the_rule_stops_short_of(self):
        goal = Goal("precision", 0.03, classifiers=("a",))
        with pytest.raises(PlanImpossible, match=r"stops at plus-minus 0.05, before a goal of 0.03 holds"):
            stratify_for_survey(
                CENSUS, SurveySpec(goals=(goal,), budget=100, design="bennett", options={"delta": 0.05})
            )
        assert stratify_for_survey(
            CENSUS, SurveySpec(goals=(goal,), budget=100, design="bennett", options={"delta": 0.03})
        )


def test_warnings_say_what_stopping_and_spending_cost():
    assert "as few as 81% above" in design_named("bennett", {"delta": 0.03}).warnings[0]
    assert "as few as 87% above" in design_named("bennett").warnings[0]
    assert len(design_named("bennett", {"bins": 1}).warnings) == 2


def _bins(atoms) -> list[int]:
    """Items of the strata of what a calls positive."""
    strata = {atom.stratum for atom in atoms if atom.pattern[0] == "1"}
    return [sum(atom.size for atom in atoms if atom.stratum == stratum) for stratum in strata]


def _drawn_atoms(cycle) -> list[int]:
    """The atoms of the drawn items."""
    atoms = dict(zip(cycle.design.candidates.items, cycle.design.candidates.atoms.tolist(), strict=True))
    return [atoms[item] for item in sorted(cycle.drawn)]


def _whole(survey):
    cells = Cells.of_atoms(CENSUS.classifiers, stratify_for_survey(CENSUS, survey))
    return design_named("bennett", survey.options).plan_all_rounds(cells, survey, NO_HISTORY, list(METRICS))


def _first(design):
    nothing = np.zeros(design.cells.stratum_count, dtype=np.int64)
    return LabelsSoFar(1, nothing, np.zeros(len(design.atoms)), np.zeros(len(design.atoms)))
