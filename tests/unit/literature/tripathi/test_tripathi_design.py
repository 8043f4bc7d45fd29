import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.designs import design_named
from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes, stratify_for_survey
from stratawatch.core.estimate import Undefined
from stratawatch.core.goals import Goal
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.population import Candidates, Census, Segment
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.literature.tripathi.tripathi_design import TripathiDesign
from tests.support.tripathi_cycle import CENSUS, NAMES, design_of, drawn, estimates_of, pattern_of, survey

SERVED = ("precision", "recall", "false_omission_rate")


class TestOptions:
    def test_have_values_that_do_not_fail_silently(self):
        assert TripathiDesign() == TripathiDesign(parent="", mixing="uniform_shuffle", at_least=0.5, omission_share=0.5)

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"mixing": "shuffle"}, "no mixing is called 'shuffle'; expected uniform_shuffle or uniform_sample"),
            ({"at_least": 1}, "expected a least precision from 0 to below 1"),
            ({"omission_share": 1.0}, "'omission_share' must leave a part of the budget to precisions"),
            ({"omission_share": -0.1}, "expected a number from 0 to below 1; got -0.1"),
            ({"anchor": "a"}, "no option 'anchor'; expected one of parent, mixing, at_least, omission_share"),
            ({"parent": 1}, "option 'parent' of design = 'tripathi' cannot be read; expected a word"),
        ],
    )
    def test_are_refused_where_they_mean_nothing(self, options, said):
        with pytest.raises(StratawatchError, match=said):
            design_named("tripathi", options)

    def test_name_the_parent(self):
        assert TripathiDesign(parent="lr").classifiers_named == ("lr",)
        assert TripathiDesign().classifiers_named == ()


class TestPlan:
    def test_is_one_round(self):
        design = design_of()
        first = design.plan(design.survey, VerdictsByItem({}), (), ordinal=1)
        items = [design.candidates.items[row] for row in design.draw(first)]
        again = design.plan(design.survey, VerdictsByItem(dict.fromkeys(items, "no")), items, ordinal=2)
        assert design.sampling_design.max_rounds(design.survey) == 1
        assert again.totals == first.totals

    def test_is_the_same_whatever_labels_exist_already(self):
        design = design_of()
        first = design.plan(design.survey, VerdictsByItem({}), (), ordinal=1)
        labels = VerdictsByItem(dict.fromkeys(design.candidates.items[::3], "yes"))
        assert design.plan(design.survey, labels, (), ordinal=1) == first

    def test_takes_what_a_short_pool_has_and_says_so(self):
        whole = design_of()
        asked = np.array(whole.plan(whole.survey, VerdictsByItem({}), (), ordinal=1).totals)
        short = int(asked.argmax())
        homes = whole.cells.strata[whole.candidates.atoms]
        kept = np.flatnonzero(homes != short).tolist()
        kept += np.flatnonzero(homes == short)[:5].tolist()
        candidates = Candidates(
            tuple(whole.candidates.items[row] for row in kept),
            whole.candidates.atoms[kept],
            tuple(whole.candidates.digests[row] for row in kept),
        )
        design = FrozenDesign(NAMES, whole.atoms, candidates, whole.survey)
        plan = design.plan(design.survey, VerdictsByItem({}), (), ordinal=1)
        assert plan.exhausted == (short,)
        assert plan.totals[short] == 5
        found = design.estimate(
            VerdictsByItem(dict.fromkeys(drawn(design), "yes")), drawn(design), metrics=["precision"]
        )
        assert {one.result.value for one in found} == {1.0}

    def test_pools_hold_it(self):
        asked = survey(300)
        atoms = stratify_for_survey(CENSUS, asked)
        pools = np.array(pool_sizes(atoms, NAMES, asked))
        cells = Cells.of_atoms(NAMES, atoms)
        assert (pools >= TripathiDesign().max_totals(cells, asked, NO_HISTORY)).all()


