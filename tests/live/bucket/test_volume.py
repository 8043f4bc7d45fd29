"""As much as a busy month brings, and more objects than S3 lists at once."""

from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import obstore

from tests.support.batches import batch


def polled(queue):
    """All that is there to be read, by as many polls as it takes."""
    cursor, found = {}, []
    while True:
        result = queue.poll(cursor)
        assert not result.rejected
        if not result.events:
            return found
        found += result.events
        cursor = result.cursor


def answers(first, last):
    return "".join(f'{{"key": "k{number}", "value": "yes"}}\n' for number in range(first, last)).encode()


def test_ten_thousand_items_go_out_and_ten_thousand_labels_come_back(backend):
    queue = backend.queue()
    batches = [batch(f"b{number:03}", count=100) for number in range(100)]
    begun = perf_counter()
    assert not any(queue.publish(one).duplicate for one in batches)
    publishing = perf_counter() - begun
    assert len({line["key"] for line in backend.asked()}) == 10_000
    for number in range(100):
        obstore.put(backend.store, f"in/{number:03}.jsonl", answers(100 * number, 100 * number + 100))
    begun = perf_counter()
    events = polled(queue)
    reading = perf_counter() - begun
    assert sorted(event.item_key for event in events) == sorted(f"k{number}" for number in range(10_000))
    print(f"10,000 items published in {publishing:.1f} s, 10,000 labels read in {reading:.1f} s")
    assert max(publishing, reading) < 60  # alone 2 s and 1 s


def test_more_objects_than_are_listed_at_once_are_all_read(backend):
    queue = backend.queue()
    with ThreadPoolExecutor(4) as pool:
        names = [f"in/{number:04}.jsonl" for number in range(1010)]
        list(
            pool.map(lambda pair: obstore.put(backend.store, pair[1], answers(pair[0], pair[0] + 1)), enumerate(names))
        )
    assert [event.item_key for event in polled(queue)] == [f"k{number}" for number in range(1010)]
