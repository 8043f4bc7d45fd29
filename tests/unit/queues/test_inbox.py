"""Label files that others are still writing."""

import gzip
import json
import os
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.adapters.queues import inbox, rejects
from stratawatch.adapters.queues.inbox import ReadCaps
from tests.support.batches import marked_queue
from tests.support.hypothesis_examples import examples

WHOLE = b'{"key": "k1", "value": "yes"}\n'
NEXT = b'{"key": "k2", "value": "no"}\n'


class Desk:
    """A queue, the folder that annotators write to, and a clock that can be put forward."""

    def __init__(self, root, **caps):
        self.waited = timedelta(0)
        self.inbox = root / "in"
        self.inbox.mkdir(parents=True)
        self.rejected = root / "rejected"
        self.queue = marked_queue(root, now=lambda: datetime.now(UTC) + self.waited, caps=ReadCaps(**caps))
        self.cursor = {}

    def write(self, content, name="ann.jsonl", mode="ab"):
        with (self.inbox / name).open(mode) as handle:
            handle.write(content)

    def poll(self):
        polled = self.queue.poll(self.cursor)
        self.cursor = json.loads(json.dumps(polled.cursor))
        return polled

    def keys(self):
        return [event.item_key for event in self.poll().events]


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path / "queue")


class TestUnfinishedLine:
    def test_it_waits_for_its_rest(self, desk):
        desk.write(WHOLE + NEXT[:10])
        assert desk.keys() == ["k1"]
        assert desk.poll().rejected == ()
        desk.write(NEXT[10:])
        assert desk.keys() == ["k2"]

    def test_it_is_set_aside_once_when_its_rest_does_not_come(self, desk):
        desk.write(WHOLE + NEXT[:10])
        desk.poll()
        desk.waited = timedelta(hours=2)
        (bad,) = desk.poll().rejected
        assert "cut in half" in bad.reason
        assert bad.content["line"] == 2
        assert desk.poll().rejected == ()

    def test_a_rest_that_comes_late_is_still_a_label(self, desk):
        desk.write(WHOLE + NEXT[:10])
        desk.waited = timedelta(hours=2)
        desk.poll()
        desk.write(NEXT[10:])
        assert desk.keys() == ["k2"]

    def test_a_complete_line_without_its_newline_counts_after_the_wait_and_only_once(self, desk):
        desk.write(WHOLE + NEXT.rstrip())
        assert desk.keys() == ["k1"]
        desk.waited = timedelta(hours=2)
        (event,) = desk.poll().events
        assert event.item_key == "k2"
        assert desk.poll().events == ()
        desk.write(b"\n")
        assert [again.event_id for again in desk.poll().events] == [event.event_id]

    def test_reading_while_it_waits_leaves_the_cursor_alone(self, desk):
        desk.write(WHOLE + NEXT[:10])
        desk.poll()
        before = desk.cursor
        desk.poll()
        assert desk.cursor == before


class TestChangedFile:
    def test_ids_stay_when_a_file_grows(self, desk):
        desk.write(WHOLE)
        (before,) = desk.poll().events
        desk.write(NEXT)
        desk.cursor = {}
        again = desk.poll().events
        assert [event.item_key for event in again] == ["k1", "k2"]
        assert again[0].event_id == before.event_id

    def test_a_replaced_file_is_read_from_its_beginning(self, desk):
        desk.write(WHOLE + NEXT)
        desk.poll()
        replaced = WHOLE.replace(b"k1", b"k3") + NEXT + NEXT.replace(b"k2", b"k4")
        desk.write(replaced, name="new.tmp")
        (desk.inbox / "new.tmp").rename(desk.inbox / "ann.jsonl")
        assert desk.keys() == ["k3", "k2", "k4"]

    def test_a_line_corrected_in_place_is_a_new_event_and_the_others_keep_their_ids(self, desk):
        desk.write(WHOLE + NEXT)
        before = desk.poll().events
        desk.write(WHOLE.replace(b"yes", b"no ") + NEXT, mode="wb")
        after = desk.poll().events
        assert [event.value for event in after] == ["no", "no"]
        assert after[0].event_id != before[0].event_id
        assert after[1].event_id == before[1].event_id

    def test_a_shortened_file_is_read_from_its_beginning(self, desk):
        desk.write(WHOLE + NEXT)
        desk.poll()
        desk.write(NEXT, mode="wb")
        assert desk.keys() == ["k2"]

    def test_a_file_that_is_gone_leaves_the_cursor(self, desk):
        desk.write(WHOLE)
        desk.poll()
        (desk.inbox / "ann.jsonl").unlink()
        desk.poll()
        assert desk.cursor == {"files": {}}

    def test_a_file_put_back_tells_the_same_ids(self, desk):
        desk.write(WHOLE)
        (before,) = desk.poll().events
        (desk.inbox / "ann.jsonl").unlink()
        desk.poll()
        desk.write(WHOLE)
        assert [event.event_id for event in desk.poll().events] == [before.event_id]


