"""The file itself: read it, parse it, and say on which line it is broken."""

import ast
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from stratawatch.config.key_lines import key_lines, line_of_unfinished
from stratawatch.config.problems import ConfigProblems, Problem
from stratawatch.errors import ConfigError

LARGEST: Final = 1_000_000
"""Bytes; a configuration is written by people."""


@dataclass(frozen=True)
class Document:
    """A parsed file and its text."""

    path: Path
    text: str
    data: dict[str, Any]

    @property
    def folder(self) -> Path:
        """Where relative paths begin."""
        return self.path.parent


def read_document(path: Path) -> Document:
    """Read and parse a TOML file."""
    path = path.absolute()
    text = _text(path)
    try:
        return Document(path, text, tomllib.loads(text))
    except tomllib.TOMLDecodeError as trouble:
        found = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", str(trouble))
        what, line = (found[1], int(found[2])) if found else _at_end(str(trouble), text)
        hint = _declared_before(what, line, text) or "text needs quotes, tables look like [panels.name]"
        problem = Problem((), f"this is not TOML: {what[:1].lower()}{what[1:]}", hint=hint, line=line)
        raise ConfigProblems(path, [problem]) from None


def _declared_before(trouble: str, line: int, text: str) -> str:
    """Where a table stands that is declared a second time, and what to do; empty for any other trouble."""
    found = re.match(r"Cannot declare (\(.*\)) twice$", trouble)
    if found is None:
        return ""
    place = ast.literal_eval(found[1])
    first = key_lines("\n".join(text.splitlines()[: line - 1])).get(place)
    where = "" if first is None else f" on line {first}"
    return f"[{'.'.join(place)}] is there already{where}: put the keys into that one"


def _at_end(trouble: str, text: str) -> tuple[str, int]:
    """What is wrong where the file ends too early, and the line with which what is not finished begins."""
    begun = line_of_unfinished(text)
    return f"{trouble.removesuffix(' (at end of document)')}; the file ends inside what begins on line {begun}", begun


def _text(path: Path) -> str:
    try:
        if path.is_file() and path.stat().st_size > LARGEST:
            raise ConfigError(f"{path.name} is too large for a configuration", expected=f"at most {LARGEST:,} bytes")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(
            f"there is no configuration {path.name} in {path.parent}",
            hint="`stratawatch init` writes one; --config names another",
        ) from None
    except OSError as trouble:
        raise ConfigError(f"{path.name} cannot be read", got=trouble.strerror or type(trouble).__name__) from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path.name} is not text in UTF-8", hint="save it as UTF-8") from None
