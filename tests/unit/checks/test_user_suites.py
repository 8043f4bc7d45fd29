"""Expectations of the user's own: what a file may say, what it may not, and what people read when one fails."""

import json
from collections.abc import Callable
from typing import Final

import pytest

from stratawatch.adapters.checks.great_expectations_check import GreatExpectationsCheck
from stratawatch.adapters.checks.user_suites import installed_types, read_suites
from stratawatch.engine.model.cycle_facts import CandidateItem
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import Columns
from stratawatch.errors import ConfigError, ConfigErrors
from tests.support.predictions.panels import WINDOW, panel
from tests.support.suites import suite_of

PANEL = panel(columns=Columns("id", "ts", ("body",), ("country",)))
Items = Callable[..., list[CandidateItem]]
MakeProfile = Callable[..., InputProfile]
BETWEEN = "expect_column_values_to_be_between"

TEXT_AND_NUMBER: Final = {"type": BETWEEN, "kwargs": {"column": "item", "min_value": 3}}
REGEX: Final = {"type": "expect_column_values_to_match_regex", "kwargs": {"column": "item", "regex": "("}}


def expectation(**changes):
    return {"type": BETWEEN, "kwargs": {"column": "rows", "min_value": 2000}} | changes


def document(frame="profile", *expectations, **changes):
    return {"frame": frame, "expectations": list(expectations or [expectation()])} | changes


@pytest.fixture
def own(tmp_path):
    """A check with these suites beside the configuration."""

    def make(**suites):
        folder = tmp_path / "checks"
        folder.mkdir()
        for name, one in suites.items():
            text = one if isinstance(one, str) else json.dumps(one)
            (folder / f"{name}.json").write_text(text, encoding="utf-8")
        return GreatExpectationsCheck(tmp_path / "docs", suites_folder=folder)

    return make


class TestOnTheProfile:
    def test_a_failed_one_refuses_the_window_and_says_where_it_stands(self, own, profile_of):
        report = own(volume=document()).profile(PANEL, WINDOW, profile_of())
        assert report.refusal == (
            "column values to be between (column 'rows', min_value 2000) does not hold "
            "[checks/volume.json, expectation 1]: rows = 1,000"
        )

    def test_a_sentence_of_the_users_is_followed_by_what_was_observed(self, own, profile_of):
        share = expectation(kwargs={"column": "positive share of lr", "max_value": 0.01}, sentence="too many positives")
        first = expectation(kwargs={"column": "late", "max_value": 5}, sentence="too many late rows")
        pair = {"type": "expect_column_pair_values_a_to_be_greater_than_b", "sentence": "more bad rows than rows"}
        pair["kwargs"] = {"column_A": "bad_rows", "column_B": "rows"}
        report = own(volume=document("profile", share, first, pair)).profile(PANEL, WINDOW, profile_of(late=7))
        assert report.failures == (
            "too many positives [checks/volume.json, expectation 1]: positive share of lr = 0.06",
            "too many late rows [checks/volume.json, expectation 2]: late = 7",
            "more bad rows than rows [checks/volume.json, expectation 3]: bad_rows = 0, rows = 1,000",
        )

    def test_a_warning_is_told_and_refuses_nothing(self, own, profile_of):
        soft = expectation(severity="warning", sentence="fewer rows than the campaign promised")
        report = own(volume=document("profile", soft)).profile(PANEL, WINDOW, profile_of())
        assert report.passed
        assert report.failures == (
            "fewer rows than the campaign promised [checks/volume.json, expectation 1]: rows = 1,000",
        )

    def test_one_that_holds_stands_on_the_page_only(self, own, profile_of, tmp_path):
        check = own(
            volume=document("profile", expectation(kwargs={"column": "positive share of lr", "max_value": 0.1}))
        )
        report = check.profile(PANEL, WINDOW, profile_of())
        assert report.failures == ()
        assert "positive share of lr" in (tmp_path / "docs" / str(report.docs)).read_text(encoding="utf-8")

    def test_one_for_another_panel_is_not_asked(self, own, profile_of):
        assert own(volume=document(panels=["other"])).profile(PANEL, WINDOW, profile_of()).passed
        assert PANEL.name == "posts"

    def test_a_mended_file_counts_from_the_next_window_on(self, own, profile_of, tmp_path):
        check = own(volume=document())
        assert not check.profile(PANEL, WINDOW, profile_of()).passed
        (tmp_path / "checks" / "volume.json").unlink()
        assert check.profile(PANEL, WINDOW, profile_of()).passed


