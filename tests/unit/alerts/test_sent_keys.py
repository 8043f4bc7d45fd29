"""What was sent is known to the next process, and a memory that cannot be kept stops no page."""

import pytest

from stratawatch.adapters.alerts.sent_keys import SentKeys


class TestSentKeys:
    def test_the_next_process_knows_them(self, tmp_path):
        SentKeys.of_channel(tmp_path, "console").add("n1")
        again = SentKeys.of_channel(tmp_path, "console")
        assert "n1" in again
        assert "n2" not in again

    def test_channels_have_their_own(self, tmp_path):
        SentKeys.of_channel(tmp_path, "console").add("n1")
        assert "n1" not in SentKeys.of_channel(tmp_path, "other")

    @pytest.mark.parametrize("key", ["two\nlines", "", "\ud800", "x" * 100_000])
    def test_keys_may_hold_anything(self, tmp_path, key):
        SentKeys.of_channel(tmp_path, "console").add(key)
        assert key in SentKeys.of_channel(tmp_path, "console")

    def test_without_a_file_memory_serves(self):
        keys = SentKeys()
        keys.add("n1")
        assert "n1" in keys

    def test_a_file_that_cannot_be_written_stops_nothing(self, tmp_path):
        (tmp_path / ".stratawatch").write_text("no folder")
        keys = SentKeys.of_channel(tmp_path, "console")
        keys.add("n1")
        assert "n1" in keys

    def test_a_damaged_file_is_no_memory(self, tmp_path):
        (tmp_path / ".stratawatch").mkdir()
        (tmp_path / ".stratawatch" / "sent-console").write_bytes(b"\xff\xfe")
        assert "n1" not in SentKeys.of_channel(tmp_path, "console")

    def test_nothing_is_written_before_something_is_sent(self, tmp_path):
        assert "n1" not in SentKeys.of_channel(tmp_path, "console")
        assert list(tmp_path.iterdir()) == []
