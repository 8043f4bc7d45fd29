"""As much as a busy month brings, through a folder: within seconds of this process's own time."""

import json
from time import process_time

from stratawatch.adapters.queues.folder import FolderQueue
from tests.support.batches import batch


def test_ten_thousand_items_go_out_and_their_labels_come_in(tmp_path):
    queue = FolderQueue(tmp_path / "queue")
    queue.adopt("ours")
    begun = process_time()
    for number in range(20):
        queue.publish(batch(f"b{number:02}", count=500))
    assert process_time() - begun < 3
    lines = [line for path in (tmp_path / "queue" / "out").iterdir() for line in path.read_text().splitlines()]
    keys = [line["key"] for line in map(json.loads, lines) if "key" in line]
    assert len(keys) == len(set(keys)) == 10_000
    said = [{"key": key, "value": "yes", "annotator": "ann"} for key in keys]
    _write(tmp_path / "queue" / "in" / "ann.jsonl", said)
    begun = process_time()
    assert len(_read(queue)) == 10_000
    assert process_time() - begun < 3


def test_a_hundred_thousand_events_are_read_again(tmp_path):
    queue = FolderQueue(tmp_path / "queue")
    queue.adopt("ours")
    said = (
        {"key": f"k{i % 9_000}", "value": "no", "annotator": f"a{i % 7}", "event_id": f"e{i}"} for i in range(100_000)
    )
    _write(tmp_path / "queue" / "in" / "tool.jsonl", said)
    begun = process_time()
    first = _read(queue)
    assert len(first) == 100_000
    assert _read(queue) == first
    assert process_time() - begun < 20


def _write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def _read(queue):
    found, cursor = [], {}
    while (polled := queue.poll(cursor)).events:
        found += polled.events
        cursor = polled.cursor
    return found