class TestOnTheCandidates:
    def test_a_failed_one_names_the_rows(self, own, items_of):
        length = {"type": BETWEEN, "kwargs": {"column": "length of body", "min_value": 3}}
        items = items_of(6, payload={"body": ""}, item="empty")
        report = own(texts=document("candidates", length)).candidates(PANEL, WINDOW, items)
        assert report.refusal.endswith("[checks/texts.json, expectation 1]: 1 of 6 candidates (first: 'empty')")
        assert [(row.key, row.reason) for row in report.bad_rows] == [
            ("empty", "it breaks checks/texts.json, expectation 1")
        ]

    def test_a_failed_one_of_an_aggregate_says_what_it_was(self, own, items_of):
        mean = {"type": "expect_column_mean_to_be_between", "kwargs": {"column": "bin", "max_value": 1}}
        report = own(bins=document("candidates", mean)).candidates(PANEL, WINDOW, items_of())
        assert report.refusal.endswith("does not hold [checks/bins.json, expectation 1]: observed 512")

    def test_segments_and_calls_can_be_asked_for(self, own, items_of):
        known = {
            "type": "expect_column_values_to_be_in_set",
            "kwargs": {"column": "segment country", "value_set": ["DE"]},
        }
        said = {"type": "expect_column_values_to_be_in_set", "kwargs": {"column": "call of lr", "value_set": ["1"]}}
        check = own(both=document("candidates", known, said))
        assert check.candidates(PANEL, WINDOW, items_of(1, segments={"country": "DE"})).passed
        assert "1 of 1 candidates (first: 'a0')" in (
            check.candidates(PANEL, WINDOW, items_of(1, segments={"country": "XX"})).refusal
        )

    def test_a_warning_names_rows_and_sets_none_aside(self, own, items_of):
        soft = {"type": BETWEEN, "kwargs": {"column": "bin", "max_value": 10}, "severity": "warning"}
        report = own(bins=document("candidates", soft)).candidates(PANEL, WINDOW, items_of())
        assert "5 of 5 candidates (first: 'a0', 'a1', 'a2')" in report.failures[0]
        assert report.bad_rows == ()

    def test_what_refuses_the_window_stands_first_on_the_page(self, own, items_of, tmp_path):
        hard = {"type": BETWEEN, "kwargs": {"column": "bin", "max_value": 10}, "sentence": "the hard one"}
        soft = hard | {"severity": "warning", "sentence": "the soft one"}
        report = own(bins=document("candidates", soft, hard)).candidates(PANEL, WINDOW, items_of())
        assert report.failures[0].startswith("the soft one")
        page = (tmp_path / "docs" / str(report.docs)).read_text(encoding="utf-8")
        assert page.index("the hard one") < page.index("the soft one")


class TestFailuresOfTheLibrary:
    def test_are_no_bad_data_and_name_the_expectation(self, own, items_of):
        """Comparing text with a number fails inside Great Expectations, which reports it as success=False."""
        right = {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "item"}}
        with pytest.raises(ConfigErrors) as caught:
            own(wrong=document("candidates", right, TEXT_AND_NUMBER, REGEX)).candidates(PANEL, WINDOW, items_of())
        number, regex = (str(one) for one in caught.value.each)
        assert number.startswith("checks/wrong.json, expectation 2 cannot be asked of the candidates; got ")
        assert "that says nothing about the data" in number
        assert regex.startswith("checks/wrong.json, expectation 3 cannot be asked of the candidates; got ")
        assert "Invalid regular expression" in regex

    def test_wrong_arguments_are_told_of_all_expectations_at_once(self, own, items_of):
        wrong = {"type": BETWEEN, "kwargs": {"column": "bin", "least": 1}}
        with pytest.raises(ConfigErrors) as caught:
            own(wrong=document("candidates", wrong, wrong)).candidates(PANEL, WINDOW, items_of())
        assert [str(one).partition(";")[0] for one in caught.value.each] == [
            "checks/wrong.json, expectation 1 is not right",
            "checks/wrong.json, expectation 2 is not right",
        ]


