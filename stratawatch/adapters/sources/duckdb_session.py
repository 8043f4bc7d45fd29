"""One short-lived DuckDB in memory, with limits on what it uses, and its errors as ours."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.sources import SourceSettings
from stratawatch.adapters.sources.csv_errors import csv_error
from stratawatch.adapters.sources.quoting import text
from stratawatch.errors import ConfigError, InputRefused, Unreachable
from stratawatch.formatting import first_line
from stratawatch.settings.shapes import Text


@dataclass(frozen=True)
class DuckDBLimits:
    """What DuckDB may use: memory ('4GB'), threads, and a folder to spill to. None leaves DuckDB's own default."""

    memory_limit: str | None = None
    threads: int | None = None
    temp_folder: Path | None = None


class EmbeddedSettings(SourceSettings):
    """What sources that the embedded DuckDB reads have in common."""

    allow_outside: bool = False
    memory_limit: Annotated[str, Field(pattern=r"^\d+(\.\d+)?(KB|MB|GB|TB)$")] | None = None
    threads: Annotated[int, Field(ge=1, le=1024)] | None = None

    @property
    def limits(self) -> DuckDBLimits:
        """What DuckDB may use."""
        return DuckDBLimits(self.memory_limit, self.threads)

    def confined_to(self, context: BuildContext) -> Path | None:
        """The folder that links may not lead out of."""
        return None if self.allow_outside else context.folder


class DuckDBSettings(EmbeddedSettings):
    """The settings of a source that reads files or a DuckDB table."""

    path: Text

    @property
    def content_key(self) -> str:
        """The files, or the file that the table is in."""
        return "path"

    def local_paths(self) -> tuple[LocalPath, ...]:
        """Files of this machine."""
        return (LocalPath("path", self.path, self.allow_outside),)


@contextmanager
def duckdb_session(limits: DuckDBLimits) -> Iterator[Any]:
    """Open a database that sees no network, no extension and no Python variable, in UTC."""
    import duckdb

    settings: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "preserve_insertion_order": False,  # streams instead of buffering; the draw does not depend on row order
        "python_enable_replacements": False,
    }
    if limits.memory_limit is not None:
        settings["memory_limit"] = limits.memory_limit
    if limits.threads is not None:
        settings["threads"] = limits.threads
    with tempfile.TemporaryDirectory(prefix="stratawatch-", dir=limits.temp_folder) as spill:
        settings["temp_directory"] = spill
        connection = duckdb.connect(":memory:", config=settings)
        try:
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute("SET enable_progress_bar = TRUE")  # without it query_progress() answers nothing
            connection.execute("SET enable_progress_bar_print = FALSE")
            yield connection
        finally:
            connection.close()


def confine_to_folder(connection: Any, folder: Path) -> None:
    """Let the connection open no file outside of the folder any more, whatever a view names; it may still spill."""
    connection.execute(f"SET allowed_directories = [{text(str(folder.resolve()))}]")
    connection.execute("SET enable_external_access = FALSE")


def column_types(connection: Any, relation: str) -> dict[str, str]:
    """The columns of a relation and their SQL types, in the relation's order."""
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()}


@contextmanager
def duckdb_errors(source: str) -> Iterator[None]:
    """Turn DuckDB's errors into Unreachable (retry may help) or InputRefused (it will not)."""
    import duckdb

    try:
        yield
    except duckdb.ConversionException as error:
        raise InputRefused(f"'{source}' holds a value that cannot be read", got=first_line(str(error))) from error
    except duckdb.PermissionException as error:
        raise ConfigError(
            f"'{source}' reads what lies outside of the folder of the configuration",
            got=first_line(str(error)),
            hint="put the files there, or allow_outside = true lets a source do that",
        ) from error
    except duckdb.OutOfMemoryException as error:
        raise Unreachable(
            f"reading '{source}' needs more memory than DuckDB may use",
            got=first_line(str(error)),
            hint="raise the source's memory_limit",
        ) from error
    except duckdb.BinderException as error:
        raise InputRefused(f"the columns of '{source}' do not fit together", got=first_line(str(error))) from error
    except duckdb.Error as error:
        raise csv_error(str(error)) or _file_in_use(source, error) or _unreadable(source, error) from error


def _file_in_use(source: str, error: Exception) -> Unreachable | None:
    """The error for a file that another process writes to: DuckDB lets one process write, or any number read."""
    if "Could not set lock on file" not in str(error):
        return None
    holder = re.search(r"PID (\d+)", str(error))
    return Unreachable(
        f"'{source}' is held by a program that writes to it",
        got=f"process {holder[1]}" if holder else "",
        hint="an advance tries again by itself; a command can, once that program has closed the file, "
        "or reads a copy of it or an export in Parquet",
    )


def _unreadable(source: str, error: Exception) -> Unreachable:
    line = first_line(str(error))
    hint = next((hint for pattern, hint in _HINTS if re.search(pattern, line)), "it is read again at the next advance")
    return Unreachable(f"'{source}' cannot be read", got=line, hint=hint)


_HINTS: Final = (
    ("No files found|No such file", "it is looked for again at the next advance"),
    (
        "magic bytes|too small to be a Parquet|Unexpected end",
        "a file that is still being written is read again at the next advance; else export it again",
    ),
    ("not a valid DuckDB database", 'export it again; for Parquet or CSV the source has kind = "files"'),
)
