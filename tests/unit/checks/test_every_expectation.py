"""Every type that a file may name is asked of both frames, holds and fails, and has its row on a page."""

import json
import logging
import re
from collections.abc import Mapping
from datetime import timedelta
from html import unescape
from typing import Any, Final

import pytest

from stratawatch.adapters.checks.great_expectations_check import GreatExpectationsCheck
from stratawatch.adapters.checks.user_suites import installed_types
from stratawatch.core.random_numbers import digest
from stratawatch.engine.model.cycle_facts import CandidateItem
from stratawatch.engine.model.panel_spec import Columns
from stratawatch.errors import ConfigError
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.suites import suite_of

PANEL: Final = panel(columns=Columns("id", "ts", ("body",)))
Pair = tuple[dict[str, Any], dict[str, Any]]
"""What holds, and what fails."""


def between(low, high, column="bin"):
    return {"column": column, "min_value": low, "max_value": high}, {"column": column, "min_value": high + 1}


def of(column, name, holds, fails):
    return {"column": column, name: holds}, {"column": column, name: fails}


def several(holds, fails, **more):
    return {"column_list": holds, **more}, {"column_list": fails, **more}


SIX: Final = list(range(512, 518))
ON_CANDIDATES: Final[Mapping[str, Pair]] = {
    "expect_column_distinct_values_to_be_in_set": of("bin", "value_set", SIX, [1]),
    "expect_column_distinct_values_to_contain_set": of("bin", "value_set", SIX[:2], [1]),
    "expect_column_distinct_values_to_equal_set": of("bin", "value_set", SIX, [1]),
    "expect_column_kl_divergence_to_be_less_than": (
        {"column": "copies", "partition_object": {"values": [1, 2], "weights": [0.5, 0.5]}, "threshold": 9},
        {"column": "copies", "partition_object": {"values": [1, 2], "weights": [0.5, 0.5]}, "threshold": 0.1},
    ),
    "expect_column_max_to_be_between": between(517, 517),
    "expect_column_mean_to_be_between": between(514.5, 514.5),
    "expect_column_median_to_be_between": between(514.5, 514.5),
    "expect_column_min_to_be_between": between(512, 512),
    "expect_column_most_common_value_to_be_in_set": of("copies", "value_set", [1], [2]),
    "expect_column_pair_values_a_to_be_greater_than_b": (
        {"column_A": "bin", "column_B": "copies"},
        {"column_A": "copies", "column_B": "bin"},
    ),
    "expect_column_pair_values_to_be_equal": (
        {"column_A": "pattern", "column_B": "call of lr"},
        {"column_A": "bin", "column_B": "copies"},
    ),
    "expect_column_pair_values_to_be_in_set": (
        {"column_A": "copies", "column_B": "copies", "value_pairs_set": [[1, 1]]},
        {"column_A": "bin", "column_B": "copies", "value_pairs_set": [[1, 1]]},
    ),
    "expect_column_proportion_of_non_null_values_to_be_between": between(1, 1),
    "expect_column_proportion_of_unique_values_to_be_between": between(1, 1),
    "expect_column_quantile_values_to_be_between": of(
        "bin",
        "quantile_ranges",
        {"quantiles": [0.5], "value_ranges": [[512, 517]]},
        {"quantiles": [0.5], "value_ranges": [[0, 1]]},
    ),
    "expect_column_stdev_to_be_between": between(1.8, 1.9),
    "expect_column_sum_to_be_between": between(3087, 3087),
    "expect_column_to_exist": of("bin", "column_index", 4, 1),
    "expect_column_type_to_be": of("bin", "type_", "int64", "str"),
    "expect_column_unique_value_count_to_be_between": between(6, 6),
    "expect_column_value_lengths_to_be_between": between(1, 1, "item"),
    "expect_column_value_lengths_to_equal": of("digest", "value", 32, 1),
    "expect_column_value_z_scores_to_be_less_than": (
        {"column": "bin", "threshold": 3, "double_sided": True},
        {"column": "bin", "threshold": 0.5, "double_sided": True},
    ),
    "expect_column_values_to_be_between": between(512, 517),
    "expect_column_values_to_be_dateutil_parseable": ({"column": "item"}, {"column": "digest"}),
    "expect_column_values_to_be_decreasing": ({"column": "copies"}, {"column": "bin"}),
    "expect_column_values_to_be_in_set": of("bin", "value_set", SIX, [1]),
    "expect_column_values_to_be_in_type_list": of("bin", "type_list", ["int64"], ["str"]),
    "expect_column_values_to_be_increasing": (
        {"column": "bin", "strictly": True},
        {"column": "copies", "strictly": True},
    ),
    "expect_column_values_to_be_json_parseable": ({"column": "item"}, {"column": "digest"}),
    "expect_column_values_to_be_null": ({"column": "payload body"}, {"column": "bin"}),
    "expect_column_values_to_be_of_type": of("bin", "type_", "int64", "str"),
    "expect_column_values_to_be_unique": ({"column": "bin"}, {"column": "copies"}),
    "expect_column_values_to_match_json_schema": of("item", "json_schema", {"type": "integer"}, {"type": "object"}),
    "expect_column_values_to_match_regex": of("item", "regex", "^[0-9]$", "^x$"),
    "expect_column_values_to_match_regex_list": of("item", "regex_list", ["^[0-9]$"], ["^x$"]),
    "expect_column_values_to_match_strftime_format": of("item", "strftime_format", "%d", "%Y"),
    "expect_column_values_to_not_be_in_set": of("bin", "value_set", [1], SIX),
    "expect_column_values_to_not_be_null": ({"column": "bin"}, {"column": "payload body"}),
    "expect_column_values_to_not_be_outliers": (
        {"column": "bin", "method": "std", "multiplier": 3},
        {"column": "bin", "method": "std", "multiplier": 0.5},
    ),
    "expect_column_values_to_not_match_regex": of("item", "regex", "^x$", "^[0-9]$"),
    "expect_column_values_to_not_match_regex_list": of("item", "regex_list", ["^x$"], ["^[0-9]$"]),
    "expect_compound_columns_to_be_unique": several(["item", "bin"], ["copies", "pattern"]),
    "expect_multicolumn_sum_to_equal": several(["copies", "length of body"], ["bin", "copies"], sum_total=1),
    "expect_multicolumn_values_to_be_equal": several(["pattern", "call of lr"], ["bin", "copies"]),
    "expect_select_column_values_to_be_unique_within_record": several(["bin", "copies"], ["pattern", "call of lr"]),
    "expect_table_column_count_to_be_between": ({"min_value": 1, "max_value": 99}, {"min_value": 99}),
    "expect_table_column_count_to_equal": ({"value": 9}, {"value": 1}),
    "expect_table_columns_to_match_ordered_list": (
        {
            "column_list": [
                "item",
                "copies",
                "digest",
                "pattern",
                "bin",
                "time",
                "payload body",
                "length of body",
                "call of lr",
            ]
        },
        {"column_list": ["item"]},
    ),
    "expect_table_columns_to_match_set": ({"column_set": ["item"], "exact_match": False}, {"column_set": ["item"]}),
    "expect_table_row_count_to_be_between": ({"min_value": 6}, {"min_value": 7}),
    "expect_table_row_count_to_equal": ({"value": 6}, {"value": 7}),
}

