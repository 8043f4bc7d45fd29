"""An answer that arrives in part is none; it holds up no other, and once it arrives whole it is there once."""

import pytest

from tests.support.queue_backends import AT, KeptLabels, batch


@pytest.mark.parametrize("share", [0.2, 0.6, 0.999])
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
