"""The environment lies over the file: typed by the key it overrides, and checked like the file."""

from datetime import timedelta

import pytest

from stratawatch.config.loading import load_configuration
from stratawatch.config.problems import ConfigProblems


@pytest.fixture
def override(monkeypatch):
    def setting(**values: str) -> None:
        for name, value in values.items():
            monkeypatch.setenv(f"STRATAWATCH_{name}", value)

    return setting


class TestValues:
    def test_a_number_a_duration_and_a_moment_take_their_types(self, write, override):
        override(
            PANELS__SPAM__BUDGET="600",
            PANELS__SPAM__DEADLINE="36h",
            PANELS__SPAM__SCHEDULE__START="2026-02-02T00:00:00Z",
            PANELS__SPAM__CONFIDENCE="0.9",
        )
        spec = load_configuration(write()).panels["spam"]
        assert (spec.budget, spec.deadline, spec.confidence) == (600, timedelta(hours=36), 0.9)
        assert spec.windows.start.isoformat() == "2026-02-02T00:00:00+00:00"

    def test_a_list_is_json_and_replaces_the_whole_list(self, write, override):
        override(PANELS__SPAM__GOALS='[{"metric": "recall", "margin": 0.1}]')
        (goal,) = load_configuration(write()).panels["spam"].goals
        assert (goal.metric, goal.margin) == ("recall", 0.1)

    def test_keys_beside_an_overridden_one_stay(self, write, override):
        override(PANELS__SPAM__COLUMNS__ITEM="other")
        columns = load_configuration(write()).panels["spam"].columns
        assert (columns.item, columns.time) == ("other", "at")

    def test_a_secret_may_stand_in_the_environment_itself(self, write, override):
        override(STORE__URL="postgresql://watch@db/x", STORE__PASSWORD="hunter2")
        assert load_configuration(write()).store_url().get_secret_value() == "postgresql+psycopg://watch:hunter2@db/x"

    def test_an_empty_variable_overrides_nothing(self, write, override):
        override(PANELS__SPAM__BUDGET="")
        assert load_configuration(write()).panels["spam"].budget == 120


class TestProblems:
    def problems(self, write) -> list[str]:
        with pytest.raises(ConfigProblems) as caught:
            load_configuration(write())
        return [str(problem) for problem in caught.value.problems]

    def test_a_wrong_value_is_placed_at_its_variable(self, write, override):
        override(PANELS__SPAM__BUDGET="many")
        assert self.problems(write) == [
            (
                "panels.spam.budget, environment variable STRATAWATCH_PANELS__SPAM__BUDGET: "
                "'budget' has the wrong type; expected a whole number; got 'many'"
            )
        ]

    def test_a_misspelt_section_is_told(self, write, override):
        override(STOER__URL="x")
        assert self.problems(write) == [
            "environment variable STRATAWATCH_STOER__URL: there is no section 'stoer'; did you mean 'store'?"
        ]

    def test_a_misspelt_key_is_told(self, write, override):
        override(QUEUE__ROT="x")
        (found,) = self.problems(write)
        assert found.startswith("queue.rot, environment variable STRATAWATCH_QUEUE__ROT: there is no key 'rot'")

    def test_a_list_that_is_not_json_is_told(self, write, override):
        override(PANELS__SPAM__GOALS="[{")
        (found,) = self.problems(write)
        assert "an override is not JSON" in found

    def test_a_path_from_the_environment_is_confined_too(self, write, override):
        override(QUEUE__ROOT="/srv/elsewhere")
        (found,) = self.problems(write)
        assert "queue.root, environment variable STRATAWATCH_QUEUE__ROOT: 'root' leads out" in found

    def test_variables_of_other_programs_of_ours_are_left_alone(self, write, override):
        override(CONFIG="x.toml", DB_PASSWORD="x")
        assert load_configuration(write()).panels["spam"].budget == 120
