"""Each metric beside a random sample: what is compared with what."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.by_metric import LABELS, PLANS, Task, Width, measured, verdicts
from benchmarks.coverage.random_labels import half_widths_by_metric, wilson_half_width
from benchmarks.coverage.singles import SINGLES
from benchmarks.coverage.truths import MAIN, Confusion

GROUPS = ("fixed", "fresh")
ONE = Width("fixed", "calibrated", 600, "no goals", "c", "recall", 0.7, 0.01)


def widths(recall_alone: float, usual: float = 0.7, omission: float = 1.0) -> list[Width]:
    found = [
        replace(ONE, group=group, plan=plan, labels=labels, metric="false_omission_rate", of_random=omission)
        for group in GROUPS
        for plan in PLANS
        for labels in LABELS
    ]
    found += [replace(one, metric="precision", of_random=0.4) for one in found if one.plan == "no goals"]
    found += [replace(ONE, labels=labels, group=group, of_random=usual) for labels in LABELS for group in GROUPS]
    return [*found, replace(ONE, plan="recall alone", of_random=recall_alone)]


class TestVerdicts:
    @pytest.mark.parametrize(("alone", "lost"), [(0.6, 0), (0.72, 0), (0.9, 1)])
    def test_recall_by_its_own_plan_is_held_beside_that_without_goals(self, alone, lost):
        assert verdicts(widths(alone))[-1].value == lost

    def test_each_metric_without_goals_is_held_beside_a_random_sample(self):
        by_name = {one.name: one.value for one in verdicts(widths(0.6, omission=1.5))}
        name = "600 labels without goals: {}"
        assert by_name[name.format("precision, mean width, of random labels'")] == pytest.approx(0.4)
        assert by_name[name.format("recall, wider classifiers of 2")] == 0
        assert by_name[name.format("false omission rate, wider classifiers of 2")] == 2

    def test_a_wide_omission_rate_breaks_the_promise_of_fixed_populations_alone(self):
        broken = [one for one in verdicts(widths(0.6, omission=1.5)) if one.kind == "must" and not one.holds]
        assert len(broken) == 5
        assert all(one.name.startswith("fixed") for one in broken)
        assert all(one.holds for one in verdicts(widths(0.6)) if one.kind == "must")


def test_every_metric_of_every_plan_is_measured():
    found = measured(Task("fixed", replace(SINGLES[0], size=5000), 200, 4, (1,), 2))
    assert {(one.plan, one.metric) for one in found} == {(plan, metric) for plan in PLANS for metric in MAIN}
    assert all(0 < one.of_random < 5 and one.error >= 0 for one in found)


def test_a_random_sample_is_of_all_items_those_that_nobody_judged_among_them():
    """Half of the items are not judged: as many labels tell as little as half of them of judged items."""
    truth = Confusion(called=2000.0, passed=8000.0, found=1600.0, missed=400.0)
    all_judged, half = (
        half_widths_by_metric(truth, items, labels, 4000, np.random.default_rng(1))
        for items, labels in ((10_000, 200), (20_000, 400))
    )
    for metric in MAIN:
        assert half[metric] == pytest.approx(all_judged[metric], rel=0.05)
    assert all_judged["precision"] == pytest.approx(float(wilson_half_width(np.array(32), np.array(40))), rel=0.1)
