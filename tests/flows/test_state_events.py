"""Which moves are sent to Prefect: every one, whenever its transaction was committed, and none for ever again."""

from datetime import timedelta
from unittest.mock import MagicMock

import pytest

from flows import state_events
from flows.state_events import OLDEST, OVERLAP
from stratawatch.adapters.store.tables import transitions

MINUTE = timedelta(minutes=1)


@pytest.fixture
def log(make_scenario, monkeypatch):
    monkeypatch.setattr(state_events, "get_client", lambda **_: MagicMock())
    return Log(make_scenario())


class Log:
    """The log of a store without cycles."""

    def __init__(self, scenario):
        self.ports, self.clock = scenario.ports, scenario.clock

    def add(self, number, ago):
        line = {"entity": "cycle", "entity_id": number, "old_state": "open", "new_state": "frozen", "why": ""}
        with self.ports.store.begin() as tx:
            tx._sql.execute(transitions.insert().values(id=number, at=self.clock.now() - ago, **line))
            tx.commit()

    def cursor(self, **changes):
        with self.ports.store.begin() as tx:
            if changes:
                tx.labels.save_cursor(state_events.CURSOR, changes, self.clock.now())
                tx.commit()
            return tx.labels.cursor(state_events.CURSOR)

    def send(self):
        return state_events._send(self.ports)


def test_a_move_that_was_committed_after_a_later_one_is_sent(log):
    """PostgreSQL gives out numbers before the commit."""
    log.add(101, ago=MINUTE)
    assert log.send() == 1
    log.add(100, ago=5 * MINUTE)
    assert (log.send(), log.send()) == (1, 0)


def test_moves_that_a_server_keeps_no_more_are_not_sent(log):
    log.add(1, ago=OLDEST + MINUTE)
    log.add(2, ago=OLDEST - MINUTE)
    assert log.send() == 1


def test_the_store_keeps_the_ids_of_the_last_minutes_only(log):
    log.add(1, ago=3 * OVERLAP)
    log.add(2, ago=MINUTE)
    assert log.send() == 2
    assert len(log.cursor()["sent"]) == 1


def test_a_clock_that_stood_in_the_future_hides_no_move(log):
    log.add(1, ago=-timedelta(days=400))
    assert log.send() == 1
    log.add(2, ago=MINUTE)
    assert (log.send(), log.send()) == (1, 0)


def test_an_upgraded_store_sends_what_came_after_its_mark(log):
    log.cursor(mark=1)
    log.add(1, ago=MINUTE)
    log.add(2, ago=MINUTE)
    assert (log.send(), log.send()) == (1, 0)
