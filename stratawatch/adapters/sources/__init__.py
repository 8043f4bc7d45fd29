"""Sources of predictions: the kinds that there are, each loaded when it is used, and what their settings share."""

from abc import abstractmethod
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from pydantic import Field

from stratawatch.adapters.adapter_settings import AdapterSettings, BuildContext
from stratawatch.settings.shapes import PositiveDuration

if TYPE_CHECKING:
    from stratawatch.engine.ports import PredictionSource

REGISTRY: Final[dict[str, str]] = {
    "files": "stratawatch.adapters.sources.duckdb_files:FilesSettings",
    "duckdb": "stratawatch.adapters.sources.duckdb_table:DuckDBTableSettings",
    "delta": "stratawatch.adapters.sources.delta_table:DeltaSettings",
    "iceberg": "stratawatch.adapters.sources.iceberg_table:IcebergSettings",
    "postgres": "stratawatch.adapters.sources.postgres_table:PostgresSettings",
    "spark": "stratawatch.adapters.sources.spark_table:SparkSettings",
}
"""Kind of source -> module:settings class."""

LONGEST_READ: Final = timedelta(minutes=30)
"""Half of what a flow run may take: a read that hangs must end, and be counted, before its run is ended."""


class SourceSettings(AdapterSettings):
    """[panels.NAME.source]: a source, by its kind."""

    registry: ClassVar = REGISTRY
    read_timeout: Annotated[PositiveDuration, Field(le=LONGEST_READ)] = timedelta(minutes=10)

    @property
    @abstractmethod
    def description(self) -> str:
        """The place that is read, in words for people."""

    @property
    def content_key(self) -> str:
        """The key that says what is read."""
        return "table"

    @property
    def server_key(self) -> str:
        """The key that says where the server is, or else what is read."""
        return self.content_key

    @abstractmethod
    def build(self, context: BuildContext) -> "PredictionSource":
        """The source; secrets are looked up now."""
