"""Several workers at once on one store: nothing is lost and nothing is done twice. `benchmarks.panels` is the full form."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.model.states import CycleState
from tests.support.fakes import spec
from tests.support.scenario import Scenario

PANELS = ("a", "b", "c")
WORKERS = 3


def test_three_workers_advance_three_panels(store):
    scenario = Scenario.around(store, spec(budget=40))
    scenario.produce(0, size=200)
    panels = {name: replace(scenario.panel, name=name, seed=name) for name in PANELS}
    ports = replace(scenario.ports, sources=dict.fromkeys(PANELS, scenario.source))
    open_cycles(ports, panels)
    for _ in range(5):
        with ThreadPoolExecutor(WORKERS) as pool:
            for done in pool.map(lambda _: advance(ports), range(WORKERS)):
                assert done.troubles == ()
        scenario.queue.answer(scenario.clock.now(), value="no")
    advance(ports)  # what the last of them left to one another
    with store.begin() as tx:
        cycles = tx.cycles.find()
        drawn = Counter(draw.item_key for cycle in cycles for draw in tx.rounds.draws(cycle.id))
        assert {cycle.panel: cycle.state for cycle in cycles} == dict.fromkeys(PANELS, CycleState.JUDGED)
        assert [tx.estimates.latest(cycle.id).number for cycle in cycles] == [1] * len(PANELS)
        assert tx.labels.newest_event_id() == len(scenario.queue.said) == len(drawn) == drawn.total()
        assert tx.rounds.batch_keys() == frozenset(scenario.queue.sends)
        assert tx.leases.names() == frozenset()
    assert len(scenario.queue.sends) == len(set(scenario.queue.sends))
    told = Counter(scenario.channel.sends)
    assert len(told) == told.total() == len(PANELS)
