from tests.support.scenario_fixtures import breaching, labelled, make_scenario, scenario  # noqa: F401
