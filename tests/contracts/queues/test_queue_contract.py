"""What the engine relies on, whatever the queue is."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from stratawatch.engine.model.label_events import Batch, LabelTask
from stratawatch.engine.model.states import BatchState

AT = "2026-01-05T10:00:00+02:00"


def batch(key="spam-p00000-r1-b1", items=("k1", "k2")):
    tasks = tuple(LabelTask(item, {"text": f"text of {item} \U0001f642 'quoted\"\n"}) for item in items)
    return Batch(7, 3, key, BatchState.PLANNED, 0, "Is it spam?", "Read the guideline.", tasks)


class TestPublish:
    def test_every_task_goes_out_once_with_its_payload(self, world):
        receipt = world.queue().publish(batch())
        assert not receipt.duplicate
        assert receipt.reference
        assert [line["key"] for line in world.asked()] == ["k1", "k2"]
        assert world.asked()[0]["payload"] == {"text": "text of k1 \U0001f642 'quoted\"\n"}

    def test_nothing_but_the_question_and_the_payload_goes_out(self, world):
        world.queue().publish(batch())
        assert {key for line in world.asked() for key in line} == {"batch", "key", "question", "payload"}

    def test_publishing_again_changes_nothing_and_says_so(self, world):
        queue = world.queue()
        queue.publish(batch())
        assert queue.publish(batch()).duplicate
        assert len(world.asked()) == 2

    def test_a_restarted_process_recognises_what_is_out(self, world):
        world.queue().publish(batch())
        assert world.queue().publish(batch()).duplicate
        assert len(world.asked()) == 2

    def test_batches_do_not_disturb_one_another(self, world):
        queue = world.queue()
        assert not queue.publish(batch("a")).duplicate
        assert not queue.publish(batch("b", items=("k3",))).duplicate
        assert sorted(line["key"] for line in world.asked()) == ["k1", "k2", "k3"]


class TestPoll:
    def test_an_empty_queue_says_nothing_and_keeps_its_cursor(self, world):
        first = world.queue().poll({})
        assert first.events == ()
        assert world.queue().poll(first.cursor).cursor == first.cursor

    def test_an_answer_arrives_whole_and_in_utc(self, world):
        queue = world.queue()
        world.answer(key="k1", value="no", annotator="ann", event_id="e1", at=AT)
        (event,) = queue.poll({}).events
        assert (event.source, event.event_id, event.item_key) == (queue.name, "e1", "k1")
        assert (event.annotator, event.value) == ("ann", "no")
        assert event.at == datetime(2026, 1, 5, 8, tzinfo=UTC)
        assert event.at.utcoffset() == timedelta(0)

    @pytest.mark.parametrize("value", ["yes", "no", "skip", "retract"])
    def test_every_value_arrives(self, world, value):
        world.answer(key="k1", value=value, annotator="ann", at=AT)
        assert [event.value for event in world.queue().poll({}).events] == [value]

    def test_the_same_cursor_gives_the_same_events(self, world):
        for number in range(20):
            world.answer(key=f"k{number}", value="yes", annotator="ann", at=AT)
        assert world.queue().poll({}) == world.queue().poll({})
        assert len({event.event_id for event in world.queue().poll({}).events}) == 20

    def test_what_was_read_is_not_told_again(self, world):
        world.answer(key="k1", value="yes", annotator="ann", at=AT)
        first = world.queue().poll({})
        world.answer(key="k2", value="no", annotator="ann", at=AT)
        second = world.queue().poll(first.cursor)
        assert [event.item_key for event in second.events] == ["k2"]
        third = world.queue().poll(second.cursor)
        assert (third.events, third.rejected, third.cursor) == ((), (), second.cursor)

    def test_the_cursor_survives_being_kept_as_json(self, world):
        world.answer(key="k1", value="yes", annotator="ann", at=AT)
        cursor = json.loads(json.dumps(world.queue().poll({}).cursor))
        assert world.queue().poll(cursor).events == ()

    def test_an_edit_is_a_new_event(self, world):
        world.answer(key="k1", value="yes", annotator="ann", at=AT)
        world.answer(key="k1", value="no", annotator="ann", at=AT)
        events = world.queue().poll({}).events
        assert [event.value for event in events] == ["yes", "no"]
        assert events[0].event_id != events[1].event_id

    def test_an_answer_that_makes_no_sense_is_set_aside_with_a_reason(self, world):
        world.answer(key="k1", value="perhaps", annotator="ann", at=AT)
        world.answer(key="k2", value="yes", annotator="ann", at=AT)
        polled = world.queue().poll({})
        assert [event.item_key for event in polled.events] == ["k2"]
        (bad,) = polled.rejected
        assert (bad.kind, bad.key) == ("label", "k1")
        assert "value" in bad.reason


class TestCancel:
    def test_a_withdrawn_batch_is_asked_no_more(self, world):
        queue = world.queue()
        queue.publish(batch())
        queue.cancel(["spam-p00000-r1-b1"])
        assert world.asked() == []

    def test_withdrawing_again_or_the_unknown_changes_nothing(self, world):
        queue = world.queue()
        queue.publish(batch("a"))
        queue.publish(batch("b", items=("k3",)))
        for _ in range(3):
            queue.cancel(["a", "never-published"])
        assert [line["key"] for line in world.asked()] == ["k3"]

    def test_a_withdrawn_batch_never_goes_out_again(self, world):
        queue = world.queue()
        queue.publish(batch("a"))
        queue.cancel(["a", "b"])
        assert queue.publish(batch("a")).duplicate
        assert queue.publish(batch("b")).duplicate
        assert world.asked() == []

    def test_answers_to_a_withdrawn_batch_are_still_read(self, world):
        queue = world.queue()
        queue.publish(batch())
        queue.cancel(["spam-p00000-r1-b1"])
        world.answer(key="k1", value="yes", annotator="ann", at=AT)
        assert len(queue.poll({}).events) == 1


def test_describe_speaks_in_texts(world):
    world.queue().publish(batch())
    found = world.queue().describe()
    assert found
    assert all(isinstance(part, str) for pair in found.items() for part in pair)
