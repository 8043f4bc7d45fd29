"""The page on the views names every view with every column, in both databases, and its example runs."""

import re
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text

from tests.conftest import BOTH

PAGE = (Path(__file__).parents[3] / "docs/views.md").read_text(encoding="utf-8")


@pytest.fixture(params=BOTH)
def engine(request):
    """The newest schema, empty."""
    # The database of PostgreSQL is shared, and what the test before left there is deleted for who asks in this way.
    name = "postgres_store_url" if request.param == "postgres" else "migrated_sqlite"
    found = request.getfixturevalue(name)
    made = create_engine(found if request.param == "postgres" else f"sqlite:///{found}")
    yield made
    made.dispose()


def documented():
    """The columns of each view, in the order of the page."""
    parts = re.split(r"^## `(\w+)`$", PAGE, flags=re.MULTILINE)[1:]
    views = dict(zip(parts[::2], parts[1::2], strict=True))
    return {view: re.findall(r"`(\w+)`", "".join(_first_cells(part))) for view, part in views.items()}


def _first_cells(part):
    return re.findall(r"^\| (`[^|]*) \|", part, re.MULTILINE)


def test_every_column_of_every_view_is_there(engine):
    looked = inspect(engine)
    known = {view: {column["name"] for column in looked.get_columns(view)} for view in looked.get_view_names()}
    found = documented()
    assert {view: set(columns) for view, columns in found.items()} == known
    assert all(len(set(columns)) == len(columns) for columns in found.values())


def test_the_example_runs(engine):
    (example,) = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    with engine.connect() as connection:
        assert connection.execute(text(example)).fetchall() == []
