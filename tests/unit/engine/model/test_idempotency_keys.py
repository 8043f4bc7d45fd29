"""Keys are deterministic, opaque and apart."""

from datetime import datetime

import pytest

from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.idempotency_keys import (
    batch_key,
    incident_key,
    item_key,
    item_key_without_question,
    question_wording,
    round_key_of_batch,
    shuffle_key,
)
from stratawatch.engine.ports.clock import FixedClock
from stratawatch.errors import StratawatchError

QUESTION = "Is it spam?"


class TestItemKeys:
    def test_do_not_change_between_versions(self):
        key = "0b6bc6f047ab9d6eb58a18ca1a61369ad26f41e20b80fd9a4227c398be7dc51d"
        assert item_key("spam", "item-1", "q") == key
        key_of_before = "18db1ad8da58f0a374143a7b6481e84c0df7b70f0bd384f434f6a3306ef59eaa"
        assert item_key_without_question("spam", "item-1") == key_of_before

    def test_keep_ids_apart_that_differ_only_in_case_or_blanks(self):
        keys = {item_key("spam", item, "q") for item in ("a", "A", "a ", " a", "a\n")}
        assert len(keys) == 5

    def test_cannot_be_forged_by_moving_the_border(self):
        assert item_key("ab", "c", "q") != item_key("a", "bc", "q")

    def test_have_one_length_whatever_the_id(self):
        assert {len(item_key("spam", item, "q")) for item in ("", "é" * 10_000, "🙂")} == {64}

    def test_are_others_for_another_question(self):
        assert (
            len({item_key("spam", "a", "q"), item_key("spam", "a", "r"), item_key_without_question("spam", "a")}) == 3
        )


class TestQuestionWordings:
    def test_do_not_change_between_versions(self):
        assert question_wording("Is it?", "It is if.") == "06c955311dda9d22"

    def test_are_those_of_question_and_guideline(self):
        wordings = [
            question_wording("Is it?", "If."),
            question_wording("Is it?", "if."),
            question_wording("Is it", "If."),
        ]
        assert len(set(wordings)) == 3

    def test_are_those_of_question_and_version_where_that_is_set(self):
        mended = {question_wording("Is it?", guideline, "1") for guideline in ("If.", "If!")}
        assert len(mended) == 1
        assert mended != {question_wording("Is it?", "If.", "2")}
        assert mended.isdisjoint({question_wording("Is it?", "1"), question_wording("Is it", "If.", "1")})


class TestOtherKeys:
    def test_batches_sort_by_period_round_and_part(self):
        keys = [batch_key("p", *place, "content") for place in ((2, 1, 1), (2, 1, 2), (2, 2, 1), (10, 1, 1))]
        assert keys == sorted(keys)

    def test_batches_of_another_content_have_another_key(self):
        contents = ([QUESTION, "", []], [QUESTION, "", [["k", {}]]], [QUESTION, "g", [["k", {}]]], ["Really?", "", []])
        assert len({batch_key("p", 2, 1, 1, content) for content in contents}) == len(contents)

    def test_batches_of_the_same_content_have_the_same_key_whatever_the_order_of_its_columns(self):
        one, other = ([QUESTION, "", [["k", payload]]] for payload in ({"a": 1.5, "b": "é"}, {"b": "é", "a": 1.5}))
        assert batch_key("p", 2, 1, 1, one) == batch_key("p", 2, 1, 1, other) == "p-p00002-r1-b1-12804196"

    def test_batches_of_a_window_that_is_run_again_are_of_other_rounds(self):
        keys = [batch_key("p", 2, 1, 1, "content", runs) for runs in range(3)]
        assert keys == sorted(keys)
        assert [round_key_of_batch(key) for key in keys] == ["p-p00002-r1", "p-p00002.1-r1", "p-p00002.2-r1"]

    def test_the_order_of_a_round_depends_on_the_round(self):
        assert shuffle_key("s", 1, 1, "k") != shuffle_key("s", 1, 2, "k")

    def test_incidents_of_a_segment_have_their_own_key(self):
        whole, part = StreamKey("p", "lr", "recall"), StreamKey("p", "lr", "recall", "country=DE")
        assert incident_key(whole, 3, 1) != incident_key(part, 3, 1)

    def test_incidents_that_open_again_have_another_key(self):
        stream = StreamKey("p", "lr", "recall")
        assert incident_key(stream, 3, 1) != incident_key(stream, 3, 2)


def test_a_fixed_clock_wants_an_offset():
    with pytest.raises(StratawatchError, match="offset"):
        FixedClock(datetime(2026, 1, 5))  # noqa: DTZ001 - the naive moment is the point
