import pytest

from stratawatch.errors import StratawatchError
from tests.support.store.examples import MINUTE, NOW, notification


def claim(tx, holder="me", now=NOW, limit=20):
    return [n.key for n in tx.outbox.claim(holder, now, now + 2 * MINUTE, limit)]


def added_and_claimed(tx):
    tx.outbox.add(notification("a"))
    (taken,) = tx.outbox.claim("me", NOW, NOW + MINUTE, 1)
    return taken


class TestAdd:
    def test_writes_a_key_once(self, store):
        with store.begin() as tx:
            assert tx.outbox.add(notification())
            assert not tx.outbox.add(notification(body="other words"))
            (kept,) = tx.outbox.all()
        assert (kept.body, kept.state, kept.attempts, kept.created_at) == ("71% is below 80%", "pending", 0, NOW)
        assert kept.facts == {"value": 0.71}

    def test_takes_keys_and_words_of_any_kind_and_length(self, store):
        odd = "\0\n'\N{PILE OF POO}" + "k" * 10_000
        with store.begin() as tx:
            assert tx.outbox.add(notification(odd, dedup_key=odd, subject=odd, facts={odd: float("inf")}))
            assert not tx.outbox.add(notification(odd))
            (kept,) = tx.outbox.all()
        assert (kept.key, kept.dedup_key, kept.subject) == (odd, odd, odd)


class TestClaim:
    def test_takes_the_oldest_first_up_to_its_limit(self, store):
        with store.begin() as tx:
            for key in ("a", "b", "c"):
                tx.outbox.add(notification(key))
            assert claim(tx, limit=2) == ["a", "b"]
            assert claim(tx, "you", limit=2) == ["c"]
            assert claim(tx, "third") == []

    def test_keeps_word_on_one_trouble_in_its_order(self, store):
        with store.begin() as tx:
            tx.outbox.add(notification("page", dedup_key="t"))
            tx.outbox.add(notification("end", dedup_key="t"))
            tx.outbox.add(notification("end elsewhere", dedup_key="t", channel="other"))
            page, elsewhere = tx.outbox.claim("me", NOW, NOW + MINUTE, 9)
            assert (page.key, elsewhere.key) == ("page", "end elsewhere")
            tx.outbox.put_back(page.id, "away", NOW + 3 * MINUTE)
            assert claim(tx, now=NOW + 2 * MINUTE) == ["end elsewhere"]
            tx.outbox.mark_sent(page.id, "there", NOW)
            assert claim(tx, "you", now=NOW + 2 * MINUTE) == ["end"]

    def test_may_be_repeated_by_its_holder_and_by_nobody_else(self, store):
        with store.begin() as tx:
            tx.outbox.add(notification("a"))
            assert claim(tx) == ["a"]
            assert claim(tx, "you") == []
            assert claim(tx) == ["a"]

    def test_ends_by_itself(self, store):
        with store.begin() as tx:
            tx.outbox.add(notification("a"))
            claim(tx)
            assert claim(tx, "you", NOW + MINUTE) == []
            assert claim(tx, "you", NOW + 2 * MINUTE) == ["a"]

    def test_leaves_what_is_not_due_yet(self, store):
        with store.begin() as tx:
            taken = added_and_claimed(tx)
            tx.outbox.put_back(taken.id, "down", NOW + 5 * MINUTE)
            assert claim(tx, now=NOW + 4 * MINUTE) == []
            assert claim(tx, now=NOW + 5 * MINUTE) == ["a"]


class TestSent:
    def test_is_the_end_of_it(self, store):
        with store.begin() as tx:
            taken = added_and_claimed(tx)
            tx.outbox.mark_sent(taken.id, "receipt 1", NOW)
            tx.outbox.put_back(taken.id, "another process timed out", NOW)
            assert tx.outbox.all()[0].state == "sent"
            assert claim(tx, now=NOW + 9 * MINUTE) == []

    def test_of_what_is_not_there_raises(self, store):
        with store.begin() as tx, pytest.raises(StratawatchError, match="no notification 4"):
            tx.outbox.mark_sent(4, "", NOW)


class TestPutBack:
    def test_counts_attempts_and_fails_for_good_without_a_next_time(self, store):
        with store.begin() as tx:
            taken = added_and_claimed(tx)
            tx.outbox.put_back(taken.id, "down", NOW)
            assert tx.outbox.claim("you", NOW, NOW + MINUTE, 1)[0].attempts == 1
            tx.outbox.put_back(taken.id, "down", None)
            (failed,) = tx.outbox.all()
            assert (failed.state, failed.attempts) == ("failed", 2)
            assert claim(tx, now=NOW + 99 * MINUTE) == []


class TestAll:
    def test_keeps_the_last_so_many_in_order(self, store):
        with store.begin() as tx:
            for key in ("a", "b", "c"):
                tx.outbox.add(notification(key))
            assert [n.key for n in tx.outbox.all()] == ["a", "b", "c"]
            assert [n.key for n in tx.outbox.all(newest=2)] == ["b", "c"]
