"""Every design in a study: to the last label, saved half-way, and told what it cannot tell."""

import numpy as np
import pytest

from stratawatch.core.designs import DESIGNS
from stratawatch.core.goals import Goal
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.study import Study
from tests.support.study_frames import StudyData

CHOICES = {
    "srs": ("srs", {}),
    "kumar PRO": ("kumar", {}),
    "kumar EQU": ("kumar", {"allocation": "EQU", "stratifier": "EQWD"}),
    "kumar OPT-A1": ("kumar", {"allocation": "OPT-A1"}),
    "kumar OPT-A2": ("kumar", {"allocation": "OPT-A2", "doubt": 0.0, "n_step": 30}),
    "bennett": ("bennett", {"per_bin": 5}),
    "bennett to a margin": ("bennett", {"delta": 0.08, "per_bin": 5, "style": "pps", "binning": "equal"}),
}
CHOSEN = pytest.mark.parametrize("choice", CHOICES)


@pytest.fixture(scope="module")
def study_data() -> StudyData:
    return StudyData()


def begun(study_data, choice, **settings) -> Study:
    design, options = CHOICES[choice]
    return study_data.study(**{"design": design, "options": options, "budget": 150, **settings})


@CHOSEN
def test_a_study_asks_within_its_budget_and_ends(study_data, choice):
    study = begun(study_data, choice)
    batches = study_data.answer(study)
    asked = [item for batch in batches for item in batch]
    assert study.done
    assert len(asked) == len(set(asked)) == study.labels_new <= 150
    assert study.labels_new == 150 or "margin" in choice
    assert len(batches) == len({tuple(batch) for batch in batches})


@CHOSEN
def test_rounds_are_as_many_as_the_design_says(study_data, choice):
    rounds = len(study_data.answer(begun(study_data, choice)))
    allowed = {"srs": 1, "kumar PRO": 1, "kumar EQU": 1, "kumar OPT-A1": 2, "kumar OPT-A2": 1 + 4}
    assert rounds == allowed.get(choice, rounds)
    assert rounds > 2 or choice in allowed


@CHOSEN
def test_a_study_that_is_saved_half_way_goes_on_as_it_would_have(study_data, choice):
    one = begun(study_data, choice)
    saved, texts = [one.ask()], [one.to_json()]
    while not one.done:
        one.tell({item: study_data.truth(item) for item in one.ask()})
        texts.append(one.to_json())
        saved.append(one.ask())
    half = len(texts) // 2
    other = Study.from_json(texts[half], study_data.frame())
    assert other.ask() == saved[half]
    study_data.answer(other)
    assert other.estimates(["accuracy", "precision"]) == one.estimates(["accuracy", "precision"])


@CHOSEN
def test_the_seed_decides_everything(study_data, choice):
    first, again, other = (begun(study_data, choice, seed=seed) for seed in (3, 3, 4))
    assert study_data.answer(first) == study_data.answer(again) != study_data.answer(other)


@CHOSEN
def test_the_plan_and_the_study_say_what_was_measured(study_data, choice):
    study = begun(study_data, choice)
    text = repr(study.plan())
    assert bool(study.warnings) is (choice != "srs")
    assert all(warning in text for warning in study.warnings)


@CHOSEN
def test_labels_of_an_earlier_study_are_not_asked_for_again(study_data, choice):
    first = begun(study_data, choice, seed=3)
    study_data.answer(first)
    second = begun(study_data, choice, seed=3, history=first.history())
    batches = study_data.answer(second)
    asked = {item for batch in batches for item in batch}
    assert asked.isdisjoint(row.item for row in first.history().rows)
    assert second.labels_new <= 150


@pytest.mark.parametrize("design", DESIGNS)
def test_a_budget_beyond_all_items_is_one_of_all_items(design):
    small = StudyData(items=120)
    asked = [[i for batch in small.answer(small.study(design=design, budget=n)) for i in batch] for n in (120, 2**70)]
    assert asked[0] == asked[1]
    assert asked[0]


def test_options_may_be_numbers_of_numpy(study_data):
    plain = {"strata": 4, "doubt": 0.5, "allocation": "OPT-A1"}
    from_numpy = {"strata": np.int64(4), "doubt": np.float32(0.5), "allocation": np.str_("OPT-A1")}
    studies = [study_data.study(design="kumar", options=options, budget=100) for options in (plain, from_numpy)]
    assert studies[0].to_json() == studies[1].to_json()


class TestRefusals:
    def test_rounds_until_goals_hold_are_named(self, study_data):
        with pytest.raises(
            PlanImpossible, match="expected a budget, to be spent; got a stop rule that waits for goals"
        ):
            begun(study_data, "srs", stop_rule="sequential")

    def test_a_budget_is_wanted(self, study_data):
        for choice in CHOICES:
            with pytest.raises(PlanImpossible, match="does not know how many labels goals need"):
                begun(study_data, choice, budget=None)

    @pytest.mark.parametrize(
        ("choice", "goal", "said"),
        [
            ("kumar PRO", Goal("recall", 0.05), "design = 'kumar' does not tell recall"),
            ("bennett", Goal("precision", 0.05), "does not tell precision of vote: only precision of lr"),
            ("bennett", Goal("accuracy", 0.05, classifiers=("lr",)), "does not tell accuracy of lr"),
        ],
    )
    def test_goals_that_a_design_cannot_tell(self, study_data, choice, goal, said):
        with pytest.raises(PlanImpossible, match=said):
            begun(study_data, choice, goals=[goal])

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"bins": "four"}, "option 'bins' of design = 'bennett' cannot be read; expected a whole number"),
            ({"bin": 4}, "design = 'bennett' has no option 'bin'"),
            ({"classifier": "tree"}, "the options of the design name the unknown classifier 'tree'"),
            ([("bins", 4)], "the options of the design cannot be read"),
        ],
    )
    def test_options_that_cannot_be_used(self, study_data, options, said):
        with pytest.raises(StratawatchError, match=said):
            study_data.study(design="bennett", options=options, budget=100)


def test_what_is_not_told_is_undefined_and_why(study_data):
    study = begun(study_data, "bennett")
    study_data.answer(study)
    told = {(row.classifier, row.metric): row for row in study.estimates()}
    assert told["lr", "precision"].value is not None
    assert told["vote", "precision"].state == "undefined"
    assert (
        told["vote", "precision"].reason == "design = 'bennett' does not tell precision of vote: only precision of lr"
    )
    assert told["lr", "recall"].value is None
