"""Blocks of documentation pages that a person types in, and how they are typed in by a test.

A comment before a block says what else there is to know of it:

    <!-- not run: it needs a Docker engine -->      a console block that no test runs, and why
    <!-- file: label.py -->                         the block is this file
    <!-- adds to: stratawatch.toml -->              the block is added to the end of this file
"""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from stratawatch.cli.app import app
from tests.support.command_line import CliRunner

_BLOCK = re.compile(r"(?:^<!-- (not run|file|adds to): ([^>]*?) -->\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\s+# .*$")
_RUNNER = CliRunner()


@dataclass(frozen=True)
class Block:
    """A block of a page: its language, its text, and the comment before it in two parts."""

    language: str
    text: str
    key: str
    value: str

    @property
    def commands(self) -> list[str]:
        """The lines to type; what a line explains behind a # is left out."""
        typed_lines = (line for line in self.text.splitlines() if line.startswith("$ "))
        return [_COMMENT.sub("", line.removeprefix("$ ")) for line in typed_lines]


def blocks(page: str) -> list[Block]:
    """All blocks of a page, in order."""
    return [Block(language, text, key, value) for key, value, language, text in _BLOCK.findall(page)]


def play(found: list[Block]) -> list[tuple[str, str]]:
    """Type a page in, in the present folder: every command that is run, with what it printed."""
    said = []
    with pytest.MonkeyPatch.context() as environment:
        for block in found:
            if block.key == "file":
                Path(block.value).write_text(block.text, encoding="utf-8")
            elif block.key == "adds to":
                path = Path(block.value)
                path.write_text(f"{path.read_text(encoding='utf-8')}\n{block.text}", encoding="utf-8")
            elif block.language == "console" and block.key != "not run":
                said += _type_block(block, environment)
    return said


def _type_block(block: Block, environment: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    said = []
    for line in block.commands:
        setting = line.removeprefix("export ")
        if re.match(r"[A-Z_]+=\S*$", setting):
            environment.setenv(*setting.split("=", 1))
        else:
            said.append((line, typed(line)))
    return said


def typed(line: str) -> str:
    """What a command prints; those of stratawatch run in this process, which has loaded its libraries."""
    program, *arguments = shlex.split(os.path.expandvars(line))
    if program == "stratawatch" and "|" not in arguments:
        done = _RUNNER.invoke(app, arguments)
        code, text = done.exit_code, done.output
    else:
        changes = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        shell = subprocess.run(
            ["bash", "-c", line], env=os.environ | changes, capture_output=True, text=True, timeout=120, check=False
        )
        code, text = shell.returncode, shell.stdout + shell.stderr
    assert code == 0, f"{line}: {text}"
    return text
