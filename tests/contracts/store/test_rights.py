"""Users of PostgreSQL that hold the rights `stratawatch grants` prints, and nothing else."""

from collections.abc import Callable, Iterator
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
import pytest

from stratawatch.adapters.status_queries import read_status
from stratawatch.adapters.store import migrate, open_store
from stratawatch.cli.grants import statements
from stratawatch.errors import ConfigError
from tests.support.scenario import Scenario, label_cycle

pytestmark = pytest.mark.postgres


@pytest.fixture
def user(scratch_postgres, postgres_url) -> Iterator[Callable[..., str]]:
    """Make a user with these rights; returns the empty database's address for it."""
    server = scratch_postgres.replace("+psycopg", "")
    made: list[str] = []

    def new(name: str, *rights: str, **names: str) -> str:
        with psycopg.connect(server, autocommit=True) as admin:
            if name not in made:
                admin.execute(f'CREATE ROLE "{name}" LOGIN')
                made.append(name)
            for right in rights:
                admin.execute(statements(right, user=name, schema="public", **names))
        address = urlsplit(scratch_postgres)
        return urlunsplit(address._replace(netloc=f"{quote(name)}:@"))

    yield new
    with psycopg.connect(server, autocommit=True) as admin:
        for name in made:
            admin.execute(f'DROP OWNED BY "{name}" CASCADE')
            admin.execute(f'DROP ROLE "{name}"')


def test_a_week_is_played_by_owner_writer_and_reader_with_their_own_rights_alone(user, scratch_postgres):
    owner = user("the owner", "owner")
    migrate(owner)
    writer = user("watch")
    with psycopg.connect(owner.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(statements("writer", user="watch", schema="public"))
    reader = user("dash board")
    with psycopg.connect(owner.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(statements("reader", user="dash board", schema="public"))

    store = open_store(writer)
    scenario = Scenario.around(store)
    scenario.produce(0)
    cycle = label_cycle(scenario)
    store.dispose()

    assert {row["cycle"] for row in read_status(reader)["streams"]} == {cycle}
    looking = open_store(reader)
    with looking.begin() as tx:
        assert tx.estimates.latest(cycle) is not None
    with pytest.raises(ConfigError, match="'dash board' has no right"), looking.begin() as tx:
        tx.leases.release("advance", "nobody")
    looking.dispose()


def test_a_missing_right_is_one_sentence_with_the_command_that_prints_it(user):
    migrate(user("the owner", "owner"))
    with pytest.raises(ConfigError) as refused:
        open_store(user("stranger"))
    assert "'stranger' has no right to do this" in str(refused.value)
    assert "stratawatch grants writer stranger | psql" in str(refused.value)


def test_names_are_quoted():
    assert '"a""; DROP TABLE x; --"' in statements("writer", user='a"; DROP TABLE x; --', schema="public")
