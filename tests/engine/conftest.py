from tests.support.scenario_fixtures import labelled, make_scenario, scenario  # noqa: F401
