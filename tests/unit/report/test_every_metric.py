"""Goals and limits on any metric go all the way: estimated, judged, told, shown."""

import pytest

from stratawatch.core.estimate import Known
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.metrics import METRICS
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.report import build, write
from tests.engine.conftest import make_town
from tests.engine.town import spec

BOUNDS = {name: {"ceiling": 0.9} if metric.lower_is_better else {"floor": 0.01} for name, metric in METRICS.items()}

__all__ = ["make_town"]


@pytest.fixture
def judged(make_town):
    """A week in which every metric has a goal and a limit."""
    goals = tuple(Goal(name, 0.1) for name in METRICS)
    limits = tuple(Limit(name, classifiers=("lr",), **bound) for name, bound in BOUNDS.items())
    town = make_town(spec(budget=200, goals=goals, limits=limits))
    open_cycles(town.ports, {town.panel.name: town.panel})
    for _ in range(3):
        town.clock.pass_(hours=1)
        assert advance(town.ports).troubles == ()
        town.queue.answer(town.clock.now())
    return town


def test_every_metric_is_estimated_and_judged(judged):
    with judged.ports.store.begin() as tx:
        estimates = [one for one in tx.estimates.latest(1).estimates if one.segment is None]
        states = tx.alarms.current("spam")
    assert {(one.classifier, one.metric) for one in estimates} == {(c, m) for c in ("lr", "rf") for m in METRICS}
    assert all(isinstance(one.outcome, Known) for one in estimates)
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
