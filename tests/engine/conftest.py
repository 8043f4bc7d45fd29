from tests.support.scenario_fixtures import make_scenario, scenario  # noqa: F401
