"""Labels that come in clusters, and intervals by another variance: from the source to what is judged."""

from dataclasses import replace

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import Goal, Limit
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.model.panel_spec import Columns
from tests.support.fakes import FakeSource, spec

PLAIN = Columns("id", "at", payload=("text",), segments=("country",))
CLUSTERED = Columns("id", "at", payload=("text",), segments=("country",), cluster="customer")
LIMIT = Limit("prevalence", floor=0.05, classifiers=("lr",))
GOAL = Goal("prevalence", 0.05)


class Customers(FakeSource):
    """Customers of whom everybody says the same: of yes and of no items ten each."""

    def __init__(self, source, truth) -> None:
        super().__init__(source.windows, source.troubles)
        self._truth = truth

    def candidates(self, panel, window, atoms, quotas):
        found = super().candidates(panel, window, atoms, quotas)
        if panel.columns.cluster is None:
            return found
        return tuple(replace(one, cluster=f"{self._truth(one.item)}-{int(one.item[-5:]) % 10}") for one in found)


def judged(scenario, columns=CLUSTERED, **changes):
    """One cycle's estimates and states."""
    panel = spec(columns=columns, goals=(GOAL,), limits=(LIMIT,), **changes)
    (rows,) = scenario.source.windows.values()
    truth = {row.item: row.truth for row in rows}
    ports = replace(scenario.ports, sources={panel.name: Customers(scenario.source, truth.get)})
    (cycle,) = open_cycles(ports, {panel.name: panel})
    for _ in range(3):
        scenario.clock.advance(hours=1)
        assert advance(ports).troubles == ()
        scenario.queue.answer(scenario.clock.now())
    with ports.store.begin() as tx:
        found = tx.estimates.latest(cycle).estimates
        (state,) = tx.alarms.of_cycle(cycle)
        pool = load_labelled_cycle(tx, panel, cycle).design.candidates
    return {(one.classifier, one.metric): one for one in found if one.segment is None}, state, pool


@pytest.fixture
def two(make_scenario):
    """The same scenario without the column and with it."""
    plain = judged(make_scenario(), columns=PLAIN)
    return plain, judged(make_scenario())


def test_customers_come_from_the_source_to_the_design(two):
    assert two[1][2].clusters is not None
    assert {len(name.split("-")) for name in two[1][2].clusters} == {2}


def test_intervals_are_wider_and_say_by_how_much(two):
    (plain, _, _), (wide, _, _) = two
    for key, one in wide.items():
        before = plain[key]
        assert isinstance(one.result, IntervalEstimate)
        assert one.result.value == before.result.value
        assert one.result.half_width > before.result.half_width
        assert one.result.n_eff < before.result.n_eff
        assert one.deff is not None
    assert wide["lr", "prevalence"].deff > 1.5


def test_limits_are_judged_by_the_wide_ones(two):
    assert [two[0][1].state, two[1][1].state] == [AlarmState.OK, AlarmState.UNPROVEN]


def test_a_panel_may_choose_its_variance(make_scenario):
    found, _, _ = judged(make_scenario(), columns=PLAIN, variance="brr")
    for one in found.values():
        assert "BRR, " in one.method
        assert one.method.endswith(" replicates, t")
