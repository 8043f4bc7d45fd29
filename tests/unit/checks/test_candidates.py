from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.engine.model.cycle_facts import CandidateItem
from stratawatch.engine.model.panel_spec import Columns
from tests.support.predictions.panels import START, WINDOW, panel

PANEL = panel(columns=Columns("id", "ts", ("body",)))
Make = Callable[..., list[CandidateItem]]


class TestCandidates:
    def test_healthy_candidates_pass(self, check, items_of):
        report = check.candidates(PANEL, WINDOW, items_of())
        assert (report.passed, report.failures, report.refusal, report.bad_rows) == (True, (), "", ())

    @pytest.mark.parametrize("number", [0, 1])
    def test_few_or_none_are_no_trouble(self, check, items_of, number):
        assert check.candidates(PANEL, WINDOW, items_of(number)).passed

    def test_repeated_ids_are_refused_with_the_worst_first(self, check, items_of):
        one, two, *rest = items_of()
        items = [replace(one, copies=2), replace(two, copies=3), *rest]
        report = check.candidates(PANEL, WINDOW, items)
        assert report.refusal == (
            "2 of 5 candidate items appear more than once in the window (first: 'a1', 3 times); duplicates are "
            "refused; remove the repeated rows from the export, name a column that is unique as the item id, "
            'or set duplicates = "latest"'
        )
        assert [(row.key, row.reason) for row in report.bad_rows] == [
            ("a1", "3 rows of the window have this item id"),
            ("a0", "2 rows of the window have this item id"),
        ]

    def test_both_rows_of_a_repeated_id_count_as_one_item(self, check, items_of):
        one, *rest = items_of()
        twice = replace(one, copies=2)
        assert check.candidates(PANEL, WINDOW, [twice, twice, *rest]).refusal.startswith(
            "1 of 5 candidate items appears"
        )

    def test_a_long_id_is_cut_in_the_sentence(self, check, items_of):
        report = check.candidates(PANEL, WINDOW, items_of(item="x" * 10_000, copies=2))
        assert len(report.refusal) < 300
        assert report.bad_rows[0].key == "x" * 10_000

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"item": "a1"}, "the source returned an item twice as a candidate"),
            ({"item": None}, "a candidate has no item id"),
            ({"digest": "ABC"}, "a candidate has a digest that does not match ^[0-9a-f]{32}$"),
            ({"pattern": "!"}, "a candidate has a pattern that does not match ^[01-]{1}$"),
            ({"pattern": "11"}, "a candidate has a pattern that does not match ^[01-]{1}$"),
            ({"bin": 1024}, "a candidate has a bin outside -1 to 1023"),
            ({"bin": -2}, "a candidate has a bin outside -1 to 1023"),
            ({"time": START - timedelta(seconds=1)}, f"a candidate's time lies outside the window {WINDOW}"),
            ({"time": WINDOW.end}, f"a candidate's time lies outside the window {WINDOW}"),
        ],
    )
    def test_what_a_faulty_source_returns_is_refused(self, check, items_of, changes, sentence):
        report = check.candidates(PANEL, WINDOW, items_of(**changes))
        assert (report.passed, report.refusal) == (False, sentence)

    @pytest.mark.parametrize("payload", [{"body": None}, {"body": ""}, {}])
    def test_empty_payload_is_reported_and_the_work_goes_on(self, check, items_of, payload):
        report = check.candidates(PANEL, WINDOW, items_of(payload=payload))
        assert report.passed
        assert report.failures == ("payload column 'body' is empty for 1 of 5 candidates",)
