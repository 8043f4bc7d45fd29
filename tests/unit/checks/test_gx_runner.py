"""Great Expectations reports its own failures as success=False; they must not be taken for bad data."""

import tempfile
from collections import Counter
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from stratawatch.adapters.checks import gx_runner
from stratawatch.adapters.checks.gx_runner import validate
from stratawatch.adapters.checks.input_rules import InputRule, Suite
from stratawatch.errors import Unreachable

NOT_NULL = InputRule("ExpectColumnValuesToNotBeNull", {"column": "a"}, "a is missing")


def suite(*rules, frame=None):
    return Suite("candidates", "Title", frame or {"a": [1, None]}, rules, ())


class TestValidate:
    def test_failed_rules_come_in_the_suites_order(self):
        low = InputRule("ExpectColumnValuesToBeBetween", {"column": "a", "min_value": 5}, "a is small")
        high = InputRule("ExpectColumnValuesToBeBetween", {"column": "a", "min_value": 0}, "a is negative")
        assert validate(suite(low, high, NOT_NULL)).failed == (low, NOT_NULL)

    def test_the_same_expectation_may_stand_twice_on_a_column(self):
        warning = InputRule("ExpectColumnValuesToNotBeNull", {"column": "a"}, "a second look", "warning")
        assert validate(suite(NOT_NULL, warning)).failed == (NOT_NULL, warning)

    def test_a_column_that_is_not_there_is_a_failure_of_the_check(self):
        gone = InputRule("ExpectColumnValuesToNotBeNull", {"column": "gone"}, "gone is missing")
        with pytest.raises(Unreachable) as caught:
            validate(suite(NOT_NULL, gone))
        text = str(caught.value)
        assert text.startswith("the input check of the candidates failed in itself, which says nothing about the data")
        assert "gone" in text
        assert "\n" not in text

    def test_values_that_cannot_be_compared_are_a_failure_of_the_check(self):
        rule = InputRule("ExpectColumnValuesToBeBetween", {"column": "a", "min_value": 1}, "a is small")
        with pytest.raises(Unreachable, match="failed in itself"):
            validate(suite(rule, frame={"a": ["text", {"no": "number"}]}))

    def test_an_expectation_that_does_not_exist_is_a_failure_of_the_check(self):
        with pytest.raises(Unreachable, match="failed in itself"):
            validate(suite(InputRule("ExpectTheImpossible", {}, "never")))

    def test_a_rule_without_a_result_is_a_failure_of_the_check(self, monkeypatch):
        class Forgetful:
            def validate(self, _, **_options):
                return SimpleNamespace(results=[])

        monkeypatch.setattr(gx_runner, "_batch", lambda *_: Forgetful())
        with pytest.raises(Unreachable, match="0 results for 1 rules"):
            validate(suite(NOT_NULL))

    def test_it_is_silent(self, capfd):
        validate(suite(NOT_NULL))
        assert capfd.readouterr() == ("", "")

    def test_it_leaves_no_folder_behind(self, tmp_path, monkeypatch):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        validate(suite(NOT_NULL))
        assert list(tmp_path.iterdir()) == []

    def test_usage_statistics_are_off(self):
        import great_expectations as gx

        validate(suite(NOT_NULL))
        assert gx.get_context(mode="ephemeral").config.analytics_enabled in (None, False)


class TestWhatTheLibraryIsSpared:
    RULES = (
        NOT_NULL,
        InputRule("ExpectColumnValuesToBeBetween", {"column": "a", "min_value": 5}, "a is small"),
        InputRule("ExpectColumnValuesToBeInSet", {"column": "a", "value_set": [1]}, "a is another one"),
    )

    def test_what_a_metric_depends_on_is_found_once_in_a_graph(self, monkeypatch):
        from great_expectations.validator.validation_graph import ValidationGraph

        walked, walk = Counter(), ValidationGraph.build_metric_dependency_graph

        def counted(graph, metric_configuration, runtime_configuration=None):
            walked[id(graph), metric_configuration.id] += 1
            return walk(graph, metric_configuration, runtime_configuration)

        monkeypatch.setattr(ValidationGraph, "build_metric_dependency_graph", counted)
        validated = validate(suite(*self.RULES))
        assert set(walked.values()) == {1}
        assert ValidationGraph.build_metric_dependency_graph is counted
        assert validated.failed == self.RULES[:2]

    def test_the_result_is_the_same(self, monkeypatch):
        def said():
            results = validate(suite(*self.RULES, frame={"a": [1, None, 7, 7]})).result.to_json_dict()["results"]
            return [(one["success"], one["result"], one["exception_info"]) for one in results]

        spared = said()
        monkeypatch.setattr(gx_runner, "_dependencies_found_once", nullcontext)
        assert said() == spared
