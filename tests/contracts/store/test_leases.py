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
