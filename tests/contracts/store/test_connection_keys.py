"""Keys of the store's connection on PostgreSQL: its schema and time limits."""

import psycopg
import pytest
from sqlalchemy import text

from stratawatch.adapters.status_queries import read_status
from stratawatch.adapters.store import migrate, open_store
from stratawatch.errors import Unreachable
from stratawatch.settings.connection_options import LOCK_TIMEOUT, SCHEMA, STATEMENT_TIMEOUT, with_options
from tests.support.store.examples import open_cycle

pytestmark = pytest.mark.postgres


def plain(url):
    return url.replace("+psycopg", "")


def test_a_store_in_a_schema_of_its_own_leaves_the_others_alone(postgres_url):
    with psycopg.connect(plain(postgres_url), autocommit=True) as admin:
        admin.execute('DROP SCHEMA IF EXISTS "of Watch" CASCADE')
        admin.execute('CREATE SCHEMA "of Watch"')
        url = with_options(postgres_url, {SCHEMA: "of Watch"})
        migrate(url)
        store = open_store(url)
        with store.begin() as tx:
            open_cycle(tx)
            tx.commit()
        assert [panel["cycles"] for panel in read_status(url)["panels"]] == [1]
        store.dispose()
        query = "SELECT DISTINCT schemaname FROM pg_tables WHERE tablename IN ('cycles', 'stratawatch_schema')"
        assert admin.execute(query).fetchall() == [("of Watch",)]
        admin.execute('DROP SCHEMA "of Watch" CASCADE')


def test_time_limits_are_of_each_transaction(postgres_store_url):
    store = open_store(with_options(postgres_store_url, {STATEMENT_TIMEOUT: "150", LOCK_TIMEOUT: "90"}))
    with store.begin() as tx:
        assert tx._sql.scalar(text("SHOW lock_timeout")) == "90ms"
    with pytest.raises(Unreachable, match="statement timeout"), store.begin() as tx:
        tx._sql.execute(text("SELECT pg_sleep(2)"))
    store.dispose()
