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

    def test_leaves_channels_and_dedup_keys_alone_that_it_is_told(self, store):
        with store.begin() as tx:
            for key in ("a", "b", "c"):
                tx.outbox.add(notification(key, dedup_key=f"d{key}", channel="other" if key == "c" else "console"))
            tx.outbox.add(notification("a2", dedup_key="da", severity="update"))
            found = tx.outbox.claim("me", NOW, NOW + MINUTE, 9, without=["other"], silent=["da"])
            assert [one.key for one in found] == ["b"]
            assert not tx.outbox.is_any_due(NOW, ["other"], silent=["da", "dc"])
            assert tx.outbox.is_any_due(NOW, ["console"])
            assert [one.key for one in tx.outbox.claim("you", NOW, NOW + MINUTE, 9)] == ["a", "c"]

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


class TestIsAnyDue:
    def test_says_whether_a_claim_would_find_any_of_these_channels(self, store):
        with store.begin() as tx:
            assert not tx.outbox.is_any_due(NOW, ["chat"])
            tx.outbox.add(notification("page", channel="chat", dedup_key="t"))
            tx.outbox.add(notification("end", channel="chat", dedup_key="t"))
            assert tx.outbox.is_any_due(NOW, ["chat", "mail"])
            assert not tx.outbox.is_any_due(NOW, ["mail"])
            assert not tx.outbox.is_any_due(NOW, [])
            (page,) = tx.outbox.claim("me", NOW, NOW + MINUTE, 9)
            assert not tx.outbox.is_any_due(NOW, ["chat"])
            assert tx.outbox.is_any_due(NOW + MINUTE, ["chat"])
            tx.outbox.put_back(page.id, "away", NOW + 3 * MINUTE)
            assert not tx.outbox.is_any_due(NOW + 2 * MINUTE, ["chat"])
            tx.outbox.mark_sent(page.id, "there", NOW)
            assert tx.outbox.is_any_due(NOW, ["chat"])


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

    def test_leaves_one_closed_that_was_closed_during_the_attempt(self, store):
        """Another worker judged its incident over while the channel was asked."""
        with store.begin() as tx:
            taken = added_and_claimed(tx)
            tx.outbox.supersede(taken.id, "over")
            tx.outbox.put_back(taken.id, "down", NOW)
            assert [(one.state, one.last_error) for one in tx.outbox.all()] == [("superseded", "over")]


class TestUnconfirmed:
    """Whether a receiver may have it although nobody knows: a RESOLVED is owed to it then."""

    def test_is_an_attempt_without_an_answer_for_good(self, store):
        with store.begin() as tx:
            taken = added_and_claimed(tx)
            assert not taken.unconfirmed
            tx.outbox.put_back(taken.id, "hangs", NOW, unconfirmed=True)
            tx.outbox.put_back(taken.id, "refused", NOW)
            kept = tx.outbox.get(taken.id)
        assert (kept.unconfirmed, kept.attempts, kept.last_error, kept.next_at) == (True, 2, "refused", NOW)

    def test_is_a_claim_that_was_neither_sent_nor_put_back(self, store):
        with store.begin() as tx:
            added_and_claimed(tx)
            (again,) = tx.outbox.claim("me", NOW, NOW + MINUTE, 1)
            assert again.unconfirmed

    def test_is_not_an_attempt_that_failed(self, store):
        with store.begin() as tx:
            taken = added_and_claimed(tx)
            tx.outbox.put_back(taken.id, "refused", NOW)
            (again,) = tx.outbox.claim("me", NOW, NOW + MINUTE, 1)
            assert not again.unconfirmed


class TestWithout:
    def test_leaves_channels_out(self, store):
        with store.begin() as tx:
            for name in ("a", "b", "c"):
                tx.outbox.add(notification(name, channel=name))
            taken = tx.outbox.claim("me", NOW, NOW + MINUTE, 9, without={"a", "c"})
        assert [one.channel for one in taken] == ["b"]

    def test_notes_on_what_is_due_that_it_was_not_tried(self, store):
        with store.begin() as tx:
            for key in ("a", "b", "c"):
                tx.outbox.add(notification(key, channel=key[0].replace("c", "b")))
            later, _, _ = tx.outbox.all()
            tx.outbox.hold_back("b", "not tried", NOW)
            assert [(one.last_error, one.attempts) for one in tx.outbox.all()] == [
                ("", 0),
                ("not tried", 0),
                ("not tried", 0),
            ]
            tx.outbox.put_back(later.id, "refused", NOW + MINUTE)
            tx.outbox.hold_back("a", "not tried", NOW)
            assert tx.outbox.get(later.id).last_error == "refused"
            assert claim(tx) == ["b", "c"]


