import pytest

from stratawatch.errors import LeaseHeld
from tests.support.store.examples import MINUTE, NOW


class TestTake:
    def test_keeps_another_holder_away_until_it_ends(self, store):
        with store.begin() as tx:
            assert tx.leases.take("advance", "me", NOW, NOW + MINUTE)
            assert not tx.leases.take("advance", "you", NOW, NOW + 5 * MINUTE)
            assert tx.leases.take("other", "you", NOW, NOW + MINUTE)
            assert tx.leases.take("advance", "you", NOW + MINUTE, NOW + 5 * MINUTE)
            assert not tx.leases.take("advance", "me", NOW + 2 * MINUTE, NOW + 3 * MINUTE)

    def test_renews_its_own(self, store):
        with store.begin() as tx:
            tx.leases.take("advance", "me", NOW, NOW + MINUTE)
            assert tx.leases.take("advance", "me", NOW, NOW + 3 * MINUTE)
            assert not tx.leases.take("advance", "you", NOW + 2 * MINUTE, NOW + 9 * MINUTE)

    def test_counts_only_when_committed(self, store):
        with store.begin() as tx:
            tx.leases.take("advance", "me", NOW, NOW + MINUTE)
        with store.begin() as tx:
            assert tx.leases.take("advance", "you", NOW, NOW + MINUTE)


class TestRelease:
    def test_makes_room(self, store):
        with store.begin() as tx:
            tx.leases.take("advance", "me", NOW, NOW + MINUTE)
            tx.leases.release("advance", "me")
            assert tx.leases.take("advance", "you", NOW, NOW + MINUTE)

    def test_does_not_give_back_what_another_holds(self, store):
        with store.begin() as tx:
            tx.leases.take("advance", "me", NOW, NOW + MINUTE)
            tx.leases.release("advance", "you")
            tx.leases.release("never taken", "you")
            assert not tx.leases.take("advance", "you", NOW, NOW + MINUTE)


class TestFence:
    def test_lets_its_holder_commit_also_when_the_lease_is_over(self, store):
        with store.begin() as tx:
            tx.leases.take("panel a", "me", NOW, NOW)
            tx.fence("panel a", "me")
            tx.commit()

    def test_lets_nobody_else_commit(self, store):
        with store.begin() as tx:
            tx.leases.take("panel a", "you", NOW, NOW + MINUTE)
            tx.commit()
        with store.begin() as tx:
            tx.fence("panel b", "me")
            with pytest.raises(LeaseHeld):
                tx.commit()
        with store.begin() as tx:
            tx.fence("panel a", "me")
            tx.leases.take("panel c", "me", NOW, NOW + MINUTE)
            with pytest.raises(LeaseHeld, match="'panel a'"):
                tx.commit()
        with store.begin() as tx:
            assert tx.leases.names() == {"panel a"}
