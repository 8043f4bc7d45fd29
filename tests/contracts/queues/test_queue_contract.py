"""What the engine relies on, whatever the queue is."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from stratawatch.engine.model.label_events import LabelTask
from stratawatch.engine.ports import PayloadKeeper
from stratawatch.errors import StratawatchError, Unreachable
from tests.contracts.queues.conftest import WORD_FOR_WORD
from tests.support.brokers import BrokerBackend
from tests.support.label_services import WebhookBackend
from tests.support.label_studio import LabelStudioBackend
from tests.support.queue_backends import AT, batch, ours

word_for_word = pytest.mark.parametrize("backend", WORD_FOR_WORD, indirect=True)


class TestIdentity:
    def test_a_place_has_none_until_it_is_adopted(self, backend):
        assert backend.unmarked().identity() == ""
        backend.unmarked().adopt("abc")
        assert backend.unmarked().identity() == "abc"

    def test_a_place_can_be_given_another(self, backend):
        backend.unmarked().adopt("abc")
        backend.unmarked().adopt("def")
        assert backend.unmarked().identity() == "def"

    @pytest.mark.parametrize(
        "use",
        [lambda queue: queue.publish(batch()), lambda queue: queue.poll({}), lambda queue: queue.cancel(["a"])],
        ids=["publish", "poll", "cancel"],
    )
    def test_a_place_that_vanished_is_unreachable_and_stays_empty(self, backend, use):
        queue = backend.queue()
        queue.publish(batch())
        backend.answer(key="k1", value="yes", annotator="ann", at=AT)
        backend.lose()
        with pytest.raises(Unreachable, match="adopt-queue"):
            use(queue)
        backend.find_again()
        assert queue.identity() == "ours"
        assert len(backend.asked()) == 2
        assert len(queue.poll({}).events) == 1

    def test_looking_at_a_place_creates_nothing(self, backend):
        queue = backend.unmarked()
        assert queue.identity() == ""
        assert queue.batch_keys() == frozenset()
        assert queue.describe()
        assert not backend.root.exists()

    def test_batches_are_listed_by_their_keys_also_withdrawn_ones(self, backend):
        queue = backend.queue()
        queue.publish(batch("a"))
        queue.publish(batch("na\u00efve b", items=("k3",)))
        queue.cancel(["a", "never-published"])
        assert queue.batch_keys() == {"a", "na\u00efve b", "never-published"}


class TestPublish:
    def test_every_task_goes_out_once_with_its_payload(self, backend):
        receipt = backend.queue().publish(batch())
        assert not receipt.duplicate
        assert receipt.reference
        assert [line["key"] for line in backend.asked()] == ["k1", "k2"]
        assert backend.asked()[0]["payload"] == {"text": "text of k1 \U0001f642 'quoted\"\n"}

    def test_nothing_but_the_question_and_the_payload_goes_out(self, backend):
        backend.queue().publish(batch())
        assert {key for line in backend.asked() for key in line} == {"batch", "key", "question", "payload"}

    def test_publishing_again_changes_nothing_and_says_so(self, backend):
        queue = backend.queue()
        queue.publish(batch())
        assert queue.publish(batch()).duplicate
        assert len(backend.asked()) == 2

    def test_a_restarted_process_recognises_what_is_out(self, backend):
        backend.queue().publish(batch())
        assert backend.queue().publish(batch()).duplicate
        assert len(backend.asked()) == 2

    def test_other_content_under_the_same_key_is_refused(self, backend):
        backend.queue().publish(batch())
        other_items, (task, *rest) = batch(items=("k1", "k9")), batch().tasks
        for other in (other_items, replace(batch(), tasks=(replace(task, payload={"text": "another"}), *rest))):
            with pytest.raises(StratawatchError, match="another batch of the same key"):
                backend.queue().publish(other)
        assert [line["key"] for line in backend.asked()] == ["k1", "k2"]

    def test_what_json_does_not_have_goes_out_as_null(self, backend):
        tasks = (LabelTask("k1", {"price": float("nan"), "deep": [{"x": float("-inf")}]}),)
        odd = replace(batch(), tasks=tasks)
        backend.queue().publish(odd)
        assert [line["payload"] for line in backend.asked()] == [{"price": None, "deep": [{"x": None}]}]
        assert backend.queue().publish(odd).duplicate

    def test_batches_do_not_disturb_one_another(self, backend):
        queue = backend.queue()
        assert not queue.publish(batch("a")).duplicate
        assert not queue.publish(batch("b", items=("k3",))).duplicate
        assert sorted(line["key"] for line in backend.asked()) == ["k1", "k2", "k3"]

    @word_for_word
    def test_an_item_may_be_asked_about_again_under_another_key(self, backend):
        """A second vote: the item keeps its name, and each answer counts by who gave it."""
        queue = backend.queue()
        queue.publish(batch("a", items=("k1",)))
        backend.answer(key="k1", value="yes", annotator="ann", at=AT)
        assert not queue.publish(batch("a-v2", items=("k1",))).duplicate
        assert queue.publish(batch("a-v2", items=("k1",))).duplicate
        backend.answer(key="k1", value="no", annotator="ben", at=AT)
        assert queue.asked_keys() == {"a", "a-v2"}
        assert {(event.item_key, event.annotator, event.value) for event in queue.poll({}).events} == {
            ("k1", "ann", "yes"),
            ("k1", "ben", "no"),
        }


class TestPoll:
    def test_an_empty_queue_says_nothing_and_keeps_its_cursor(self, backend):
        first = backend.queue().poll({})
        assert first.events == ()
        assert backend.queue().poll(first.cursor).cursor == first.cursor

    @word_for_word
    def test_an_answer_arrives_whole_and_in_utc(self, backend):
        queue = backend.queue()
        backend.answer(key="k1", value="no", annotator="ann", event_id="e1", at=AT)
        (event,) = queue.poll({}).events
        assert (event.source, event.event_id, event.item_key) == (queue.name, "e1", "k1")
        assert (event.annotator, event.value) == ("ann", "no")
        assert event.at == datetime(2026, 1, 5, 8, tzinfo=UTC)
        assert event.at.utcoffset() == timedelta(0)

    @word_for_word
    @pytest.mark.parametrize("value", ["yes", "no", "skip", "retract"])
    def test_every_value_arrives(self, backend, value):
        backend.answer(key="k1", value=value, annotator="ann", at=AT)
        assert [event.value for event in backend.queue().poll({}).events] == [value]

    def test_the_same_cursor_gives_the_same_events(self, backend):
        for number in range(20):
            backend.answer(key=f"k{number}", value="yes", annotator="ann", at=AT)
        assert backend.queue().poll({}) == backend.queue().poll({})
        assert len({event.event_id for event in backend.queue().poll({}).events}) == 20

    def test_what_was_read_is_not_told_again(self, backend):
        backend.answer(key="k1", value="yes", annotator="ann", at=AT)
        first = backend.queue().poll({})
        backend.answer(key="k2", value="no", annotator="ann", at=AT)
        second = backend.queue().poll(first.cursor)
        assert [event.item_key for event in second.events] == ["k2"]
        third = backend.queue().poll(second.cursor)
        assert (third.events, third.rejected, third.cursor) == ((), (), second.cursor)

    def test_the_cursor_survives_being_kept_as_json(self, backend):
        backend.answer(key="k1", value="yes", annotator="ann", at=AT)
        cursor = json.loads(json.dumps(backend.queue().poll({}).cursor))
        assert backend.queue().poll(cursor).events == ()

    @word_for_word
    def test_a_retracted_answer_is_an_event_like_any_other(self, backend):
        queue = backend.queue()
        queue.publish(batch())
        for value, at in (("yes", AT), ("retract", "2026-01-05T11:00:00+02:00"), ("yes", "2026-01-05T12:00:00+02:00")):
            backend.answer(key="k1", value=value, annotator="ann", at=at)
        events = queue.poll({}).events
        assert [event.value for event in events] == ["yes", "retract", "yes"]
        assert len({event.event_id for event in events}) == 3

    @word_for_word
    def test_answers_arrive_in_whatever_order_they_came_with_the_times_that_they_name(self, backend):
        queue = backend.queue()
        queue.publish(batch())
        for hour in (12, 10, 11):
            backend.answer(key="k1", value="no", annotator=f"ann{hour}", at=f"2026-01-05T{hour}:00:00Z")
        assert [event.at.hour for event in queue.poll({}).events] == [12, 10, 11]

    def test_an_answer_about_an_item_that_was_never_published_is_read_too(self, backend):
        backend.queue().publish(batch())
        backend.answer(key="k9", value="yes", annotator="ann", at=AT)
        assert [event.item_key for event in backend.queue().poll({}).events] == ["k9"]

    def test_a_full_replay_gives_the_same_events(self, backend):
        queue = backend.queue()
        queue.publish(batch())
        for value in ("yes", "no", "yes"):
            backend.answer(key="k1", value=value, annotator="ann", at=AT)
        first = queue.poll({})
        backend.answer(key="k2", value="skip", annotator="ann", at=AT)
        again = backend.queue().poll({}).events
        assert [event.event_id for event in again[:3]] == [event.event_id for event in first.events]
        assert [event.item_key for event in again[3:]] == ["k2"]

    def test_an_edit_is_a_new_event(self, backend):
        backend.answer(key="k1", value="yes", annotator="ann", at=AT)
        backend.answer(key="k1", value="no", annotator="ann", at=AT)
        events = backend.queue().poll({}).events
        assert [event.value for event in events] == ["yes", "no"]
        assert events[0].event_id != events[1].event_id

    def test_an_answer_that_makes_no_sense_is_set_aside_with_a_reason(self, backend):
        backend.answer(key="k1", value="perhaps", annotator="ann", at=AT)
        backend.answer(key="k2", value="yes", annotator="ann", at=AT)
        polled = backend.queue().poll({})
        assert [event.item_key for event in polled.events] == ["k2"]
        (bad,) = polled.rejected
        assert (bad.kind, bad.key) == ("label", "k1")
        assert "value" in bad.reason


class TestCancel:
    def test_a_withdrawn_batch_is_asked_no_more(self, backend):
        queue = backend.queue()
        queue.publish(batch())
        queue.cancel(["spam-p00000-r1-b1"])
        assert backend.asked() == []

    def test_withdrawing_again_or_the_unknown_changes_nothing(self, backend):
        queue = backend.queue()
        queue.publish(batch("a"))
        queue.publish(batch("b", items=("k3",)))
        for _ in range(3):
            queue.cancel(["a", "never-published"])
        assert [line["key"] for line in backend.asked()] == ["k3"]

    def test_a_withdrawn_batch_never_goes_out_again(self, backend):
        queue = backend.queue()
        queue.publish(batch("a"))
        queue.cancel(["a", "b"])
        assert queue.publish(batch("a")).duplicate
        assert queue.publish(batch("b")).duplicate
        assert backend.asked() == []

    def test_withdrawn_batches_are_listed_apart_from_those_that_are_asked(self, backend):
        queue = backend.queue()
        queue.publish(batch("a"))
        queue.publish(batch("b", items=("k3",)))
        queue.cancel(["a", "c"])
        assert backend.queue().withdrawn_keys() == {"a", "c"}
        assert backend.queue().asked_keys() == {"b"}

    def test_a_withdrawal_that_was_taken_back_lets_the_batch_out_again(self, backend):
        queue = backend.queue()
        queue.publish(batch())
        queue.cancel(["spam-p00000-r1-b1"])
        for _ in range(2):
            backend.queue().ask_again(["spam-p00000-r1-b1", "never-published"])
        assert queue.withdrawn_keys() == frozenset()
        assert not queue.publish(batch()).duplicate
        assert [line["key"] for line in backend.asked()] == ["k1", "k2"]

    def test_answers_to_a_withdrawn_batch_are_still_read(self, backend):
        queue = backend.queue()
        queue.publish(batch())
        queue.cancel(["spam-p00000-r1-b1"])
        backend.answer(key="k1", value="yes", annotator="ann", at=AT)
        assert len(queue.poll({}).events) == 1


class TestClose:
    def test_a_closed_batch_is_asked_no_more_and_the_others_still_are(self, backend):
        queue = backend.queue()
        queue.publish(batch("a"))
        queue.publish(batch("b", items=("k3",)))
        assert queue.asked_keys() == {"a", "b"}
        queue.close(["a"])
        assert [line["key"] for line in backend.asked()] == ["k3"]
        assert queue.asked_keys() == {"b"}
        assert queue.batch_keys() == {"a", "b"}

    def test_closing_again_or_the_unknown_changes_nothing(self, backend):
        queue = backend.queue()
        queue.publish(batch("a"))
        queue.cancel(["b"])
        for _ in range(2):
            queue.close(["a", "b", "never-published"])
        assert queue.batch_keys() == {"a", "b"}

    def test_a_closed_batch_does_not_go_out_again(self, backend):
        queue = backend.queue()
        queue.publish(batch("a"))
        queue.close(["a"])
        assert queue.publish(batch("a")).duplicate
        assert backend.asked() == []

    def test_answers_to_a_closed_batch_are_still_read(self, backend):
        queue = backend.queue()
        queue.publish(batch("a"))
        queue.close(["a"])
        backend.answer(key="k1", value="no", annotator="ann", at=AT)
        assert len(queue.poll({}).events) == 1


class TestDropPayload:
    """After the period of payload its values go; keys and answers stay."""

    @pytest.fixture
    def queue(self, backend):
        queue = backend.queue()
        assert isinstance(queue, PayloadKeeper)
        return queue

    @pytest.mark.parametrize("ended", ["close", "cancel"])
    def test_of_a_batch_that_has_ended(self, backend, queue, ended):
        queue.publish(batch())
        queue.publish(batch("other", items=("k3",)))
        backend.answer(key="k1", value="yes", annotator="ann", at=AT, note="text of k1, I know him")
        said = queue.poll({}).events
        getattr(queue, ended)([batch().key])
        for _ in range(2):
            queue.drop_payload({batch().key: {"k1", "k2"}, "never-published": {"k9"}})
        assert not any(words in str(ours(backend)) for words in ("text of k1", "text of k2", "I know him"))
        assert "text of k3" in str(ours(backend)) or not keeps_payload(backend)
        assert queue.batch_keys() == {batch().key, "other"}
        assert queue.poll({}).events == said
        assert queue.publish(batch()).duplicate

    def test_items_of_a_batch_that_is_out_are_asked_no_more_where_we_can(self, backend, queue):
        queue.publish(batch())
        queue.drop_payload({batch().key: {"k1"}})
        assert "text of k1" not in str(ours(backend))
        if keeps_payload(backend):
            assert [line["key"] for line in backend.asked()] == ["k2"]
        assert queue.publish(batch(items=("k2",))).duplicate
        assert queue.asked_keys() == {batch().key}

    def test_a_place_that_vanished_is_unreachable(self, backend, queue):
        queue.publish(batch())
        backend.lose()
        with pytest.raises(Unreachable, match="adopt-queue"):
            queue.drop_payload({batch().key: {"k1"}})


def keeps_payload(backend) -> bool:
    """Whether it is asked where we keep it, and not at a service."""
    return not isinstance(backend, BrokerBackend | WebhookBackend | LabelStudioBackend)


def test_describe_speaks_in_texts(backend):
    backend.queue().publish(batch())
    found = backend.queue().describe()
    assert found
    assert all(isinstance(part, str) for pair in found.items() for part in pair)
