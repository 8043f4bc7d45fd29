"""Goals and limits on any metric go all the way: estimated, judged, told, shown."""

import pytest

from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.metrics import METRICS
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.report import build, write
from tests.support.fakes import spec
from tests.support.scenario import label_cycle
from tests.support.scenario_fixtures import make_scenario

BOUNDS = {name: {"ceiling": 0.9} if metric.lower_is_better else {"floor": 0.01} for name, metric in METRICS.items()}

__all__ = ["make_scenario"]


@pytest.fixture
def judged(make_scenario):
    """A week in which every metric has a goal and a limit."""
    goals = tuple(Goal(name, 0.1) for name in METRICS)
    limits = tuple(Limit(name, classifiers=("lr",), **bound) for name, bound in BOUNDS.items())
    scenario = make_scenario(spec(budget=200, goals=goals, limits=limits))
    label_cycle(scenario)
    return scenario


def test_every_metric_is_estimated_and_judged(judged):
    with judged.ports.store.begin() as tx:
        estimates = [one for one in tx.estimates.latest(1).estimates if one.segment is None]
        states = tx.alarms.current_states("spam")
    assert {(one.classifier, one.metric) for one in estimates} == {(c, m) for c in ("lr", "rf") for m in METRICS}
    assert all(isinstance(one.result, IntervalEstimate) for one in estimates)
    assert {state.key.metric for state in states} == set(METRICS)


def test_the_report_shows_them_by_name(judged, tmp_path):
    view = build(judged.ports.store, judged.panel, judged.clock.now())
    assert {score.metric for score in view.scores} == set(METRICS)
    page = write(judged.ports.store, None, tmp_path, judged.clock.now()).read_text(encoding="utf-8").lower()
    assert [metric.title for metric in METRICS.values() if metric.title.lower() not in page] == []


def test_what_nobody_named_is_not_estimated():
    assert metrics_shown(spec(goals=(), limits=())) == ("precision", "recall", "false_omission_rate")
    assert metrics_shown(spec(goals=(Goal("f1", 0.1),), limits=())) == (
        "precision",
        "recall",
        "false_omission_rate",
        "f1",
    )