ON_PROFILE: Final = {"bin": "rows", "copies": "bad_rows", "payload body": "late"}
"""A column of the profile for one of the candidates; it has none of text."""


@pytest.fixture
def items():
    """Six whose ids are the digits of a day, and whose payload is empty."""
    return [
        CandidateItem(
            item=str(k),
            atom=0,
            digest=digest("s", str(k)),
            pattern="1",
            bin=511 + k,
            time=START + timedelta(hours=k),
            payload={"body": ""},
        )
        for k in range(1, 7)
    ]


@pytest.fixture
def page(tmp_path, caplog):
    """Ask expectations as warnings; what failed, and the rows of the page as plain text."""

    def ask(frame, asked, method, what):
        told = [
            {"type": kind, "kwargs": kwargs, "severity": "warning", "sentence": f"{word} {kind}"}
            for word, kind, kwargs in asked
        ]
        folder = tmp_path / "checks"
        folder.mkdir()
        (folder / "all.json").write_text(json.dumps({"frame": frame, "expectations": told}), encoding="utf-8")
        check = GreatExpectationsCheck(tmp_path / "docs", suites_folder=folder)
        with caplog.at_level(logging.ERROR):
            report = getattr(check, method)(PANEL, WINDOW, what)
        assert caplog.messages == []  # the library logs what it could not put on the page
        text = (tmp_path / "docs" / str(report.docs)).read_text(encoding="utf-8")
        rows = [
            unescape(" ".join(re.sub(r"<[^>]*>", " ", one).split())) for one in re.findall(r"(?s)<tr>.*?</tr>", text)
        ]
        return report.failures, rows

    return ask


