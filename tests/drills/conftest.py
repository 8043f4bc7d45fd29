from tests.support.scenario_fixtures import breaching, labelled, make_scenario, played, scenario  # noqa: F401
