"""The demo's annotator at the label page."""

from datetime import UTC, datetime

from flows.demo_page import PageAnnotator
from stratawatch.adapters.queues.page import PageQueue
from stratawatch.demo.annotator import Annotator
from stratawatch.engine.model.label_events import Batch, LabelTask
from stratawatch.engine.model.states import BatchState

NOW = datetime(2026, 1, 12, 3, tzinfo=UTC)


def test_it_answers_what_is_shown_by_its_text_at_the_time_of_the_story(tmp_path):
    queue = PageQueue(tmp_path)
    queue.adopt("ours")
    texts = ["scam <b>a</b> & 'more'", "honest b"]
    tasks = tuple(LabelTask(f"k{number}", {"text": text}) for number, text in enumerate(texts))
    queue.publish(Batch(1, 1, "b1", BatchState.PLANNED, 0, "A scam?", "", tasks, "q1"))
    who = PageAnnotator(tmp_path, Annotator(tmp_path, "ana", lambda text: text == texts[0], skip_share=0))
    assert who.answer(NOW) == 2
    said = queue.poll({}).events
    assert {(e.item_key, e.annotator, e.value, e.at) for e in said} == {
        ("k0", "ana", "yes", NOW),
        ("k1", "ana", "no", NOW),
    }
    assert who.answer(NOW) == 0
