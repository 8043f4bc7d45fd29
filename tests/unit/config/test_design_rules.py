"""What a design can tell, checked where it is chosen."""

import pytest

from stratawatch.config.loading import load_configuration

KUMAR = ("budget = 120", 'budget = 120\ndesign = "kumar"')
BENNETT = ("budget = 120", 'budget = 120\ndesign = "bennett"')
TRIPATHI = ("budget = 120", 'budget = 120\ndesign = "tripathi"')


def options(*lines: str) -> tuple[str, str]:
    return "[panels.spam.source]", "\n".join(["[panels.spam.options]", *lines, "", "[panels.spam.source]"])


class TestOptions:
    def test_are_read_as_they_are_written(self, write):
        spec = load_configuration(
            write(KUMAR, options('classifier = "rf"', 'allocation = "OPT-A2"', "pseudo_labels = 0.5"))
        ).panels["spam"]
        assert (spec.design, dict(spec.options)) == (
            "kumar",
            {"classifier": "rf", "allocation": "OPT-A2", "pseudo_labels": 0.5},
        )

    def test_that_have_a_new_name_are_read_by_the_old_one(self, write):
        found = load_configuration(write(KUMAR, options("doubt = 0.5")))
        assert dict(found.panels["spam"].options) == {"pseudo_labels": 0.5}
        assert "'doubt' is called 'pseudo_labels' now" in str(found.notices[0])

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("strata = 4.5", "option 'strata' of design = 'kumar' cannot be read; expected a whole number; got 4.5"),
            ('strata = "four"', "expected a whole number; got 'four'"),
            ("stratum = 4", "design = 'kumar' has no option 'stratum'; expected one of classifier, share, stratifier"),
            ('allocation = "NEYMAN"', "there is no allocation 'NEYMAN'; expected one of PRO, EQU, OPT-A1, OPT-A2"),
            ('classifier = "rff"', "there is no classifier 'rff'; did you mean 'rf'?"),
        ],
    )
    def test_that_cannot_be_used_are_told_with_their_place(self, problem, line, said):
        found = problem(KUMAR, options(line))
        assert found.startswith("panels.spam.options")
        assert said in found

    @pytest.mark.parametrize(
        "line", ["pseudo_labels = nan", "pseudo_labels = [1]", "pseudo_labels = 2026-01-05", "pseudo_labels = inf"]
    )
    def test_that_are_no_numbers_are_one_problem(self, problem, line):
        found = problem(KUMAR, options(line))
        assert found.startswith("panels.spam.options")
        assert "'pseudo_labels'" in found


class TestWishes:
    """What every cycle would refuse is refused before the first."""

    @pytest.mark.parametrize(
        ("design", "lines", "said"),
        [
            (
                BENNETT,
                ["delta = 0.1"],
                "stops at plus-minus 0.1, before a goal of 0.05 holds; expected option 'delta' of",
            ),
            (
                KUMAR,
                ['allocation = "OPT-A1"', "n_ini = 16"],
                "120 labels do not give 16 to each of 8 strata; expected at",
            ),
            (KUMAR, ["strata = 61"], "120 labels do not give 2 to each of 61 strata; expected at least 122; raise the"),
            (
                TRIPATHI,
                ["omission_share = 0.999"],
                "leaves 0 of 120 labels to precisions; expected at least one for each of 2",
            ),
            (TRIPATHI, ["omission_share = 0.99"], "leaves 1 of 120 labels to precisions"),
        ],
    )
    def test_that_contradict_the_options_are_refused(self, problem, design, lines, said):
        found = problem(design, options(*lines), ("margin = 0.05", 'margin = 0.05\nclassifiers = ["lr"]'))
        assert found.startswith("panels.spam.options")
        assert said in found

    def test_a_budget_may_be_too_small_for_the_usual_strata(self, problems, problem):
        found = problem(("budget = 120", 'budget = 15\ndesign = "kumar"'))
        assert found.startswith("panels.spam.design")
        assert "15 labels do not give 2 to each of 8 strata" in found
        assert len(problems(("budget = 120", 'budget = 5\ndesign = "kumar"'))) == 1

    def test_calls_without_a_score_are_one_stratum(self, write):
        calls = ('score = "score_lr"\n', "")
        assert (
            load_configuration(write(("budget = 120", 'budget = 15\ndesign = "kumar"'), calls)).panels["spam"].budget
            == 15
        )


