"""Where predictions are read: one adapter a kind, loaded when it is used."""

from importlib import import_module
from typing import Any, Final

from stratawatch.errors import ConfigError

REGISTRY: Final[dict[str, str]] = {
    "files": "stratawatch.adapters.sources.duckdb_files:DuckDBSource",
    "duckdb": "stratawatch.adapters.sources.duckdb_table:DuckDBTableSource",
    "postgres": "stratawatch.adapters.sources.postgres_table:PostgresSource",
    "spark": "stratawatch.adapters.sources.spark_table:SparkSource",
}
"""Kind of source -> module:class."""


def load(kind: str) -> Any:
    """The class behind a kind of source."""
    if kind not in REGISTRY:
        raise ConfigError(f"there is no source of kind '{kind}'", expected=" or ".join(sorted(REGISTRY)))
    module, _, name = REGISTRY[kind].partition(":")
    return getattr(import_module(module), name)
