import tomllib

import pytest

from stratawatch.demo.configuration import configuration_text
from stratawatch.demo.models import CLASSIFIERS
from stratawatch.demo.week_files import BUDGET, PANEL


@pytest.fixture
def panel(world):
    return tomllib.loads(configuration_text(world))["panels"][PANEL]


class TestConfiguration:
    def test_names_the_four_classifiers_in_order(self, panel):
        assert tuple(panel["classifiers"]) == CLASSIFIERS

    def test_has_a_floor_for_precision_and_recall_of_each(self, world, panel):
        floors = {(limit["classifiers"][0], limit["metric"]): limit["floor"] for limit in panel["limits"]}
        assert floors == world.floors

    def test_labellers_see_the_text_only(self, panel):
        assert panel["columns"]["payload"] == ["text"]

    def test_asks_for_900_labels_a_week(self, panel):
        assert (panel["budget"], panel["schedule"]["every"]) == (BUDGET, "7d") == (900, "7d")