class TestMetrics:
    def test_a_goal_that_the_design_does_not_tell_is_refused(self, problem):
        found = problem(KUMAR, ('metric = "precision"\nmargin', 'metric = "recall"\nmargin'))
        assert "goals[1].metric" in found
        assert (
            "design = 'kumar' does not tell recall: only labels say what it is a share of; "
            "leave the goal out, or choose another design"
        ) in found

    def test_a_limit_is_as_good_as_a_goal(self, problem):
        found = problem(KUMAR, ('metric = "precision"\nfloor', 'metric = "recall"\nfloor'))
        assert "limits[1].metric" in found
        assert "leave the limit out" in found

    def test_it_may_depend_on_the_classifier(self, write, problems, problem):
        """The goal is for all, the limit for lr."""
        assert "design = 'bennett' does not tell precision of rf: only precision of lr" in problem(BENNETT)
        assert (
            load_configuration(write(BENNETT, ("margin = 0.05", 'margin = 0.05\nclassifiers = ["lr"]')))
            .panels["spam"]
            .design
            == "bennett"
        )
        both = problems(BENNETT, options('classifier = "rf"'))
        assert [problem.split(",")[0] for problem in both] == [
            "panels.spam.goals[1].metric",
            "panels.spam.limits[1].metric",
        ]

    def test_nothing_is_said_twice_where_the_design_cannot_be_made(self, problems):
        assert len(problems(BENNETT, options("bins = 0"))) == 1
        assert len(problems(BENNETT, options('classifier = "rff"'))) == 1
        assert len(problems(("budget = 120", 'budget = 120\ndesign = "random"'))) == 1


class TestRecycledSamples:
    def test_name_a_parent_of_the_panel(self, write, problem):
        spec = load_configuration(write(TRIPATHI, options('parent = "rf"', "omission_share = 0.3"))).panels["spam"]
        assert dict(spec.options) == {"parent": "rf", "omission_share": 0.3}
        assert "there is no classifier 'rff'; did you mean 'rf'?" in problem(TRIPATHI, options('parent = "rff"'))

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ('mixing = "shuffle"', "no mixing is called 'shuffle'; expected uniform_shuffle or uniform_sample"),
            ("at_least = 1", "expected a least precision from 0 to below 1"),
            ("omission_share = 1.5", "'omission_share' must leave a part of the budget to precisions"),
            ("parent = 1", "option 'parent' of design = 'tripathi' cannot be read; expected a word; got 1"),
        ],
    )
    def test_have_options_that_are_checked(self, problem, line, said):
        found = problem(TRIPATHI, options(line))
        assert found.startswith("panels.spam.options")
        assert said in found

    def test_tell_three_metrics(self, problem):
        found = problem(TRIPATHI, ('metric = "precision"\nmargin', 'metric = "f1"\nmargin'))
        assert "design = 'tripathi' does not tell F1" in found


class TestSegments:
    LIMIT = ("floor = 0.8", 'floor = 0.8\nsegment = "country=DE"')

    @pytest.mark.parametrize("design", [BENNETT, TRIPATHI])
    def test_a_limit_inside_one_is_refused_where_they_are_not_told(self, problems, design):
        found = problems(design, self.LIMIT, ("margin = 0.05", 'margin = 0.05\nclassifiers = ["lr"]'))
        assert len(found) == 1
        assert found[0].startswith("panels.spam.limits[1].segment")
        assert "tells nothing of segments; leave the limit out, or choose another design" in found[0]

    def test_and_taken_where_they_are(self, write):
        assert load_configuration(write(KUMAR, self.LIMIT)).panels["spam"].limits[0].segment


class TestVariance:
    BRR = ("budget = 120", 'budget = 120\nvariance = "brr"')

    def test_of_another_design_is_refused(self, problem):
        found = problem(("budget = 120", 'budget = 120\ndesign = "kumar"\nvariance = "brr"'))
        assert found.startswith("panels.spam.variance")
        assert "variance = 'brr' is not one of the estimates of design = 'kumar'; expected design = 'joint'" in found
        assert "leave the variance out" in found

    def test_of_its_own_is_taken(self, write):
        assert load_configuration(write(self.BRR)).panels["spam"].variance == "brr"
