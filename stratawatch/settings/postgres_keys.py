"""Keys of a connection to PostgreSQL, which the store and a source share."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from stratawatch.errors import ConfigError
from stratawatch.settings.confined_paths import confined
from stratawatch.settings.connection_options import LOCK_TIMEOUT, SCHEMA, STATEMENT_TIMEOUT
from stratawatch.settings.shapes import PositiveDuration, Shape, Text

_FILES: Final = ("sslrootcert", "sslcert", "sslkey")
_DAY: Final = timedelta(days=1)


class PostgresKeys(Shape):
    """How PostgreSQL is reached: its schema, time limits, and TLS under the names that its client gives it."""

    schema_: Annotated[Text | None, Field(alias="schema")] = None
    lock_timeout: Annotated[PositiveDuration | None, Field(le=_DAY)] = None
    keepalive: Annotated[PositiveDuration | None, Field(ge=timedelta(seconds=1), le=_DAY)] = None
    sslmode: Literal["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] | None = None
    sslrootcert: Text | None = None
    sslcert: Text | None = None
    sslkey: Text | None = None

    def connection_options(self, folder: Path) -> dict[str, str]:
        """The options of an address that say what these keys say; certificates lie below the folder."""
        found: dict[str, str] = {"sslmode": self.sslmode} if self.sslmode else {}
        for name in _FILES:
            text = getattr(self, name)
            if text is not None:
                found[name] = text if (name, text) == ("sslrootcert", "system") else str(_file(folder, name, text))
        if self.keepalive is not None:
            found["keepalives_idle"] = str(round(self.keepalive.total_seconds()))
        if self.lock_timeout is not None:
            found[LOCK_TIMEOUT] = milliseconds(self.lock_timeout)
        return found


class StorePostgresKeys(PostgresKeys):
    """Those of the store, which has no other time limit for a statement."""

    statement_timeout: Annotated[PositiveDuration | None, Field(le=_DAY)] = None

    def connection_options(self, folder: Path) -> dict[str, str]:
        """The options of an address that say what these keys say; certificates lie below the folder."""
        found = super().connection_options(folder)
        if self.schema_ is not None:
            found[SCHEMA] = self.schema_
        if self.statement_timeout is not None:
            found[STATEMENT_TIMEOUT] = milliseconds(self.statement_timeout)
        return found

    def keys_set(self) -> list[str]:
        """The keys that are set, as they are written in the file."""
        fields = StorePostgresKeys.model_fields.items()
        return [field.alias or name for name, field in fields if getattr(self, name) is not None]


def milliseconds(length: timedelta) -> str:
    """A length of time as PostgreSQL's settings take it."""
    return str(max(1, round(length.total_seconds() * 1000)))


def _file(folder: Path, name: str, text: str) -> Path:
    try:
        return confined(folder, text)
    except ConfigError as trouble:
        hint = f"a file elsewhere is named in the url: ?{name}=/path/to/file"
        raise ConfigError(f"'{name}' {trouble.what}", expected=trouble.expected, got=trouble.got, hint=hint) from None
