"""Items that stay: who leaves is replaced by the like, so that all weeks are alike."""

import numpy as np

from benchmarks.alarms.chain import Chain, Watched
from benchmarks.alarms.frozen_weeks import survey
from benchmarks.alarms.staying_items import NONE_STAY, Staying, StayingItems
from benchmarks.labels.kinds import FOUR

ITEMS = 4_000


def groups(items):
    return np.bincount(2 * items.truth + items.calls.any(axis=1), minlength=4).tolist()


def test_yes_and_no_stay_as_often_as_is_said_and_their_numbers_do_not_change():
    world = StayingItems(FOUR, 1, ITEMS, Staying(no=0.5, yes=0.75))
    first, new = world.next_week()
    assert len(new) == ITEMS
    second, new = world.next_week()
    stayed = np.ones(ITEMS, dtype=bool)
    stayed[new] = False
    assert abs(stayed[~first.truth].mean() - 0.5) < 0.04
    assert abs(stayed[first.truth].mean() - 0.75) < 0.10
    assert groups(first) == groups(second)
    assert (first.z[stayed] == second.z[stayed]).all()
    assert (first.z[new] != second.z[new]).any()


def test_called_ones_stay_alone():
    world = StayingItems(FOUR, 1, ITEMS, Staying(no=1.0, yes=1.0, called=True))
    first, _ = world.next_week()
    _, new = world.next_week()
    called = first.calls.any(axis=1)
    assert not called[new].any()
    assert len(new) == (~called).sum()


def test_none_stay():
    world = StayingItems(FOUR, 1, ITEMS, NONE_STAY)
    assert [len(world.next_week()[1]) for _ in range(2)] == [ITEMS, ITEMS]


def test_a_chain_bets_on_labels_of_new_items_alone_and_says_how_much_stays():
    """A good part of the second pool was in the first, and what is labelled there costs nothing."""
    world = StayingItems(FOUR, 1, ITEMS, Staying(no=0.5, yes=0.5))
    chain = Chain(Watched(FOUR.classifiers, survey(60)), [1])
    first, second = (chain.watch(*world.next_week()) for _ in range(2))
    assert first.persists == 0
    assert first.fresh == 1
    assert first.first_use == first.all_labels
    assert 0.1 < second.persists < 0.8
    assert 0.3 < second.fresh < 1
    assert second.first_use != second.all_labels
    assert second.labels_new == 60