class TestIdentity:
    """Of lines without an id: what was said, and not where it stands."""

    YES, NO = (b'{"key": "k1", "value": "%s", "annotator": "ann"}\n' % value for value in (b"yes", b"no"))

    def ids(self, desk):
        return [event.event_id for event in desk.poll().events]

    def test_is_the_same_in_a_file_of_another_name(self, desk):
        desk.write(self.YES + self.NO + self.YES)
        before = self.ids(desk)
        assert len(set(before)) == 3
        desk.write(self.YES + self.NO + self.YES, name="export.jsonl")
        assert self.ids(desk) == before

    def test_is_the_same_on_another_line_and_beside_fewer_answers(self, desk):
        desk.write(self.YES + self.NO + NEXT)
        first, second, other = self.ids(desk)
        desk.write(NEXT + self.NO, name="export.jsonl")
        assert self.ids(desk) == [other, second]
        desk.write(self.NO + NEXT + self.YES, mode="wb")
        assert self.ids(desk) == [second, other, first]

    def test_an_answer_changed_back_is_another(self, desk):
        """One line a reading, by a queue that goes on and by one that begins anew each time."""
        said = [self.YES, self.NO, self.YES, NEXT, self.NO, self.YES]
        desk.write(b"".join(said), name="whole.jsonl")
        whole = self.ids(desk)
        assert len(set(whole)) == 6
        for fresh, name in ((False, "kept.jsonl"), (True, "anew.jsonl")):
            found = []
            for line in said:
                if fresh:
                    desk.queue = marked_queue(desk.inbox.parent)
                desk.write(line, name=name)
                found += self.ids(desk)
            assert found == whole

    def test_counts_answers_whose_key_is_hard_to_find(self, desk):
        strange = b'{"note": {"key": "k9"}, "k\\u0065y": "k\\u0031", "value": "yes", "annotator": "ann"}\n'
        desk.write(self.YES + strange + self.YES)
        whole = self.ids(desk)
        for line in (self.YES, strange, self.YES):
            desk.queue = marked_queue(desk.inbox.parent)
            desk.write(line, name="anew.jsonl")
            whole.remove(*self.ids(desk))
        assert whole == []


