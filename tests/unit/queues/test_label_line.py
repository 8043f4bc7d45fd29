"""A line of a label file is a label event, or says why it is none."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.adapters.queues.label_line import LONGEST_WORD, Origin, read_line, turn_id
from stratawatch.engine.model.idempotency_keys import item_key
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.quarantined_row import QuarantinedRow

MTIME = datetime(2026, 1, 5, 8, 30, tzinfo=UTC)
HERE = Origin("folder", "ann.jsonl", 4, MTIME)
CONSTANTS = [(True, "yes"), (False, "no"), (None, "skip")]


def read(said, origin=HERE):
    return read_line(json.dumps(said).encode() + b"\n", origin)


class TestValues:
    @pytest.mark.parametrize(
        ("told", "value"),
        [
            ("yes", "yes"),
            ("no", "no"),
            ("skip", "skip"),
            ("retract", "retract"),
            (" Yes ", "yes"),
            ("NO", "no"),
            *CONSTANTS,
            (1, "yes"),
            (0, "no"),
            (1.0, "yes"),
            ("1", "yes"),
            ("0", "no"),
            ("1.0", "yes"),
            ("TRUE", "yes"),
            ("false", "no"),
        ],
    )
    def test_words_numbers_and_json_constants_are_understood(self, told, value):
        assert read({"key": "k", "value": told}).value == value

    @pytest.mark.parametrize("told", ["maybe", "", 2, -1, 0.5, float("nan"), [], {}, [1], "ja", "10", "null"])
    def test_anything_else_is_refused(self, told):
        assert "'value' is none of" in read({"key": "k", "value": told}).reason

    def test_a_missing_value_is_not_a_skip(self):
        assert read({"key": "k"}).reason == "has no 'value'"


class TestDefaults:
    def test_time_and_annotator_have_defaults(self):
        event = read({"key": "k", "value": "yes"})
        assert (event.at, event.annotator) == (MTIME, "anonymous")

    def test_a_name_stays_as_it_is_written_and_one_that_nobody_sees_is_refused(self):
        assert read({"key": "k", "value": "yes", "annotator": " Ann"}).annotator == " Ann"
        assert "nothing of it can be seen" in read({"key": "k", "value": "yes", "annotator": "\u200b"}).reason

    def test_the_id_depends_on_what_was_said_when_by_whom_and_on_nothing_else(self):
        said = {"key": "k", "value": "yes", "annotator": "ann", "at": "2026-01-05T08:00:00+00:00"}
        elsewhere = Origin("folder", "ben.jsonl", 9, datetime(2027, 1, 1, tzinfo=UTC))
        same = said | {"at": "2026-01-05T09:00:00+01:00", "note": "sure"}
        assert read(said).event_id == read(same, elsewhere).event_id
        changes = [{"key": "l"}, {"value": "no"}, {"annotator": "ben"}, {"at": "2026-01-05T08:00:01+00:00"}]
        assert len({read(said | change).event_id for change in [{}, *changes]}) == 5

    def test_a_line_without_a_time_is_given_its_id_by_its_turn(self):
        assert read({"key": "k", "value": "yes"}).event_id == ""
        ids = [turn_id("k", "ann", "yes", 1), turn_id("k", "ann", "yes", 2), turn_id("k", "ann", "no", 1)]
        assert len(set(ids)) == 3

    def test_a_line_end_of_another_system_does_not_change_the_id(self):
        unix, windows = (read_line(b'{"key":"k","value":"yes"}' + end, HERE) for end in (b"\n", b"\r\n"))
        assert unix == windows

    def test_an_id_of_its_own_is_kept(self):
        assert read({"key": "k", "value": "yes", "event_id": "e-1"}).event_id == "e-1"


class TestRefused:
    @pytest.mark.parametrize(
        ("raw", "reason"),
        [
            (b"rubbish\n", "not valid JSON"),
            (b'{"key": "k", "value": "y\n', "not valid JSON"),
            (b"[" * 100_000, "not valid JSON"),
            (b'["k", "yes"]\n', "not a JSON object"),
            (b'{"key": "k", "value": "yes", "value": "no"}\n', "has a field twice"),
            (b'{"key": "k", "value": "yes", "task": {"id": 1, "id": 1}}\n', "has a field twice"),
            (b"\xff\xfe\n", "not UTF-8 text"),
            (b'{"value": "yes"}\n', "has no 'key'"),
            (b'{"key": 7, "value": "yes"}\n', "'key' is not a text"),
            (b'{"key": "  ", "value": "yes"}\n', "'key' is empty"),
            (b'{"key": "a\\u0000", "value": "yes"}\n', "'key' holds characters that no store can keep"),
            (b'{"key": "a\\ud800", "value": "yes"}\n', "'key' holds characters that no store can keep"),
            (b'{"key": "k", "value": "yes", "annotator": 3}\n', "'annotator' is not a text"),
            (b'{"key": "k", "value": "yes", "at": "yesterday"}\n', "'at' is not a time like"),
            (b'{"key": "k", "value": "yes", "at": 1767600000}\n', "'at' is not a time like"),
            (b'{"key": "k", "value": "yes", "at": "0001-01-01T00:00:00+23:00"}\n', "'at' is not a time like"),
            (b'{"key": "k", "value": "yes", "at": "2026-01-05T08:00:00"}\n', "'at' has no offset from UTC"),
        ],
    )
    def test_the_reason_names_what_is_wrong(self, raw, reason):
        bad = read_line(raw, HERE)
        assert isinstance(bad, QuarantinedRow)
        assert bad.reason.startswith(reason)

    def test_words_have_a_longest_length(self):
        assert isinstance(read({"key": "k" * LONGEST_WORD, "value": "yes"}), LabelEvent)
        assert "longer than" in read({"key": "k" * (LONGEST_WORD + 1), "value": "yes"}).reason

    def test_it_is_known_by_its_key_or_else_by_its_place(self):
        assert read({"key": "k9", "value": "?"}).key == "k9"
        assert read_line(b"rubbish\n", HERE).key == "ann.jsonl:4"

    def test_what_is_shown_of_it_is_short_and_can_be_stored(self):
        bad = read_line(b"\0\xff" + b"x" * 10_000, HERE)
        assert len(bad.content["text"]) == 500
        assert "\0" not in bad.content["text"]

    @given(st.binary(max_size=200))
    def test_no_bytes_at_all_raise(self, raw):
        assert isinstance(read_line(raw, HERE), LabelEvent | QuarantinedRow)


def test_a_byte_order_mark_is_no_obstacle():
    assert read_line(b'\xef\xbb\xbf{"key":"k","value":"yes"}\n', HERE).item_key == "k"


def test_a_task_line_with_an_answer_added_is_a_label():
    event = read({"batch": "b", "key": "k", "question": "?", "payload": {"text": "x"}, "value": True})
    assert (event.item_key, event.value) == ("k", "yes")


def test_a_key_in_capitals_is_the_key_that_was_asked_about():
    """Spreadsheets and tools write hexadecimal digits as they like; what is no key stays as it is."""
    key, said = item_key("spam", "m-17", "q"), {"value": "yes", "at": "2026-01-05T08:00:00Z"}
    assert read({"key": key.upper(), **said}) == read({"key": key, **said})
    assert read({"key": "K-17", **said}).item_key == "K-17"
