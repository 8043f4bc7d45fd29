"""As much as a busy month brings, through a folder: within seconds."""

import json

from stratawatch.adapters.queues.folder import FolderQueue
from tests.support.batches import batch
from tests.support.wall_time import seconds_within


def test_ten_thousand_items_go_out_and_their_labels_come_in(tmp_path):
    roots = []

    def publish():
        roots.append(tmp_path / f"queue-{len(roots)}")
        queue = FolderQueue(roots[-1])
        queue.adopt("ours")
        for number in range(20):
            queue.publish(batch(f"b{number:02}", count=500))

    assert seconds_within(3, publish) < 3
    root = roots[-1]
    lines = [line for path in (root / "out").iterdir() for line in path.read_text().splitlines()]
    keys = [line["key"] for line in map(json.loads, lines) if "key" in line]
    assert len(keys) == len(set(keys)) == 10_000
    said = [{"key": key, "value": "yes", "annotator": "ann"} for key in keys]
    _write(root / "in" / "ann.jsonl", said)
    found = []
    assert seconds_within(3, lambda: found.append(_read(FolderQueue(root)))) < 3
    assert {len(events) for events in found} == {10_000}


def test_a_hundred_thousand_events_are_read_again(tmp_path):
    queue = FolderQueue(tmp_path / "queue")
    queue.adopt("ours")
    said = (
        {"key": f"k{i % 9_000}", "value": "no", "annotator": f"a{i % 7}", "event_id": f"e{i}"} for i in range(100_000)
    )
    _write(tmp_path / "queue" / "in" / "tool.jsonl", said)
    first, again = _read(queue), []
    assert len(first) == 100_000
    assert seconds_within(10, lambda: again.append(_read(queue))) < 10
    assert again[-1] == first


def _write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def _read(queue):
    found, cursor = [], {}
    while (polled := queue.poll(cursor)).events:
        found += polled.events
        cursor = polled.cursor
    return found