class TestUntouchedFile:
    @pytest.fixture
    def opened(self, monkeypatch):
        """The names of the files that are opened."""
        names = []
        real = inbox._open
        monkeypatch.setattr(inbox, "_open", lambda path: names.append(path.name) or real(path))
        return names

    def test_a_file_that_was_read_to_its_end_is_not_opened_again(self, desk, opened):
        for number in range(20):
            desk.write(WHOLE, name=f"{number:02}.jsonl")
        desk.poll()
        assert len(opened) == 20
        opened.clear()
        before = desk.cursor
        assert desk.keys() == []
        assert opened == []
        assert desk.cursor == before

    def test_only_the_one_that_grew_is_opened(self, desk, opened):
        for name in ("a.jsonl", "b.jsonl", "c.jsonl"):
            desk.write(WHOLE, name=name)
        desk.poll()
        opened.clear()
        desk.write(NEXT, name="b.jsonl")
        assert desk.keys() == ["k2"]
        assert opened == ["b.jsonl"]

    def test_one_that_was_replaced_by_another_of_the_same_size_is_read(self, desk, opened):
        desk.write(WHOLE)
        desk.poll()
        opened.clear()
        desk.write(WHOLE.replace(b"k1", b"k7"), name="new.tmp")
        os.utime(desk.inbox / "new.tmp", ns=(0, (desk.inbox / "ann.jsonl").stat().st_mtime_ns))
        (desk.inbox / "new.tmp").rename(desk.inbox / "ann.jsonl")
        assert desk.keys() == ["k7"]

    def test_one_with_an_unfinished_line_is_looked_at_until_it_is_settled(self, desk, opened):
        desk.write(WHOLE + NEXT[:10])
        desk.poll()
        opened.clear()
        desk.poll()
        assert opened == ["ann.jsonl"]

    def test_one_that_a_poll_could_not_finish_is_opened_again(self, tmp_path, opened):
        desk = Desk(tmp_path / "queue", events=1)
        desk.write(WHOLE + NEXT)
        assert [desk.keys() for _ in range(3)] == [["k1"], ["k2"], []]
        assert opened == ["ann.jsonl"] * 2

    def test_a_poll_whose_cursor_was_never_kept_tells_everything_again(self, desk):
        desk.write(WHOLE)
        kept = desk.cursor
        first = desk.poll().events
        desk.cursor = kept
        assert desk.poll().events == first

    def test_a_place_that_was_kept_by_name_is_still_understood(self, desk):
        desk.write(WHOLE)
        desk.poll()
        names = ("offset", "line", "crc", "stamp", "told")
        desk.cursor = {"files": {k: dict(zip(names, v, strict=True)) for k, v in desk.cursor["files"].items()}}
        desk.write(NEXT)
        assert desk.keys() == ["k2"]


class TestCaps:
    def test_a_poll_ends_at_its_cap_and_the_next_goes_on(self, tmp_path):
        desk = Desk(tmp_path / "queue", events=3)
        for name in ("a.jsonl", "b.jsonl"):
            desk.write(b"".join(WHOLE.replace(b"k1", f"{name}{i}".encode()) for i in range(4)), name=name)
        polls = [desk.keys() for _ in range(4)]
        assert [len(keys) for keys in polls] == [3, 3, 2, 0]
        assert len({key for keys in polls for key in keys}) == 8

    def test_a_line_that_is_too_long_is_set_aside_and_the_next_is_read(self, tmp_path):
        desk = Desk(tmp_path / "queue", line_bytes=100)
        long = b'{"key": "k9", "value": "yes", "note": "' + b"x" * 200_000 + b'"}\n'
        desk.write(long + NEXT)
        polled = desk.poll()
        assert [event.item_key for event in polled.events] == ["k2"]
        assert [bad.reason for bad in polled.rejected] == ["longer than 100 bytes"]
        assert desk.poll().rejected == ()

    def test_a_line_exactly_at_the_cap_is_read(self, tmp_path):
        desk = Desk(tmp_path / "queue", line_bytes=len(WHOLE))
        desk.write(WHOLE + WHOLE.replace(b"yes", b"skip"))
        polled = desk.poll()
        assert (len(polled.events), len(polled.rejected)) == (1, 1)

    def test_a_file_that_is_too_large_is_told_once_and_does_not_stop_the_others(self, tmp_path):
        desk = Desk(tmp_path / "queue", file_bytes=100)
        desk.write(WHOLE * 10, name="large.jsonl")
        desk.write(NEXT, name="small.jsonl")
        polled = desk.poll()
        assert [event.item_key for event in polled.events] == ["k2"]
        assert [bad.key for bad in polled.rejected] == ["large.jsonl"]
        assert "larger than 100 bytes" in polled.rejected[0].reason
        assert desk.poll().rejected == ()


