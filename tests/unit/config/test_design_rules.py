"""What a design can tell, checked where it is chosen."""

import pytest

from stratawatch.config import load

KUMAR = ("budget = 120", 'budget = 120\ndesign = "kumar"')
BENNETT = ("budget = 120", 'budget = 120\ndesign = "bennett"')


def options(*lines: str) -> tuple[str, str]:
    return "[panels.spam.source]", "\n".join(["[panels.spam.options]", *lines, "", "[panels.spam.source]"])


class TestOptions:
    def test_are_read_as_they_are_written(self, write):
        spec = load(write(KUMAR, options('classifier = "rf"', 'allocation = "OPT-A2"', "doubt = 0.5"))).panels["spam"]
        assert (spec.design, dict(spec.options)) == (
            "kumar",
            {"classifier": "rf", "allocation": "OPT-A2", "doubt": 0.5},
        )

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("strata = 4.5", "option 'strata' of design = 'kumar' cannot be read; expected a whole number; got 4.5"),
            ('strata = "four"', "expected a whole number; got 'four'"),
            ("stratum = 4", "design = 'kumar' has no option 'stratum'; expected one of classifier, stratifier"),
            ('allocation = "NEYMAN"', "there is no allocation 'NEYMAN'; expected one of PRO, EQU, OPT-A1, OPT-A2"),
            ('classifier = "rff"', "there is no classifier 'rff'; did you mean 'rf'?"),
        ],
    )
    def test_that_cannot_be_used_are_told_with_their_place(self, problems, line, said):
        (found,) = problems(KUMAR, options(line))
        assert found.startswith("panels.spam.options")
        assert said in found


class TestMetrics:
    def test_a_goal_that_the_design_does_not_tell_is_refused(self, problems):
        (found,) = problems(KUMAR, ('metric = "precision"\nmargin', 'metric = "recall"\nmargin'))
        assert "goals[1].metric" in found
        assert (
            "design = 'kumar' does not tell recall: only labels say what it is a share of; "
            "leave the goal out, or choose another design"
        ) in found

    def test_a_limit_is_as_good_as_a_goal(self, problems):
        (found,) = problems(KUMAR, ('metric = "precision"\nfloor', 'metric = "recall"\nfloor'))
        assert "limits[1].metric" in found
        assert "leave the limit out" in found

    def test_it_may_depend_on_the_classifier(self, write, problems):
        """The goal is for all, the limit for lr."""
        (found,) = problems(BENNETT)
        assert "design = 'bennett' does not tell precision of rf: only precision of lr" in found
        assert load(write(BENNETT, ("margin = 0.05", 'margin = 0.05\nof = ["lr"]'))).panels["spam"].design == "bennett"
        both = problems(BENNETT, options('classifier = "rf"'))
        assert [problem.split(",")[0] for problem in both] == [
            "panels.spam.goals[1].metric",
            "panels.spam.limits[1].metric",
        ]

    def test_nothing_is_said_twice_where_the_design_cannot_be_made(self, problems):
        assert len(problems(BENNETT, options("bins = 0"))) == 1
        assert len(problems(BENNETT, options('classifier = "rff"'))) == 1
        assert len(problems(("budget = 120", 'budget = 120\ndesign = "random"'))) == 1
