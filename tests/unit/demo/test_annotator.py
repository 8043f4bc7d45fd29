import json
from datetime import UTC, datetime

import pytest

from stratawatch.demo.annotator import Annotator, cannot_decide
from tests.support.batches import marked_queue

NOW = datetime(2026, 1, 12, 3, tzinfo=UTC)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path


def ask(root, batch: str, *texts: str) -> None:
    header = {"batch": batch, "question": "A scam?", "guideline": "", "count": len(texts)}
    tasks = [{"batch": batch, "key": f"{batch}-{n}", "payload": {"text": text}} for n, text in enumerate(texts)]
    (root / "out" / f"{batch}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [header, *tasks]))


def answers(root) -> list[dict[str, str]]:
    files = sorted((root / "in").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def annotator(root, skip_share: float = 0.0) -> Annotator:
    return Annotator(root, "ana", lambda text: text.startswith("scam"), skip_share)


class TestAnswer:
    def test_says_the_truth_of_every_task_and_ignores_the_header(self, root):
        ask(root, "b1", "scam a", "honest b")
        assert annotator(root).answer(NOW) == 2
        assert [(line["key"], line["value"]) for line in answers(root)] == [("b1-0", "yes"), ("b1-1", "no")]

    def test_a_line_has_the_queues_fields(self, root):
        ask(root, "b1", "scam a")
        annotator(root).answer(NOW)
        assert answers(root) == [
            {"key": "b1-0", "value": "yes", "annotator": "ana", "event_id": "ana-b1-0", "at": NOW.isoformat()}
        ]

    def test_answers_each_batch_once(self, root):
        ask(root, "b1", "scam a")
        annotator(root).answer(NOW)
        ask(root, "b2", "scam c")
        assert annotator(root).answer(NOW) == 1
        assert [line["key"] for line in answers(root)] == ["b1-0", "b2-0"]

    def test_leaves_no_draft_behind(self, root):
        ask(root, "b1", "scam a")
        annotator(root).answer(NOW)
        assert [path.name for path in (root / "in").iterdir()] == ["b1.ana.jsonl"]

    def test_an_empty_queue_is_no_work(self, tmp_path):
        assert annotator(tmp_path).answer(NOW) == 0

    def test_passes_when_undecided(self, root):
        ask(root, "b1", "scam a")
        annotator(root, skip_share=1.0).answer(NOW)
        assert answers(root)[0]["value"] == "skip"

    def test_the_queue_reads_every_answer(self, root):
        ask(root, "b1", "scam a", "honest b", "scam c")
        annotator(root).answer(NOW)
        polled = marked_queue(root).poll({})
        assert [(event.item_key, event.value) for event in polled.events] == [
            ("b1-0", "yes"),
            ("b1-1", "no"),
            ("b1-2", "yes"),
        ]
        assert polled.rejected == ()


class TestPasses:
    def test_is_a_fixed_share_of_the_keys(self):
        passed = sum(cannot_decide(f"key-{n}", 0.1) for n in range(5_000))
        assert passed == pytest.approx(500, abs=85)

    def test_never_and_always(self):
        assert not any(cannot_decide(f"key-{n}", 0.0) for n in range(1_000))
        assert all(cannot_decide(f"key-{n}", 1.0) for n in range(1_000))
