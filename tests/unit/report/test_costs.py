"""Plain random sampling, by hand arithmetic."""

import pytest

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.goals import Goal
from stratawatch.core.population import Atom
from stratawatch.report.costs import domain_labels
from stratawatch.report.view import build
from tests.support.report_quarter import NOW, Memory, cycle, estimate, spec

ATOMS = (Atom("1000", 0, 1, 10_000, 0.9), Atom("0000", 0, 1, 90_000, 0.1))


def cost(*estimates):
    memory = Memory(spec(), atoms=ATOMS)
    memory.judge(cycle(0), estimates)
    return build(memory, memory.panel, NOW).cost


def told(value, half, n_eff=400.0):
    return IntervalEstimate(value, value - half, value + half, n_eff)


class TestDomainLabels:
    def test_a_half_known_to_three_points_takes_1067_labels(self):
        # 1.95996^2 * .25 / .03^2 = 1067.07
        assert domain_labels(told(0.5, 0.03), 1e12, 0.95) == pytest.approx(1067.07, abs=0.01)

    def test_a_finite_domain_needs_fewer(self):
        # 1067.07 / (1 + 1066.07 / 1000) = 516.5
        assert domain_labels(told(0.5, 0.03), 1000, 0.95) == pytest.approx(516.5, abs=0.1)

    def test_never_asks_for_more_than_there_are(self):
        assert domain_labels(told(0.5, 0.0001), 50, 0.95) <= 50

    def test_a_value_near_the_end_needs_what_its_length_does(self):
        """Wilson's end of n labels without an event: z^2/(n + z^2) = .01, so n = 3.8415/.01 - 3.8415."""
        assert domain_labels(IntervalEstimate(0.0, 0.0, 0.01, 368), 1e12, 0.95) == pytest.approx(380.3, abs=0.1)
        assert domain_labels(IntervalEstimate(0.999, 0.865, 1.0, 10), 1e12, 0.95) == pytest.approx(25, abs=0.5)


THREE = (
    estimate("lr", "precision", told(0.8, 0.03)),
    estimate("lr", "recall", told(0.7, 0.05)),
    estimate("lr", "false_omission_rate", told(0.02, 0.005)),
)


class TestCost:
    def test_one_sample_of_everything_is_larger_by_the_share_of_the_domain(self):
        found = cost(estimate("lr", "precision", told(0.8, 0.03)))
        own = 1.959964**2 * 0.16 / 0.03**2
        own = own / (1 + (own - 1) / 10_000)
        assert found.needs[0].separate == round(own)
        assert found.needs[0].shared == round(own * 10)

    def test_recall_is_sampled_from_everything_in_both_ways(self):
        found = cost(*THREE)
        recall = next(need for need in found.needs if need.metric == "recall")
        positives = 0.8 * 10_000 + 0.02 * 90_000
        own = 1.959964**2 * 0.21 / 0.05**2
        assert recall.separate == recall.shared == round(own / (1 + (own - 1) / positives) * 100_000 / positives)

    def test_separate_samples_add_up_and_a_shared_one_is_the_largest(self):
        found = cost(*THREE)
        assert found.separate == sum(need.separate for need in found.needs)
        assert found.shared == max(need.shared for need in found.needs)

    def test_only_metrics_with_a_goal_are_compared(self):
        found = cost(
            estimate("lr", "precision", told(0.8, 0.03)), estimate("lr", "false_omission_rate", told(0.02, 0.005))
        )
        assert [need.metric for need in found.needs] == ["precision"]

    def test_goals_that_could_not_be_told_are_counted_and_left_out(self):
        found = cost(estimate("lr", "precision", told(0.8, 0.03)), estimate("nb", "precision", Undefined("no label")))
        assert len(found.needs) == 1
        assert found.undefined_goals == 7  # precision and recall of four classifiers are wanted

    def test_recall_cannot_be_costed_without_the_number_of_positives(self):
        found = cost(estimate("lr", "precision", told(0.8, 0.03)), estimate("lr", "recall", told(0.7, 0.05)))
        assert [need.metric for need in found.needs] == ["precision"]

    def test_a_metric_whose_domain_is_not_known_is_left_out(self):
        memory = Memory(spec(goals=(Goal("f1", 0.03),)), atoms=ATOMS)
        memory.judge(cycle(0), [estimate("lr", "f1", told(0.8, 0.03))])
        assert build(memory, memory.panel, NOW).cost is None

    def test_nothing_told_is_nothing_to_compare(self):
        assert cost(estimate("lr", "precision", Undefined("no label"))) is None
