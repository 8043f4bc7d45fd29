import pytest


@pytest.fixture
def other(empty_url, request, tmp_path):
    """Where another store could be, on the same database."""
    sqlite = empty_url.startswith("sqlite")
    return f"sqlite:///{tmp_path}/other.db" if sqlite else request.getfixturevalue("new_postgres")()
