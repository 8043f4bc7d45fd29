"""A scenario whose store an earlier program has filled, after the upgrade."""

from dataclasses import replace

from stratawatch.adapters.store import migrate, open_store
from stratawatch.engine.cycle.advance import advance
from tests.support.fakes import MONDAY, WEEK
from tests.support.scenario import Scenario, open_all
from tests.support.store.old_schemas import as_of_schema


def ask_second_week(judged: Scenario, **rows: float) -> None:
    """Ask for the labels of the second week; nobody answers yet."""
    judged.produce(1, **rows)
    judged.clock.moment = MONDAY + 2 * WEEK
    open_all(judged)
    assert advance(judged.ports).troubles == ()


def upgraded_from(schema: str, scenario: Scenario, old_url: str) -> Scenario:
    """Copy the scenario into a store of this schema, and upgrade that one."""
    keys = as_of_schema(scenario.ports.store.where, old_url, schema)
    migrate(old_url)
    made, queue = Scenario.around(open_store(old_url), scenario.panel, scenario.source), scenario.queue
    made.clock.moment = scenario.clock.moment
    made.queue.mark = queue.mark

    def key_of_then(key: str) -> str:
        return keys.get(key, key)

    made.queue.published = {
        name: replace(batch, tasks=tuple(replace(task, item_key=key_of_then(task.item_key)) for task in batch.tasks))
        for name, batch in queue.published.items()
    }
    made.queue.said = [replace(event, item_key=key_of_then(event.item_key)) for event in queue.said]
    made.queue.truth = queue.truth | {key_of_then(key): value for key, value in queue.truth.items()}
    return made