class TestSupersede:
    def test_closes_what_was_not_taken(self, store):
        with store.begin() as tx:
            taken = added_and_claimed(tx)
            tx.outbox.supersede(taken.id, "it is over")
            (kept,) = tx.outbox.all()
            assert (kept.state, kept.last_error, kept.next_at, kept.claimed_until) == (
                "superseded",
                "it is over",
                None,
                None,
            )
            assert claim(tx, now=NOW + 99 * MINUTE) == []
            assert tx.outbox.undelivered() == ()

    def test_closes_nothing_that_was_sent(self, store):
        with store.begin() as tx:
            taken = added_and_claimed(tx)
            tx.outbox.mark_sent(taken.id, "there", NOW)
            tx.outbox.supersede(taken.id, "it is over")
            assert tx.outbox.get(taken.id).state == "sent"

    def test_that_was_sent_after_all_is_sent(self, store):
        with store.begin() as tx:
            taken = added_and_claimed(tx)
            tx.outbox.supersede(taken.id, "it is over")
            tx.outbox.mark_sent(taken.id, "there", NOW)
            assert tx.outbox.get(taken.id).state == "sent"


class TestSendAgain:
    @pytest.mark.parametrize("state", ["pending", "sent", "failed", "superseded"])
    def test_makes_any_due(self, store, state):
        with store.begin() as tx:
            taken = added_and_claimed(tx)
            if state == "sent":
                tx.outbox.mark_sent(taken.id, "there", NOW)
            if state == "superseded":
                tx.outbox.supersede(taken.id, "over")
            if state in ("failed", "pending"):
                tx.outbox.put_back(taken.id, "down", None if state == "failed" else NOW + 60 * MINUTE)
            tx.outbox.send_again(taken.id, NOW)
            assert claim(tx, "you") == ["a"]

    def test_of_what_is_not_there_raises(self, store):
        with store.begin() as tx, pytest.raises(StratawatchError, match=r"no notification 4.*alerts list"):
            tx.outbox.send_again(4, NOW)

    def test_of_a_sent_one_remembers_that_it_was_taken(self, store):
        with store.begin() as tx:
            taken = added_and_claimed(tx)
            tx.outbox.mark_sent(taken.id, "there", NOW)
            tx.outbox.send_again(taken.id, NOW)
            tx.outbox.put_back(taken.id, "down", NOW)
            assert tx.outbox.get(taken.id).may_be_taken


class TestAClockThatWasWrong:
    def test_puts_nothing_off_for_longer_than_a_pause(self, store):
        with store.begin() as tx:
            taken = added_and_claimed(tx)
            tx.outbox.put_back(taken.id, "down", NOW + 60 * MINUTE)
            assert claim(tx) == []
            tx.outbox.put_back(taken.id, "down", NOW + 365 * 24 * 60 * MINUTE)
            assert claim(tx) == ["a"]


class TestAbout:
    def test_finds_all_under_some_keys_in_order(self, store):
        odd = "\0" + "k" * 5000
        with store.begin() as tx:
            for key, dedup_key in (("1", odd), ("2", "t"), ("3", "u"), ("4", odd)):
                tx.outbox.add(notification(key, dedup_key=dedup_key))
            assert [one.key for one in tx.outbox.about({odd, "t"})] == ["1", "2", "4"]
            assert tx.outbox.about([]) == ()
            assert [one.key for one in tx.outbox.undelivered()] == ["1", "2", "3", "4"]


class TestAll:
    def test_keeps_the_last_so_many_in_order(self, store):
        with store.begin() as tx:
            for key in ("a", "b", "c"):
                tx.outbox.add(notification(key))
            assert [n.key for n in tx.outbox.all()] == ["a", "b", "c"]
            assert [n.key for n in tx.outbox.all(newest=2)] == ["b", "c"]
