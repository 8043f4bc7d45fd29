"""Run by Alembic. The caller gives the connection and owns its transaction, so all of it happens or nothing."""

from importlib.resources import files

from alembic import context
from sqlalchemy import Connection, text

from stratawatch.adapters.store.schema import EXPECTED, VERSION_TABLE


def views() -> dict[str, str]:
    """The text of every view, by name and in its order: a view may read those before it."""
    folder = files("stratawatch.sql") / "views"
    found = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return {file.name.removesuffix(".sql"): file.read_text(encoding="utf-8") for file in found}


def migrate(connection: Connection) -> None:
    """Take the views down, change the tables, put the views up again as they are written today.

    A migration may so change what a view reads, and a view may change without a migration of its own tables. A schema
    that is not the newest gets none: its tables are not those that the views read.
    """
    context.configure(connection=connection, version_table=VERSION_TABLE)
    texts = views()
    for name in reversed(texts):
        connection.execute(text(f"DROP VIEW IF EXISTS {name}"))
    context.run_migrations()
    if context.get_context().get_current_revision() != EXPECTED:
        return
    for definition in texts.values():
        connection.exec_driver_sql(definition)


migrate(context.config.attributes["connection"])
