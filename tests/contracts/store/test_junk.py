"""A flood of junk in label files is a few rows: on every database."""

from dataclasses import replace

import pytest

from stratawatch.adapters.queues.folder import FolderQueue
from stratawatch.adapters.queues.inbox import ReadCaps
from stratawatch.engine.labels.collect_labels import collect_labels
from tests.support.scenario import Scenario


@pytest.fixture
def scenario(store, tmp_path):
    """A scenario with a queue in a folder that is read 40 lines at a time."""
    made = Scenario.around(store)
    made.ports = replace(made.ports, queue=FolderQueue(tmp_path / "queue", caps=ReadCaps(events=40)))
    collect_labels(made.ports)
    return made


def test_is_one_row_for_each_file_and_reason(scenario, tmp_path):
    inbox = tmp_path / "queue" / "in"
    (inbox / "a.jsonl").write_text("".join(f"junk {i}\n" for i in range(100)) + '{"key": "k"}\n' * 7)
    (inbox / "b.jsonl").write_text("junk\n" * 30)
    assert collect_labels(scenario.ports).rejected == 137
    with scenario.ports.store.begin() as tx:
        rows = tx.cycles.quarantined()
    assert sorted((row.key, row.reason, row.content["count"]) for row in rows) == [
        ("a.jsonl", "has no 'value'", 7),
        ("a.jsonl", "not valid JSON", 100),
        ("b.jsonl", "not valid JSON", 30),
    ]
    (junk,) = [row for row in rows if (row.key, row.reason) == ("a.jsonl", "not valid JSON")]
    assert [line["text"] for line in junk.content["lines"]] == [f"junk {i}" for i in range(5)]
    assert junk.content["lines"][0]["line"] == 1
