import pytest

from tests.support.scenario_fixtures import breaching, labelled, make_scenario, played, scenario  # noqa: F401
from tests.support.store.backups import PostgresBackups, SqliteBackups


@pytest.fixture(params=[pytest.param("sqlite"), pytest.param("postgres", marks=pytest.mark.postgres)])
def backups(request, tmp_path):
    """A store whose backups can be put back, on either database."""
    if request.param == "postgres":
        admin, url = map(request.getfixturevalue, ("postgres_server", "postgres_store_url"))
        made = PostgresBackups(admin, request.getfixturevalue("new_postgres")(), url)
    else:
        made = SqliteBackups(tmp_path / "store.db")
    yield made
    made.dispose()
