"""Writes the two reference pages: every key of the configuration, and every command with its options.

`python docs/reference_pages.py` writes docs/configuration.md from the settings and the comments of the template, and
docs/commands.md from the command line itself. A test fails where a page is not what this would write.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, get_args

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from typer.testing import CliRunner

from stratawatch.adapters.adapter_settings import AdapterSettings
from stratawatch.cli.app import app
from stratawatch.config.settings import Settings

ROOT: Final = Path(__file__).parent.parent
WRITTEN_BY: Final = "<!-- Written by docs/reference_pages.py: change the template or the code, and run it again. -->"
_EXAMPLE_PANEL: Final = "toxicity"
_TABLE: Final = re.compile(r"^(?:# )?(\[\[?)([\w.\-]+)\]\]?\s*(?:# *(.*))?$")
_KEY: Final = re.compile(r"^(?:# )?(\w+) = (.*)$")
_MORE: Final = re.compile(r"^# {20,}# ?(.*)$|^ {20,}# ?(.*)$")
_TIMES: Final = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


_ABOUT_KEYS: Final = """\
Every key of `stratawatch.toml`, by table, with its default and what the
[commented template](../stratawatch/config/template.toml) says of it; `stratawatch init` writes that file. `NAME` is a
name of yours. *Needed* keys have no default. Lengths of time are `"30s"`, `"20m"`, `"2h"` or `"7d"`; moments stand
without quotes. Secrets are never written there: `"${env:NAME}"` reads an environment variable, `"${file:path}"` a file
below the configuration's folder. The environment may set any key: `STRATAWATCH_STORE__URL`,
`STRATAWATCH_PANELS__TOXICITY__BUDGET=600`.
"""
_ABOUT_COMMANDS: Final = """\
What `--help` prints, of every command. What the commands are for, and their JSON: [the command line](cli.md).
"""


@dataclass
class Shown:
    """What the template shows of a key: an example, and what is said of it."""

    example: str
    comment: str


def shown_keys(template: str) -> dict[tuple[str, str, str], Shown]:
    """By table, kind of adapter (or nothing) and key. A comment may go on in the next lines."""
    found: dict[tuple[str, str, str], Shown] = {}
    table, kind, last = "", "", None
    for line in template.splitlines():
        if header := _TABLE.match(line):
            table, kind, last = _general(header[2]), "", None
        elif entry := _KEY.match(line):
            value, _, comment = _parted(entry[2])
            if entry[1] == "kind":
                kind = value.strip('"')
            last = found.setdefault((table, kind, entry[1]), Shown(value, comment))
            last.comment = last.comment or comment
        elif last is not None and (more := _MORE.match(line)):
            last.comment += f" {more[1] or more[2]}"
        else:
            last = None
    return found


def _parted(text: str) -> tuple[str, str, str]:
    """A value and its comment: the first # outside of quotes."""
    quoted = False
    for place, sign in enumerate(text):
        quoted ^= sign == '"'
        if sign == "#" and not quoted:
            return text[:place].strip(), "#", text[place + 1 :].strip()
    return text.strip(), "", ""


def _general(table: str) -> str:
    """A table's name without the example's own names."""
    return re.sub(r"\.(classifiers|auxiliary)\.[\w\-]+$", r".\1.NAME", table.replace(f".{_EXAMPLE_PANEL}", ".NAME"))


@dataclass(frozen=True)
class Table:
    """A table of the file: its name, whether there may be several, its settings and, of an adapter, its kind."""

    name: str
    is_list: bool
    model: type[BaseModel]
    kind: str = ""

    @property
    def heading(self) -> str:
        """The header as the file has it, with the kind."""
        header = f"[[{self.name}]]" if self.is_list else f"[{self.name}]"
        return f"`{header}`" + (f', `kind = "{self.kind}"`' if self.kind else "")


