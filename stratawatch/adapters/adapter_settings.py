"""What the settings of every adapter have: a kind, paths and secrets to be checked, and what builds the adapter."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, ClassVar, NamedTuple

from pydantic import ModelWrapValidatorHandler, SecretStr, model_validator
from pydantic_core import PydanticKnownError

from stratawatch.settings.references import resolve
from stratawatch.settings.revealed_secrets import remember_secret
from stratawatch.settings.shapes import Shape


class LocalPath(NamedTuple):
    """A path that must stay below the configuration's folder, at one of the settings' keys."""

    key: str
    path: str
    allow_outside: bool = False


@dataclass(frozen=True)
class BuildContext:
    """The installation that an adapter is built for. `folder` is where its configuration lies."""

    folder: Path

    def reveal(self, secret: SecretStr) -> SecretStr:
        """The secret behind a reference."""
        revealed = resolve(secret.get_secret_value(), self.folder)
        remember_secret(revealed)  # the environment may have brought it as it is
        return SecretStr(revealed)

    def resolved(self, values: Mapping[str, str]) -> dict[str, str]:
        """Values of which some may be references, with what they refer to."""
        return {name: resolve(value, self.folder) for name, value in values.items()}

    def pattern(self, path: str) -> str:
        """An absolute path; in a pattern, the folder's own special characters stand for themselves."""
        if Path(path).is_absolute():
            return path
        whole = Path(escape(str(self.folder))) if any(sign in path for sign in "*?[{") else self.folder
        return str(whole / path)


class AdapterSettings(Shape):
    """A table with a `kind`. Each port has a subclass with its registry; reading that one reads the kind's own class.

    An adapter's settings are a subclass of its port's with a `kind`, its keys, and `build(context)`.
    """

    registry: ClassVar[Mapping[str, str]] = {}
    """Kind -> "module:settings class"."""
    default_kind: ClassVar[str | None] = None
    """What a table without a `kind` is, if that is allowed."""

    kind: str

    @classmethod
    def of_kind(cls, kind: str) -> type["AdapterSettings"]:
        """The settings of a kind; its module is imported now."""
        found: type[AdapterSettings] = resolve_name(cls.registry[kind])
        return found

    @classmethod
    def kind_of(cls, table: object) -> str | None:
        """The kind that a table is of; None where it says none that there is."""
        kind = table.get("kind", cls.default_kind) if isinstance(table, Mapping) else None
        return kind if isinstance(kind, str) and kind in cls.registry else None

    @model_validator(mode="wrap")
    @classmethod
    def _of_its_kind(cls, value: Any, handler: ModelWrapValidatorHandler["AdapterSettings"]) -> "AdapterSettings":
        if "registry" not in vars(cls) or not isinstance(value, Mapping):
            return handler(value)
        kind = cls.kind_of(value)
        if kind is None:
            kinds = ", ".join(f"'{name}'" for name in cls.registry)
            given = str(value.get("kind", "none"))
            context = {"discriminator": "'kind'", "tag": given, "expected_tags": kinds}
            raise PydanticKnownError("union_tag_invalid", context)
        return cls.of_kind(kind).model_validate({"kind": kind, **value})

    def local_paths(self) -> tuple[LocalPath, ...]:
        """Paths that must stay below the configuration's folder."""
        return ()

    def secrets(self) -> Iterator[tuple[tuple[str, ...], SecretStr]]:
        """References to secrets, each with its keys."""
        for key, value in self:
            if isinstance(value, SecretStr):
                yield (key,), value
            elif isinstance(value, dict):
                yield from (((key, name), inner) for name, inner in value.items() if isinstance(inner, SecretStr))