class TestForecast:
    def test_is_the_width_if_labels_come_as_expected(self):
        """Labels thrown by the rates: the mean half-width of many cycles is the forecast, within a tenth."""
        design = design_of(survey(500, parent="b"))
        forecast = design.plan(design.survey, VerdictsByItem({}), (), ordinal=1).half_widths
        items = drawn(design)
        rates = [design.atoms[int(design.candidates.atoms[int(item[1:])])].mean_score for item in items]
        rng = np.random.default_rng(4)
        widths = {key: [] for key in forecast}
        for _ in range(60):
            says = dict(zip(items, np.where(rng.random(len(items)) < rates, "yes", "no").tolist(), strict=True))
            for key, one in estimates_of(design, says).items():
                if key in widths:
                    widths[key].append(one.result.half_width)
        assert {metric for _, metric in forecast} == set(SERVED)
        for key, found in widths.items():
            assert np.mean(found) == pytest.approx(forecast[key], rel=0.1)

    def test_more_labels_are_narrower(self):
        few, many = (
            design.sampling_design.plan_all_rounds(design.cells, design.survey, NO_HISTORY, SERVED).half_widths
            for design in (design_of(survey(budget, parent="b")) for budget in (150, 900))
        )
        assert all(many[key] < few[key] for key in few)

    def test_has_what_is_asked_for_only(self):
        design = design_of()
        found = design.sampling_design.plan_all_rounds(design.cells, design.survey, NO_HISTORY, ("precision", "f1"))
        assert set(found.half_widths) == {(name, "precision") for name in NAMES}


class TestWhatItDoesNotServe:
    @pytest.mark.parametrize("metric", ["f1", "accuracy", "specificity", "prevalence"])
    def test_is_undefined_with_the_reason(self, metric):
        design = design_of()
        (one, *_) = design.estimate(
            VerdictsByItem(dict.fromkeys(drawn(design), "yes")), drawn(design), metrics=[metric]
        )
        assert isinstance(one.result, Undefined)
        assert one.result.reason.startswith("design = 'tripathi' does not tell ")

    def test_segments_are_undefined(self):
        design = design_of()
        found = design.estimate(
            VerdictsByItem(dict.fromkeys(drawn(design), "yes")), drawn(design), segments=[Segment("country", "DE")]
        )
        inside = {one.result for one in found if one.segment}
        assert inside == {Undefined("design = 'tripathi' tells nothing of segments")}

    def test_a_goal_for_it_is_refused_before_any_label(self):
        with pytest.raises(PlanImpossible, match="design = 'tripathi' does not tell F1"):
            stratify_for_survey(CENSUS, survey(300, goals=(Goal("f1", 0.05),)))

    def test_goals_without_a_budget_are_refused(self):
        with pytest.raises(PlanImpossible, match='design = "tripathi" does not know how many labels goals need'):
            stratify_for_survey(CENSUS, type(survey())(stop_at_goals=True, design="tripathi"))


def test_classifiers_are_compared_on_the_same_items():
    design = design_of(survey(600, parent="b"))
    truth = {item: "yes" if int(item[1:]) % 3 else "no" for item in design.candidates.items}
    says = {item: truth[item] for item in drawn(design)}
    found = design.compare(VerdictsByItem(says), says, "a", "b", "precision").result
    first, second = (
        np.mean([truth[item] == "yes" for item in truth if pattern_of(design, item)[place] == "1"]) for place in (0, 1)
    )
    assert found.value == pytest.approx(first - second, abs=0.05)


def test_a_population_of_positives_only_has_no_omissions():
    census = Census(("a", "b"), ("10", "11"), np.array([800, 900]), np.array([400, 600]))
    design = design_of(survey(200, parent="a"), census)
    says = dict.fromkeys(drawn(design), "yes")
    found = estimates_of(design, says)
    assert found["a", "precision"].result.value == 1
    assert found["a", "false_omission_rate"].result == Undefined("it calls no item negative")


def test_what_was_measured_is_said_of_the_mixing_that_is_chosen():
    first, again = TripathiDesign(mixing="uniform_sample").warnings
    assert TripathiDesign().warnings == (first,)
    assert "half-widths came out 1.4 times as large" in first
    assert again.startswith("Mixing 'uniform_sample' of design = 'tripathi' makes precision 16 to 17% wider")
