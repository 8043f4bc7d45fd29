"""What only a pooler shows: it has passwords, and one client's connections are another's a moment later."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from stratawatch.adapters.store import open_store
from stratawatch.adapters.store.database import connect
from stratawatch.adapters.store.database import store_url as parsed
from stratawatch.errors import Unreachable
from tests.support.pgbouncer import PASSWORD

THREADS, TRANSACTIONS = 6, 60
STAMP = datetime(2026, 1, 5, tzinfo=UTC)


def test_six_threads_share_what_connections_there_are(open_stores):
    stores = [open_stores() for _ in range(THREADS)]

    def work(number: int) -> int:
        done = 0
        for turn in range(TRANSACTIONS):
            with stores[number].begin() as tx:
                assert tx.labels.cursor(f"queue {number}") == ({"turn": turn - 1} if turn else {})
                tx.labels.save_cursor(f"queue {number}", {"turn": turn}, STAMP)
                tx.commit()
            done += 1
        return done

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(work, range(THREADS))) == [TRANSACTIONS] * THREADS


def test_the_lock_timeout_is_the_transactions_own(store_url):
    engine = connect(parsed(store_url))
    with engine.connect() as connection:
        assert connection.scalar(text("SHOW lock_timeout")) == "30s"
        connection.commit()
        assert connection.scalar(text("SHOW lock_timeout")) == "30s"
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as other:
        assert other.scalar(text("SHOW lock_timeout")) == "0"  # nobody else waits by our clock
    engine.dispose()


def test_a_wrong_password_is_one_sentence_with_the_key_to_mend(store_url):
    wrong = store_url.replace(PASSWORD.replace(" ", "%20"), "wrong")
    assert wrong != store_url
    with pytest.raises(Unreachable) as refused:
        open_store(wrong)
    assert "refuses the user or the password" in str(refused.value)
    assert "below [store]" in str(refused.value)
    assert "wrong" not in str(refused.value)
