"""[budget]: what is read of it, and what is refused."""

import pytest

from stratawatch.config.loading import load_configuration
from stratawatch.wiring import shared_budget

SHARED = '\n[budget]\nlabels = {labels}\nper = "{per}"\n'
OWN = "budget = 120"


class TestABudgetOfSeveralPanels:
    def test_is_read_with_the_floor_and_the_priority_of_each(self, write):
        path = write((OWN, f"{OWN}\nfloor = 40\npriority = 2"), more=SHARED.format(labels=200, per="month"))
        budget = shared_budget(load_configuration(path).settings)
        assert (budget.labels, budget.per, budget.floor("spam"), budget.priority("spam")) == (200, "month", 40, 2)

    def test_is_not_there_without_its_section(self, write):
        assert shared_budget(load_configuration(write()).settings) is None

    def test_leaves_the_specification_of_a_panel_as_it_is(self, write):
        alone = load_configuration(write()).panels
        path = write((OWN, f"{OWN}\nfloor = 40\npriority = 2"), more=SHARED.format(labels=200, per="week"))
        assert load_configuration(path).panels == alone

    @pytest.mark.parametrize(
        ("line", "more", "said"),
        [
            ("floor = 40", "", "`floor` is about a budget that panels share"),
            ("priority = 1", "", "`priority` is about a budget that panels share"),
            ("floor = 121", SHARED.format(labels=900, per="week"), "the floor is more than the panel's own budget"),
            ("floor = 41", SHARED.format(labels=200, per="month"), "may end in one month are more than the budget"),
            ("", SHARED.format(labels=9, per="week"), "labels"),
            ("", SHARED.format(labels=900, per="year"), "per"),
        ],
    )
    def test_has_its_mistakes_told(self, problem, line, more, said):
        assert said in problem((OWN, f"{OWN}\n{line}"), more=more)

    def test_leaves_paused_panels_out_of_the_floors(self, write):
        lines = f"{OWN}\nfloor = 100\npaused = true"
        load_configuration(write((OWN, lines), more=SHARED.format(labels=50, per="week")))

    def test_has_floors_that_the_design_can_be_drawn_with(self, problem):
        lines = f'{OWN}\ndesign = "kumar"\nfloor = 10'
        said = problem((OWN, lines), more=SHARED.format(labels=900, per="week"))
        assert "panels.spam.floor" in said
        assert "10 labels do not give 2 to each of 8 strata; expected at least 16" in said