def test_every_type_is_told_here():
    assert set(ON_CANDIDATES) == set(installed_types())


def test_on_the_candidates_each_holds_and_fails_as_it_says(page, items):
    asked = [
        (word, kind, kwargs)
        for kind, pair in ON_CANDIDATES.items()
        for word, kwargs in zip(("holds", "fails"), pair, strict=True)
    ]
    failures, rows = page("candidates", asked, "candidates", items)
    own = [sentence.partition(" [")[0] for sentence in failures if "checks/all.json" in sentence]
    assert own == [f"fails {kind}" for kind in ON_CANDIDATES]
    assert len(rows) > len(asked)


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("expect_column_mean_to_be_between", "514.5"),
        ("expect_column_median_to_be_between", "514.5"),
        ("expect_column_stdev_to_be_between", "≈1.870828693"),
        ("expect_column_sum_to_be_between", "3087"),
        ("expect_column_max_to_be_between", "517"),
    ],
)
def test_what_an_aggregate_was_stands_on_the_page(page, items, kind, seen):
    """The library cannot write numbers of NumPy's, and would show two dashes."""
    _, rows = page("candidates", [("fails", kind, ON_CANDIDATES[kind][1])], "candidates", items)
    assert any(row.replace(",", "").endswith(f" {seen}") for row in rows)


def test_on_the_profile_each_that_is_not_about_text_has_its_row(page, profile_of):
    asked = _of_profile()
    assert len({kind for _, kind, _ in asked}) > 30
    profile = profile_of(ranges={"lr": (0.1, 0.9)})
    _, rows = page("profile", asked, "profile", profile)
    assert len(rows) > len(asked)


def _of_profile():
    moved = [(kind, _moved(kwargs)) for kind, pair in ON_CANDIDATES.items() for kwargs in pair]
    return [("asked", kind, kwargs) for kind, kwargs in moved if kwargs is not None]


def _moved(kwargs):
    """The same expectation on the profile, where it has such a column."""
    moved = {}
    for key, value in kwargs.items():
        if key in ("column", "column_A", "column_B"):
            moved[key] = ON_PROFILE.get(value, "")
        elif key == "column_list":
            moved[key] = [ON_PROFILE.get(one, "") for one in value]
        else:
            moved[key] = value
    names = [moved.get(key, "-") for key in ("column", "column_A", "column_B")] + list(moved.get("column_list", ()))
    return None if "" in names else moved


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("expect_column_values_to_match_like_pattern", "; ask 'expect_column_values_to_match_regex'"),
        ("expect_multicolumn_values_to_be_unique", "cannot be asked here"),
        ("expect_query_results_to_match_comparison", "cannot be asked here"),
    ],
)
def test_what_only_databases_can_be_asked_is_refused_when_it_is_read(kind, hint):
    with pytest.raises(ConfigError) as caught:
        suite_of({"frame": "profile", "expectations": [{"type": kind}]}, "x")
    assert f"x, expectation 1 has the type '{kind}', which cannot be asked here" in str(caught.value)
    assert str(caught.value).endswith(hint)
