"""An answer that arrives in part is none; it holds up no other, and once it arrives whole it is there once."""

import pytest

from stratawatch.errors import StratawatchError
from tests.contracts.queues.conftest import REACHED
from tests.support.cut_ways import cut_way
from tests.support.queue_backends import AT, KeptLabels, batch

pytestmark = pytest.mark.usefixtures("impatient")


@pytest.mark.parametrize("share", [0.4, 0.999])
def test_an_answer_of_which_a_part_arrives_is_read_once_it_is_whole(backend, tmp_path, share):
    queue, kept = backend.queue(), KeptLabels(tmp_path / "store.json")
    queue.publish(batch())
    send_whole = backend.tear(share, key="k1", value="yes", annotator="ann", at=AT)
    backend.answer(key="k2", value="no", annotator="ben", at=AT)
    kept.collect(queue)
    assert kept.labels() == [("k2", "no")]
    send_whole()
    replayed = KeptLabels(tmp_path / "another store.json")
    for one in (kept, replayed):
        one.collect(backend.queue())
        assert one.labels() == [("k1", "yes"), ("k2", "no")]


@pytest.mark.parametrize("backend", REACHED, indirect=True)
def test_the_way_to_the_server_may_be_cut_within_any_answer(backend, tmp_path):
    backend.queue()
    kept = KeptLabels(tmp_path / "store.json")
    with cut_way(backend.port) as way:

        def comes_through(work):
            """Do it again and again, cut later each time; how often it was cut."""
            for number, size in enumerate(10 * 4**n for n in range(8)):
                way.left = size
                try:
                    work(backend.by_way_of(way.port))
                except StratawatchError:
                    backend.wait_until_given_again()
                else:
                    return number
            raise AssertionError("it never came through")

        assert comes_through(lambda queue: queue.publish(batch()))
        assert backend.queue().publish(batch()).duplicate
        assert [line["key"] for line in backend.asked()] == ["k1", "k2"]
        for item, value in (("k1", "yes"), ("k2", "no")):
            backend.answer(key=item, value=value, annotator="ann", at=AT)
        comes_through(kept.collect)
        assert kept.labels() == [("k1", "yes"), ("k2", "no")]
