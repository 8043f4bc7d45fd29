"""Secrets stay out of the file: it holds references, and they are looked up when the secret is needed."""

import os
import re
from pathlib import Path
from typing import Final

from stratawatch.errors import ConfigError
from stratawatch.settings.revealed_secrets import remember_secret

_REFERENCE: Final = re.compile(r"\$\{(env|file):([^}]+)\}")
REMEDY: Final = 'write "${env:NAME}" or "${file:path}" and keep the secret there'


class EnvironmentText(str):
    """A value that came from an environment variable: a secret may stand there as it is."""

    __slots__ = ()


def is_reference(text: str) -> bool:
    """Whether a text is one whole reference."""
    return bool(_REFERENCE.fullmatch(text))


def check_secret(value: object) -> object:
    """Let references through, and whatever the environment says; refuse a secret that stands in the file."""
    if isinstance(value, EnvironmentText):
        return str(value)
    if isinstance(value, str) and not is_reference(value):
        raise ValueError(f"is a secret written into the file; {REMEDY}")
    return value


def resolve(text: str, folder: Path) -> str:
    """The secret behind a reference; a text that is none stands for itself."""
    found = _REFERENCE.fullmatch(text)
    if not found:
        return text
    secret = _from_environment(found[2]) if found[1] == "env" else _from_file(folder / found[2], text)
    if not secret.strip():
        raise ConfigError(f"the secret behind {text} is empty")
    remember_secret(secret)
    return secret


def _from_environment(name: str) -> str:
    if name not in os.environ:
        raise ConfigError(
            f"the environment variable {name} is not set", hint=f"the configuration refers to it as ${{env:{name}}}"
        )
    return os.environ[name]


def _from_file(path: Path, text: str) -> str:
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as trouble:
        reason = getattr(trouble, "strerror", None) or "it is not text in UTF-8"
        raise ConfigError(f"the secret file behind {text} cannot be read", got=reason) from None
