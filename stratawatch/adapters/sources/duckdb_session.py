"""One short-lived DuckDB in memory, within stated bounds, and its errors as sentences."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from stratawatch.adapters.sources.csv_errors import csv_trouble
from stratawatch.adapters.sources.quoting import text
from stratawatch.errors import ConfigError, InputRefused, Unreachable


@dataclass(frozen=True)
class Bounds:
    """What DuckDB may use: memory ('4GB'), threads, and a folder to spill to. None leaves DuckDB's own default."""

    memory_limit: str | None = None
    threads: int | None = None
    temp_folder: Path | None = None


@contextmanager
def session(bounds: Bounds) -> Iterator[Any]:
    """Open a database that sees no network, no extension and no Python variable, in UTC."""
    import duckdb

    settings: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "preserve_insertion_order": False,  # streams instead of buffering; the draw does not depend on row order
        "python_enable_replacements": False,
    }
    if bounds.memory_limit is not None:
        settings["memory_limit"] = bounds.memory_limit
    if bounds.threads is not None:
        settings["threads"] = bounds.threads
    with tempfile.TemporaryDirectory(prefix="stratawatch-", dir=bounds.temp_folder) as spill:
        settings["temp_directory"] = spill
        connection = duckdb.connect(":memory:", config=settings)
        try:
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute("SET enable_progress_bar = TRUE")  # how far a query is can be asked then
            connection.execute("SET enable_progress_bar_print = FALSE")
            yield connection
        finally:
            connection.close()


def stay_inside(connection: Any, folder: Path) -> None:
    """From now on no file outside of the folder is opened, whatever a view names; spilling goes on."""
    connection.execute(f"SET allowed_directories = [{text(str(folder.resolve()))}]")
    connection.execute("SET enable_external_access = FALSE")


@contextmanager
def reading(asked: str) -> Iterator[None]:
    """Turn DuckDB's errors into Unreachable (retry may help) or InputRefused (it will not)."""
    import duckdb

    try:
        yield
    except duckdb.ConversionException as trouble:
        raise InputRefused(f"'{asked}' holds a value that cannot be read", got=_first_line(trouble)) from trouble
    except duckdb.PermissionException as trouble:
        raise ConfigError(
            f"'{asked}' reads what lies outside of the folder of the configuration",
            got=_first_line(trouble),
            hint="put the files there, or allow_outside = true lets a source do that",
        ) from trouble
    except duckdb.OutOfMemoryException as trouble:
        raise Unreachable(
            f"reading '{asked}' needs more memory than DuckDB may use",
            got=_first_line(trouble),
            hint="raise the source's memory_limit",
        ) from trouble
    except duckdb.BinderException as trouble:
        raise InputRefused(f"the columns of '{asked}' do not fit together", got=_first_line(trouble)) from trouble
    except duckdb.Error as trouble:
        raise csv_trouble(str(trouble)) or _held(asked, trouble) or _unreadable(asked, trouble) from trouble


def _held(asked: str, trouble: Exception) -> Unreachable | None:
    """A DuckDB file has one process that writes, or any number that read."""
    if "Could not set lock on file" not in str(trouble):
        return None
    holder = re.search(r"PID (\d+)", str(trouble))
    return Unreachable(
        f"'{asked}' is held by a program that writes to it",
        got=f"process {holder[1]}" if holder else "",
        hint="an advance tries again by itself; a command can, once that program has closed the file, "
        "or reads a copy of it or an export in Parquet",
    )


def _unreadable(asked: str, trouble: Exception) -> Unreachable:
    line = _first_line(trouble)
    hint = next((hint for pattern, hint in _HINTS if re.search(pattern, line)), "it is read again at the next advance")
    return Unreachable(f"'{asked}' cannot be read", got=line, hint=hint)


_HINTS: Final = (
    ("No files found|No such file", "it is looked for again at the next advance"),
    (
        "magic bytes|too small to be a Parquet|Unexpected end",
        "a file that is still being written is read again at the next advance; else export it again",
    ),
    ("not a valid DuckDB database", 'export it again; for Parquet or CSV the source has kind = "files"'),
)


def _first_line(trouble: Exception) -> str:
    return str(trouble).strip().splitlines()[0]