class TestWhatIsNoLabelFile:
    @pytest.mark.parametrize("name", ["ann.jsonl.tmp", ".ann.jsonl", "ann.json", "notes.txt"])
    def test_drafts_and_other_files_are_not_read(self, desk, name):
        desk.write(WHOLE, name=name)
        assert desk.keys() == []

    def test_a_link_is_refused_once_and_never_read(self, desk, tmp_path):
        outside = tmp_path / "secret.jsonl"
        outside.write_bytes(WHOLE)
        (desk.inbox / "link.jsonl").symlink_to(outside)
        desk.write(NEXT)
        polled = desk.poll()
        assert [event.item_key for event in polled.events] == ["k2"]
        assert "symbolic link" in polled.rejected[0].reason
        assert desk.poll().rejected == ()

    def test_a_compressed_file_is_junk_within_the_caps(self, desk):
        desk.write(gzip.compress(b"x" * (8 << 20)))
        desk.write(b"\n" + NEXT)
        polled = desk.poll()
        assert [event.item_key for event in polled.events] == ["k2"]
        assert all(len(str(row.content)) < 2000 for row in polled.rejected)

    def test_a_pipe_and_a_folder_hold_nobody_up(self, desk):
        os.mkfifo(desk.inbox / "pipe.jsonl")
        (desk.inbox / "folder.jsonl").mkdir()
        desk.write(NEXT)
        polled = desk.poll()
        assert [event.item_key for event in polled.events] == ["k2"]
        assert sorted(bad.key for bad in polled.rejected) == ["folder.jsonl", "pipe.jsonl"]


class TestRejects:
    def test_a_bad_line_is_kept_beside_its_file_with_the_reason(self, desk):
        desk.write(b"rubbish\n" + WHOLE)
        assert desk.keys() == ["k1"]
        (kept,) = (desk.rejected / "ann.jsonl").read_text().splitlines()
        assert json.loads(kept) == {"file": "ann.jsonl", "line": 1, "text": "rubbish", "reason": "not valid JSON"}

    def test_reading_again_keeps_it_once(self, desk):
        desk.write(b"rubbish\n" + WHOLE + b"rubbish\n")
        for _ in range(3):
            desk.cursor = {}
            desk.poll()
        assert len((desk.rejected / "ann.jsonl").read_text().splitlines()) == 2

    def test_only_so_many_lines_of_a_file_are_kept(self, tmp_path, monkeypatch):
        monkeypatch.setattr(rejects, "MOST_KEPT", 5)
        desk = Desk(tmp_path / "queue", events=3)
        desk.write(b"".join(b"rubbish %d\n" % number for number in range(20)))
        while desk.poll().rejected:
            pass
        kept = [json.loads(line) for line in (desk.rejected / "ann.jsonl").read_text().splitlines()]
        assert [line.get("line") for line in kept] == [1, 2, 3, 4, 5, None]
        assert "are not kept here" in kept[-1]["reason"]

    def test_what_a_planted_link_shows_is_not_copied(self, desk, tmp_path):
        secret = tmp_path / "secret"
        secret.write_text("secret\n")
        desk.rejected.mkdir()
        (desk.rejected / "ann.jsonl").symlink_to(secret)
        desk.write(b"rubbish\n")
        desk.poll()
        assert secret.read_text() == "secret\n"
        assert "secret" not in (desk.rejected / "ann.jsonl").read_text()


LINES = st.lists(
    st.sampled_from(
        [WHOLE, NEXT, b"rubbish\n", b"\n", b'{"key": "k3"}\n', b'{"key":"k4","value":null}\r\n', b"\xff\n"]
    ),
    max_size=12,
)


@settings(max_examples=examples(60), deadline=None)
@given(lines=LINES, cuts=st.lists(st.integers(0, 400), max_size=8), cap=st.integers(1, 4))
def test_however_a_file_grows_it_tells_what_one_reading_tells(tmp_path_factory, lines, cuts, cap):
    content = b"".join(lines)
    whole = Desk(tmp_path_factory.mktemp("whole") / "queue")
    whole.write(content)
    once = whole.poll()

    slow = Desk(tmp_path_factory.mktemp("slow") / "queue", events=cap)
    events, rejected = [], []
    ends = sorted({min(cut, len(content)) for cut in cuts} | {len(content)})
    for start, end in zip([0, *ends], ends, strict=False):
        slow.write(content[start:end])
        while True:
            before, polled = slow.cursor, slow.poll()
            assert len(polled.events) + len(polled.rejected) <= cap
            assert slow.queue.poll(before).events == polled.events
            events += polled.events
            rejected += polled.rejected
            if slow.cursor == before:
                break
    assert [(e.event_id, e.item_key, e.value) for e in events] == [
        (e.event_id, e.item_key, e.value) for e in once.events
    ]
    assert rejected == list(once.rejected)
