"""Silences: each has an end, and may be ended before; whom they cover is in the record's own doctest."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy.exc import IntegrityError

from stratawatch.engine.model.alarm_records import Silence
from stratawatch.errors import StratawatchError
from tests.support.store.examples import MINUTE, NOW

DAY = timedelta(days=1)
ALL = Silence("spam", NOW + DAY, "moving house", "ann", NOW)
ONE = replace(ALL, classifier="lr", metric="recall", segment="country=de\0", created_at=NOW + MINUTE, by="bob")


def test_are_kept_with_who_and_why_oldest_first(store):
    with store.begin() as tx:
        second, first = (tx.silences.add(one) for one in (ONE, ALL))
        assert tx.silences.all() == (replace(ALL, id=first), replace(ONE, id=second))


def test_hold_until_their_end(store):
    with store.begin() as tx:
        tx.silences.add(ALL)
        assert [len(tx.silences.active(at)) for at in (NOW, NOW + DAY - MINUTE, NOW + DAY)] == [1, 1, 0]


def test_may_be_ended_before_and_keep_that_end(store):
    with store.begin() as tx:
        first, second = tx.silences.add(ALL), tx.silences.add(ONE)
        tx.silences.end(first, NOW + MINUTE)
        tx.silences.end(first, NOW + 2 * MINUTE)
        assert [one.id for one in tx.silences.active(NOW + MINUTE)] == [second]
        tx.silences.end(second, NOW + 2 * DAY)  # it was over by itself
        assert [one.ended_at for one in tx.silences.all()] == [NOW + MINUTE, None]


def test_one_that_is_not_there_cannot_be_ended(store):
    with store.begin() as tx, pytest.raises(StratawatchError, match="there is no silence 7"):
        tx.silences.end(7, NOW)


@pytest.mark.parametrize("until", [None, NOW, NOW - DAY], ids=["never", "at once", "in the past"])
def test_the_database_takes_none_without_an_end_that_is_to_come(store, until):
    with store.begin() as tx, pytest.raises(IntegrityError):
        tx.silences.add(replace(ALL, until=until))
