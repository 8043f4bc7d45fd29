from tests.support.scenario_fixtures import played  # noqa: F401
