"""A window is reported by the panel as it was then: today's configuration is that of the next cycle."""

import pytest

from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import Goal
from stratawatch.core.population import Atom
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.report.page import panel_page
from stratawatch.report.view import build
from tests.support.report_quarter import NOW, Memory, cycle, estimate, spec

ATOMS = (Atom("10", 0, 1, 3_000, 0.9), Atom("01", 0, 1, 7_000, 0.5), Atom("00", 0, 1, 90_000, 0.1))


def panel(*names, **changes):
    """A panel of these classifiers, in this order."""
    return spec(
        classifiers=tuple(ClassifierSpec(name, f"score_{name}", call=f"pred_{name}") for name in names), **changes
    )


def judged(confidence=0.95, **changes):
    """One window of a panel of lr, which calls 3000 items positive, and nb, which calls 7000 so."""
    memory = Memory(panel("lr", "nb", confidence=confidence, **changes), atoms=ATOMS)
    memory.judge(
        cycle(0),
        [
            estimate(name, "precision", IntervalEstimate(0.8, 0.77, 0.83, 400), confidence=confidence)
            for name in ("lr", "nb")
        ],
    )
    return memory


def separate(view):
    return {need.classifier: need.separate for need in view.cost.needs}


@pytest.fixture
def then():
    memory = judged()
    return build(memory, memory.panel, NOW)


def plain(domain):
    """Labels for .8 known to three points, by hand."""
    n = 1.959964**2 * 0.16 / 0.03**2
    return round(n / (1 + (n - 1) / domain))


class TestClassifiers:
    def test_costs_are_those_of_the_domain_of_each(self, then):
        assert separate(then) == {"lr": plain(3_000), "nb": plain(7_000)}

    @pytest.mark.parametrize("names", [("lr", "nb", "gbt"), ("gbt", "lr", "nb"), ("nb", "lr"), ("nb",), ("gbt",)])
    def test_added_removed_or_reordered_later_change_no_cost_of_an_old_window(self, then, names):
        assert build(judged(), panel(*names), NOW).cost == then.cost

    def test_an_added_one_is_on_the_scorecard_and_says_that_it_was_not_estimated(self):
        view = build(judged(), panel("lr", "nb", "gbt"), NOW)
        score = next(s for s in view.scores if (s.classifier, s.metric) == ("gbt", "precision"))
        assert (score.estimate, score.reason) == (None, "it was not estimated in this window")
        assert "it was not estimated in this window" in panel_page(view)

    def test_a_removed_one_leaves_the_scorecard(self):
        view = build(judged(), panel("nb"), NOW)
        assert {score.classifier for score in view.scores} == {"nb"}

    def test_reordered_ones_keep_their_values_in_todays_order(self, then):
        view = build(judged(), panel("nb", "lr"), NOW)
        assert [s.classifier for s in view.scores if s.estimate] == ["nb", "lr"]
        assert {s.classifier: s.estimate for s in view.scores if s.estimate} == {
            s.classifier: s.estimate for s in then.scores if s.estimate
        }


class TestSettings:
    def test_an_interval_keeps_the_confidence_it_was_made_with(self):
        view = build(judged(confidence=0.9), panel("lr", "nb", confidence=0.99), NOW)
        assert view.method.confidence == 0.9
        page = panel_page(view)
        assert "Interval 90%" in page
        assert "99%" not in page

    def test_costs_are_for_intervals_of_that_confidence(self):
        memory = judged(confidence=0.9)
        assert build(memory, panel("lr", "nb", confidence=0.99), NOW).cost == build(memory, memory.panel, NOW).cost

    def test_goals_and_promised_pages_are_those_of_the_window(self):
        memory = judged(false_pages_per_year=4.0)
        view = build(memory, panel("lr", "nb", goals=(Goal("false_omission_rate", 0.01),)), NOW)
        assert view.method.goals == memory.panel.goals
        assert view.method.false_pages_per_year == 4.0
        assert [need.metric for need in view.cost.needs] == ["precision", "precision"]

    def test_before_the_first_window_they_are_todays(self):
        today = panel("lr", "nb", confidence=0.9)
        assert build(Memory(today), today, NOW).method.confidence == 0.9
