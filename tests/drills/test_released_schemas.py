"""A store that each earlier schema holds is upgraded and goes on: the same verdicts and numbers, nobody is asked again."""

import pytest

from stratawatch.adapters.store.schema import REVISIONS
from stratawatch.engine.model.states import CycleState
from tests.support.fakes import spec
from tests.support.scenario import Scenario, labelled_scenario, work_on
from tests.support.upgraded_scenario import ask_second_week, upgraded_from

PANEL = spec(guideline="Spam is what nobody asked for.")
BEGINS = "evidence begins"
"""In the key of the notice that windows are added up from now on: a store that always did it sends none."""


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The first week judged, the second asked for; and what becomes of it without an upgrade."""
    folder = tmp_path_factory.mktemp("played")
    scenario, other = (labelled_scenario(folder / f"{name}.db", PANEL, 0, size=500) for name in ("store", "other"))
    ask_second_week(scenario, size=500)
    ask_second_week(other, size=500)
    other.channel.sends.clear()
    finish(other)
    yield scenario, outcome(other)
    scenario.ports.store.dispose()
    other.ports.store.dispose()


def finish(scenario: Scenario) -> None:
    scenario.queue.answer(scenario.clock.now())
    work_on(scenario, 3)


def outcome(scenario: Scenario):
    """Revisions of both weeks, versions of the panel, estimates, draws, and the pages since the upgrade."""
    with scenario.ports.store.begin() as tx:
        cycles = tx.cycles.find()
        assert [cycle.state for cycle in cycles] == [CycleState.JUDGED] * 2
        latest = [tx.estimates.latest(cycle.id) for cycle in cycles]
        draws = [len(tx.rounds.draws(cycle.id)) for cycle in cycles]
    kept = [one.number for one in latest], {cycle.panel_version for cycle in cycles}, latest[0].estimates
    return kept, (latest[1].estimates, draws, [key for key in scenario.channel.sends if BEGINS not in key])


@pytest.mark.parametrize("schema", REVISIONS[:-1])
@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_goes_on_where_it_was(played, schema, database, tmp_path, request):
    scenario, expected = played
    url = f"sqlite:///{tmp_path}/old.db" if database == "sqlite" else request.getfixturevalue("new_postgres")()
    upgraded = upgraded_from(schema, scenario, url)
    assert len(upgraded.queue.asked()) == len(scenario.queue.asked())
    finish(upgraded)
    kept, made = outcome(upgraded)
    assert kept == expected[0]
    if schema != "0001":  # which kept no strata: in a cycle that was under way every atom is one after the upgrade
        assert made == expected[1]
    begun = [key for key in upgraded.channel.sends if BEGINS in key]
    assert begun == ["stratawatch:spam:evidence begins|warning|channel"] * (schema < "0017")  # which added it up
    upgraded.ports.store.dispose()
