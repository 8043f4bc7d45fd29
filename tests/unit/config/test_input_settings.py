"""Arrival, duplicates, drift and own expectations: what may be written, and what a mistake is told."""

import pytest

from stratawatch.config.loading import load_configuration
from stratawatch.engine.model.drift_rule import DriftRule

DRIFT = "[panels.spam.drift]\n"


class TestArrival:
    def test_is_a_column(self, write):
        columns = load_configuration(write(('time = "at"', 'time = "at"\ningested = "loaded"'))).panels["spam"].columns
        assert (columns.time, columns.ingested) == ("at", "loaded")

    def test_is_nowhere_by_default(self, write):
        assert load_configuration(write()).panels["spam"].columns.ingested is None

    @pytest.mark.parametrize(("name", "role"), [("at", "time"), ("ID", "item")])
    def test_is_a_column_of_its_own(self, problem, name, role):
        found = problem(('time = "at"', f'time = "at"\ningested = "{name}"'))
        assert f"'{name}' is both the {role} and the time of arrival" in found


class TestDuplicates:
    def test_are_refused_by_default(self, write):
        assert load_configuration(write()).panels["spam"].duplicates == "refuse"

    def test_may_be_resolved(self, write):
        path = write(("budget = 120", 'budget = 120\nduplicates = "latest"'))
        assert load_configuration(path).panels["spam"].duplicates == "latest"

    def test_by_another_word_are_a_problem(self, problem):
        found = problem(("budget = 120", 'budget = 120\nduplicates = "newest"'))
        assert "'duplicates' is not known; expected refuse or latest; got newest" in found


class TestDrift:
    def test_has_the_rules_own_defaults(self, write):
        assert load_configuration(write()).panels["spam"].drift == DriftRule()

    def test_is_set_key_by_key(self, write):
        path = write(more=DRIFT + 'volume = "refuse"\nmissed = "ignore"\nfactor = 3.0\n')
        rule = load_configuration(path).panels["spam"].drift
        assert rule == DriftRule(volume="refuse", missed="ignore", factor=3.0)

    def test_has_three_reactions(self, problem):
        found = problem(more=DRIFT + 'volume = "refused"\n')
        assert "'volume' is not known; expected ignore or warn or refuse; got refused; did you mean 'refuse'?" in found

    def test_of_an_unknown_kind_is_a_problem(self, problem):
        assert "there is no key 'volumes'; did you mean 'volume'?" in problem(more=DRIFT + 'volumes = "warn"\n')

    @pytest.mark.parametrize("factor", ["1.0", "1000.0"])
    def test_by_an_absurd_factor_is_a_problem(self, problem, factor):
        assert "'factor' is out of its range" in problem(more=DRIFT + f"factor = {factor}\n")


class TestChecks:
    def test_lie_beside_the_configuration(self, write):
        assert load_configuration(write()).settings.checks.folder == "checks"

    def test_stay_inside_its_folder(self, problem):
        found = problem(("[store]", '[checks]\nfolder = "../checks"\n\n[store]'))
        assert "'folder' leads out of the folder of the configuration" in found
