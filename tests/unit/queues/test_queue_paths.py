"""No name leads out of the queue's folder."""

import pytest

from stratawatch.adapters.queues.queue_paths import LONGEST_NAME, batch_file_name, sub_folder
from stratawatch.engine.model.label_events import Batch
from stratawatch.engine.model.states import BatchState
from stratawatch.errors import StratawatchError, Unreachable
from tests.support.batches import marked_queue

ESCAPES = ["../x", "..", ".", "/etc/passwd", "a/../../b", "a\\b", ".hidden", "~root", "", "nul\0", "C:\\x"]


class TestFileName:
    @pytest.mark.parametrize("key", ESCAPES)
    def test_a_key_that_could_lead_out_is_refused(self, key):
        with pytest.raises(StratawatchError, match="lead out"):
            batch_file_name(key)

    def test_different_keys_have_different_files(self):
        keys = ["a b", "a%20b", "a+b", "a_b", "ä", "a:b", "\U0001f642", "a\nb"]
        assert len({batch_file_name(key) for key in keys}) == len(keys)

    def test_a_name_holds_plain_characters_only(self):
        assert batch_file_name("a b\n\U0001f642\ud800.x").isascii()
        assert "\n" not in batch_file_name("a\nb")

    def test_a_key_longer_than_a_file_name_may_be_is_refused(self):
        batch_file_name("k" * (LONGEST_NAME - 6))
        with pytest.raises(StratawatchError, match="too long"):
            batch_file_name("k" * (LONGEST_NAME - 5))


class TestRoom:
    def test_a_link_that_leads_out_is_refused(self, tmp_path):
        outside = tmp_path / "outside"
        outside.mkdir()
        root = tmp_path / "queue"
        root.mkdir()
        (root / "out").symlink_to(outside)
        with pytest.raises(StratawatchError, match="symbolic link"):
            sub_folder(root, "out")
        assert list(outside.iterdir()) == []

    def test_the_root_itself_may_be_a_link_the_user_made(self, tmp_path):
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "real")
        assert sub_folder(tmp_path / "link", "out").is_dir()

    def test_a_root_below_a_file_is_unreachable_and_named(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(Unreachable, match=r"file/queue/out cannot be created"):
            sub_folder(tmp_path / "file" / "queue", "out")


@pytest.mark.parametrize("key", ESCAPES)
def test_neither_publishing_nor_withdrawing_leaves_the_folder(tmp_path, key):
    queue = marked_queue(tmp_path / "queue")
    with pytest.raises(StratawatchError):
        queue.publish(Batch(1, 1, key, BatchState.PLANNED, 0, "q", "g", ()))
    with pytest.raises(StratawatchError):
        queue.cancel([key])
    assert [p.name for p in tmp_path.iterdir() if p.name != "queue"] == []
