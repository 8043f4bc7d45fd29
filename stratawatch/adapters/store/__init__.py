"""The store: one implementation of its port, on SQLite and PostgreSQL."""

from stratawatch.adapters.store.schema import migrate, schema_state
from stratawatch.adapters.store.store import SqlStore, open_store

__all__ = ["SqlStore", "migrate", "open_store", "schema_state"]