def tables(model: type[BaseModel], name: str = "", *, is_list: bool = False) -> Iterator[Table]:
    """A table and those below it, each kind of an adapter by itself."""
    if issubclass(model, AdapterSettings):
        for kind in model.registry:
            yield Table(name, is_list, model.of_kind(kind), kind)
        return
    if name:
        yield Table(name, is_list, model)
    for key, field in model.model_fields.items():
        for below, several, named in _models(field.annotation):
            yield from tables(below, ".".join(filter(None, (name, key, "NAME" if named else ""))), is_list=several)


def _models(
    annotation: Any, *, is_list: bool = False, named: bool = False
) -> Iterator[tuple[type[BaseModel], bool, bool]]:
    """The settings that a field holds, whether in a list, and whether by name."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, is_list, named
    origin = getattr(annotation, "__origin__", None)
    for member in get_args(annotation):
        yield from _models(member, is_list=is_list or origin is list, named=named or origin is dict)


def configuration_page() -> str:
    """Every table with its keys."""
    shown = shown_keys((ROOT / "stratawatch/config/template.toml").read_text(encoding="utf-8"))
    parts = [
        f"# Configuration reference\n\n{WRITTEN_BY}\n",
        _ABOUT_KEYS,
    ]
    for table in tables(Settings):
        rows = [
            _row(table, key, field, shown)
            for key, field in table.model.model_fields.items()
            if _is_key(table.model, key, field)
        ]
        lines = ["| key | default | example | what it is |", "|---|---|---|---|", *rows]
        parts.append("\n\n".join([f"## {table.heading}", _about(table.model), "\n".join(lines)]) + "\n")
    return "\n".join(parts)


def _about(model: type[BaseModel]) -> str:
    """The first line of its docstring, without the header that it repeats."""
    line = (model.__doc__ or "").partition("\n")[0]
    text = re.sub(r"^(\[[^:]*\]|kind = \"\w+\"): ", "", line)
    return text[:1].upper() + text[1:]


def _is_key(model: type[BaseModel], key: str, field: FieldInfo) -> bool:
    refused = key == "reports" and getattr(model, "wakes_people", False)  # of channels that call somebody
    return key != "kind" and not refused and not any(_models(field.annotation))


def _row(table: Table, key: str, field: FieldInfo, shown: dict[tuple[str, str, str], Shown]) -> str:
    name = field.alias or key
    places = ((table.name, table.kind, name), (table.name, "", name))
    found = next((shown[place] for place in places if place in shown), None) or _of_another_kind(table, name, shown)
    cells = (f"`{name}`", _default(field), f"`{found.example}`" if found.example else "", found.comment)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _of_another_kind(table: Table, name: str, shown: dict[tuple[str, str, str], Shown]) -> Shown:
    """What is said of a key that all kinds have stands where the template shows it first."""
    same = (one for (place, _, key), one in shown.items() if (place, key) == (table.name, name))
    return next(same, Shown("", ""))


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "*needed*"
    value = field.get_default(call_default_factory=True)
    if value is None or value is PydanticUndefined or value in ([], {}):
        return ""
    if isinstance(value, timedelta):
        return f'`"{_length(value)}"`'
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def _length(value: timedelta) -> str:
    seconds = int(value.total_seconds())
    return next((f"{seconds // size}{unit}" for unit, size in _TIMES if seconds and seconds % size == 0), "0s")


def commands_page() -> str:
    """The help of every command, as the terminal has it at 80 columns."""
    parts = [
        f"# Command reference\n\n{WRITTEN_BY}\n",
        _ABOUT_COMMANDS,
    ]
    for words in ((), *_commands(typer.main.get_command(app))):
        done = CliRunner().invoke(
            app, [*words, "--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"}, prog_name="stratawatch"
        )
        text = "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())
        parts.append(f"## {' '.join(('stratawatch', *words))}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def _commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*path, name)
        if hasattr(command, "commands"):
            yield from _commands(command, (*path, name))


PAGES: Final = {"configuration.md": configuration_page, "commands.md": commands_page}


if __name__ == "__main__":
    for file, written in PAGES.items():
        (ROOT / "docs" / file).write_text(written(), encoding="utf-8")
