"""[panels.NAME.source]: where predictions are read, one table a kind."""

import re
from datetime import timedelta
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from stratawatch.settings.database_urls import check_postgres_url, place_of
from stratawatch.settings.references import check_secret
from stratawatch.settings.shapes import PositiveDuration, Secret, Shape, Text

_SECRET_KEY: Final = re.compile(
    r"(password|passwd|secret|token|(secret|private|account)[._-]?key)$|account\.(key|oauth2\.client\.secret)\.",
    re.IGNORECASE,
)
_SECRET_VALUE: Final = re.compile(r"[?&;](password|pwd)=", re.IGNORECASE)
"""Passwords also stand in addresses of JDBC."""


class DuckDBBounds(Shape):
    """What the embedded DuckDB may use."""

    memory_limit: Annotated[str, Field(pattern=r"^\d+(\.\d+)?(KB|MB|GB|TB)$")] | None = None
    threads: Annotated[int, Field(ge=1, le=1024)] | None = None


class FilesSource(DuckDBBounds):
    """kind = "files": Parquet or CSV files."""

    kind: Literal["files"]
    path: Text
    allow_outside: bool = False
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None

    @property
    def words(self) -> str:
        """What is read, for people."""
        return f"files: {self.path}"


class DuckDBSource(DuckDBBounds):
    """kind = "duckdb": a table or view of a DuckDB file."""

    kind: Literal["duckdb"]
    path: Text
    table: Text
    schema_: Annotated[Text, Field(alias="schema")] = "main"
    allow_outside: bool = False

    @property
    def words(self) -> str:
        """What is read, for people."""
        return f"duckdb: {self.table} of {self.path}"


class PostgresSource(Shape):
    """kind = "postgres": a table or view of PostgreSQL."""

    kind: Literal["postgres"]
    url: Annotated[str, BeforeValidator(check_postgres_url), Field(repr=False)]
    password: Secret | None = None
    table: Text
    schema_: Annotated[Text | None, Field(alias="schema")] = None
    timeout: Annotated[PositiveDuration, Field(le=timedelta(days=1))] = timedelta(hours=1)

    @property
    def words(self) -> str:
        """What is read, for people."""
        table = f"{self.schema_}.{self.table}" if self.schema_ else self.table
        return f"postgres: {table} of {place_of(self.url)}"


def _check_secrets(values: object) -> object:
    """Let references through; refuse a secret that stands in the file, where its key tells that it is one."""
    if not isinstance(values, dict):
        return values
    for key, value in values.items():
        if _SECRET_KEY.search(key) or (isinstance(value, str) and _SECRET_VALUE.search(value)):
            try:
                check_secret(value)
            except ValueError as trouble:
                raise ValueError(f"has the key '{key}', whose value {trouble}") from None
    return {key: str(value) if isinstance(value, str) else value for key, value in values.items()}


KeysAndSecrets = Annotated[dict[str, str], BeforeValidator(_check_secrets)]


def _check_workers_find(path: str) -> str:
    """Refuse a path that each of Spark's processes would begin in a folder of its own."""
    if "://" not in path and not path.startswith("/"):
        raise ValueError('is relative, so that Spark\'s workers cannot find it; write "s3a://..." or "/data/..."')
    return path


class SparkSource(Shape):
    """kind = "spark": a table of Spark's catalog, or files on any storage that Spark knows."""

    kind: Literal["spark"]
    master: Text | None = None
    table: Text | None = None
    path: Annotated[Text, AfterValidator(_check_workers_find)] | None = None
    format: Text = "parquet"
    options: KeysAndSecrets = Field(default_factory=dict, repr=False)
    settings: KeysAndSecrets = Field(default_factory=dict, repr=False)

    @model_validator(mode="after")
    def _one_of_both(self) -> "SparkSource":
        if (self.table is None) == (self.path is None):
            raise ValueError("needs a `table` or a `path`, and not both")
        return self

    @property
    def words(self) -> str:
        """What is read, for people."""
        return f"spark: {self.table or self.path}"


SourceSettings = Annotated[FilesSource | DuckDBSource | PostgresSource | SparkSource, Field(discriminator="kind")]
KINDS = ("files", "duckdb", "postgres", "spark")
