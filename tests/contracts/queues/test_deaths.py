"""Whoever works a queue dies between any two steps; whoever comes after him goes on, and nothing is lost or doubled."""

import pytest

from stratawatch.adapters.queues import label_studio, label_studio_api
from tests.support.deaths import MOST_MOMENTS
from tests.support.queue_backends import AT, KeptLabels, batch, ours

pytestmark = pytest.mark.usefixtures("impatient")
ITEMS = K1, K2, K3 = ["1" * 64, "2" * 64, "3" * 64]
"""In the form of our keys: it is by this form that one is found in what was set aside."""
ONE = batch(items=ITEMS)


@pytest.fixture(autouse=True)
def _small_calls(monkeypatch):
    """Three items are more than a call of Label Studio takes."""
    for module in (label_studio, label_studio_api):
        monkeypatch.setattr(module, "A_CALL", 2)


@pytest.fixture
def after_deaths(request, backend, another_place, tmp_path):
    """Does work at one place after the other, of which its worker dies one step later each time; at the last he lives.

    Returns the places, each with what the store had kept by then.
    """
    kind = request.node.callspec.params["backend"]

    def die(work, before=lambda _: None):
        found, died = [], True
        while died and len(found) < MOST_MOMENTS:
            place = another_place(kind) if found else backend
            kept = KeptLabels(tmp_path / f"store-{len(found)}.json")
            before(place)
            died = place.dies(lambda place=place, kept=kept: work(place, kept), len(found) + 1)
            found.append((place, kept))
        assert 1 < len(found) < MOST_MOMENTS
        found[-1][0].wait_until_given_again()
        return found

    return die


def published(place):
    queue = place.queue()
    queue.publish(ONE)
    return queue


def withdrawn(place):
    queue = published(place)
    queue.cancel([ONE.key])
    return queue


def taken_back(place):
    withdrawn(place).ask_again([ONE.key])


def answered_and_closed(place):
    queue = published(place)
    place.answer(key=K1, value="yes", annotator="ann", at=AT, event_id="e1", note="text of it, I know him")
    place.answer(key=K2, value="perhaps", annotator="ann", at=AT, event_id="e2", note="text of it")
    queue.poll({})
    queue.close([ONE.key])


def asked(place):
    return [line["key"] for line in place.asked()]


class TestDeath:
    def test_of_who_prepares_a_place(self, after_deaths):
        for place, _ in after_deaths(lambda place, _: place.unmarked().adopt("ours")):
            queue = place.unmarked()
            assert queue.identity() in ("", "ours")
            queue.adopt("ours")
            assert queue.identity() == "ours"
            queue.publish(ONE)
            assert asked(place) == ITEMS

    @pytest.mark.parametrize("before", [lambda place: place.queue(), taken_back], ids=["first", "again"])
    def test_of_who_publishes(self, after_deaths, before):
        for place, _ in after_deaths(lambda place, _: place.queue().publish(ONE), before):
            queue = published(place)
            assert queue.publish(ONE).duplicate
            assert asked(place) == ITEMS
            assert queue.asked_keys() == {ONE.key}

    def test_of_who_collects_labels(self, after_deaths):
        def before(place):
            published(place)
            for item, value in ((K1, "yes"), (K3, "perhaps")):
                place.answer(key=item, value=value, annotator="ann", at=AT, event_id=f"e of {item}")

        for place, kept in after_deaths(lambda place, kept: kept.collect(place.queue()), before):
            place.answer(key=K1, value="no", annotator="ann", at="2026-01-05T11:00:00+02:00", event_id="e4")
            queue = place.queue()
            for _ in range(2):  # who goes on with a reading that was broken off may find later what came behind it
                kept.collect(queue)
            assert kept.labels() == [(K1, "no"), (K1, "yes")]
            kept.path.unlink()
            kept.collect(queue)
            assert kept.labels() == [(K1, "no"), (K1, "yes")]

    def test_of_who_withdraws_a_batch(self, after_deaths):
        for place, _ in after_deaths(lambda place, _: place.queue().cancel([ONE.key, "never"]), published):
            queue = place.queue()
            queue.cancel([ONE.key, "never"])
            assert queue.publish(ONE).duplicate
            assert queue.publish(batch("never")).duplicate
            assert asked(place) == []
            assert queue.withdrawn_keys() == {ONE.key, "never"}

    def test_of_who_closes_a_batch(self, after_deaths):
        for place, _ in after_deaths(lambda place, _: place.queue().close([ONE.key]), published):
            queue = place.queue()
            queue.close([ONE.key])
            assert queue.publish(ONE).duplicate
            assert asked(place) == []
            assert (queue.batch_keys(), queue.asked_keys()) == ({ONE.key}, frozenset())

    def test_of_who_takes_a_withdrawal_back(self, after_deaths):
        for place, _ in after_deaths(lambda place, _: place.queue().ask_again([ONE.key]), withdrawn):
            queue = place.queue()
            queue.ask_again([ONE.key])
            assert queue.withdrawn_keys() == frozenset()
            assert not queue.publish(ONE).duplicate
            assert asked(place) == ITEMS

    def test_of_who_forgets_payload_of_a_batch_that_has_ended(self, after_deaths):
        gone = {ONE.key: {*ITEMS}}
        for place, kept in after_deaths(lambda place, _: place.queue().drop_payload(gone), answered_and_closed):
            queue = place.queue()
            queue.drop_payload(gone)
            assert not any(words in str(ours(place)) for words in ("text of", "I know him"))
            kept.collect(queue)
            assert kept.labels() == [(K1, "yes")]
            assert queue.publish(ONE).duplicate

    def test_of_who_forgets_payload_of_a_batch_that_is_out(self, after_deaths):
        """First of one item, then of all: nothing of the others is left by who died of the first."""
        for place, _ in after_deaths(lambda place, _: place.queue().drop_payload({ONE.key: {K1}}), published):
            queue = place.queue()
            queue.drop_payload({ONE.key: {*ITEMS}})
            assert "text of" not in str(ours(place))
            assert queue.asked_keys() == {ONE.key}
