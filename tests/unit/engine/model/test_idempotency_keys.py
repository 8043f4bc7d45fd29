"""Keys are deterministic, opaque and apart."""

from datetime import datetime

import pytest

from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.idempotency_keys import batch_key, incident_key, item_key, shuffle_key
from stratawatch.engine.ports.clock import FixedClock
from stratawatch.errors import StratawatchError


class TestItemKeys:
    def test_do_not_change_between_versions(self):
        assert item_key("spam", "item-1") == "18db1ad8da58f0a374143a7b6481e84c0df7b70f0bd384f434f6a3306ef59eaa"

    def test_keep_ids_apart_that_differ_only_in_case_or_blanks(self):
        keys = {item_key("spam", item) for item in ("a", "A", "a ", " a", "a\n")}
        assert len(keys) == 5

    def test_cannot_be_forged_by_moving_the_border(self):
        assert item_key("ab", "c") != item_key("a", "bc")

    def test_have_one_length_whatever_the_id(self):
        assert {len(item_key("spam", item)) for item in ("", "é" * 10_000, "🙂")} == {64}


class TestOtherKeys:
    def test_batches_sort_by_period_round_and_part(self):
        keys = [batch_key("p", 2, 1, 1), batch_key("p", 2, 1, 2), batch_key("p", 2, 2, 1), batch_key("p", 10, 1, 1)]
        assert keys == sorted(keys)

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