class TestDescribe:
    """What `check` says beforehand."""

    def test_every_fault_of_every_file_is_told_at_once(self, own):
        check = own(
            a=document("profile", expectation(type="expect_rows", severity="info")), c="{", d=document(panels=["other"])
        )
        with pytest.raises(ConfigErrors) as caught:
            check.describe([PANEL])
        told = "\n".join(str(one) for one in caught.value.each)
        assert [
            one
            for one in (
                "checks/a.json, expectation 1 has the unknown type 'expect_rows'",
                "'severity' of checks/a.json, expectation 1 is not known",
                "c.json' is not JSON",
                "checks/d.json is for the panel 'other'",
            )
            if one not in told
        ] == []
        assert len(caught.value.each) == 4
        assert "this is the first of 4 faults, `stratawatch check` tells all" in str(caught.value)

    def test_what_holds_and_what_does_not_are_no_faults(self, own):
        fails = {"type": BETWEEN, "kwargs": {"column": "bin", "min_value": 1000}}
        assert own(a=document(), b=document("candidates", fails)).describe([PANEL]) == {
            "checks/a.json": "1 on the profile of every panel",
            "checks/b.json": "1 on the candidates of every panel",
        }


class TestFiles:
    @pytest.mark.parametrize(
        ("wrong", "sentence"),
        [
            ([], "x is not a suite of expectations"),
            (document("rows"), "'frame' of x is not known; expected profile or candidates; got rows"),
            (document(panels="posts"), "'panels' of x is not right"),
            (document(expectations=[]), "x has no expectations"),
            (document(expectation=1), "x has the unknown key 'expectation'"),
            (document("profile", 7), "x, expectation 1 is not right"),
            (document("profile", expectation(type="expect_column_values_to_be_betwen")), f"did you mean '{BETWEEN}'"),
            (document("profile", expectation(type="unexpected_rows_expectation")), "has the unknown type"),
            (document("profile", expectation(kwarg={})), "expectation 1 has the unknown key 'kwarg'"),
            (document("profile", expectation(kwargs=[])), "'kwargs' of x, expectation 1 is not right"),
            (document("profile", expectation(severity="info")), "expected critical or warning; got info"),
            (document("profile", expectation(sentence=3)), "'sentence' of x, expectation 1 is not a text"),
            (document("profile", expectation(kwargs={"row_condition": "@x"})), "would be run as code"),
        ],
    )
    def test_are_refused_with_a_sentence(self, wrong, sentence):
        with pytest.raises(ConfigError) as caught:
            suite_of(wrong, "x")
        assert sentence in str(caught.value)

    def test_that_are_no_json_are_named_with_the_line(self, tmp_path):
        (tmp_path / "a.json").write_text('{\n "frame": profile}', encoding="utf-8")
        with pytest.raises(ConfigError, match=r"a.json' is not JSON; got Expecting value in line 2"):
            read_suites(tmp_path)

    def test_as_great_expectations_writes_them_are_read(self):
        written = document("profile", expectation(id="1", meta={}, notes=None), name="mine", id="2", meta={})
        assert suite_of(written, "x").expectations[0].type == BETWEEN

    def test_with_a_column_that_is_not_there_are_refused(self, own, profile_of):
        check = own(volume=document("profile", expectation(kwargs={"column": "row", "min_value": 1})))
        with pytest.raises(ConfigError, match=r"asks for the column 'row'.*did you mean 'rows'"):
            check.profile(PANEL, WINDOW, profile_of())

    def test_with_wrong_arguments_are_refused_in_the_librarys_words(self, own, profile_of):
        check = own(volume=document("profile", expectation(kwargs={"column": "rows", "least": 1})))
        with pytest.raises(
            ConfigError, match=r"checks/volume.json, expectation 1 is not right; got .*least: extra fields"
        ):
            check.profile(PANEL, WINDOW, profile_of())

    def test_are_not_needed(self, tmp_path):
        assert read_suites(tmp_path / "nowhere") == ()
        assert read_suites(None) == ()


class TestKnownTypes:
    def test_are_the_classes_of_the_installed_library(self):
        from stratawatch.adapters.checks.gx_runner import library

        expectations = library().expectations
        assert len(installed_types()) > 50
        assert all(hasattr(expectations, name) for name in installed_types().values())
