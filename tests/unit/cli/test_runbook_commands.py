"""What docs/runbook.md says to type is a command, with every option that it must have."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from stratawatch.cli.app import app
from tests.support.console_blocks import blocks

TEXT = (Path(__file__).parents[3] / "docs" / "runbook.md").read_text(encoding="utf-8")
TYPED = [command for block in blocks(TEXT) if block.language == "console" for command in block.commands]
INLINE = re.findall(r"`(stratawatch [^`]+)`", TEXT)
NUMBERS = ("CYCLE", "INCIDENT")
"""What stands for a number."""


def parse(command: str) -> None:
    """Read a command as the program does, and run nothing."""
    _, *arguments = ["1" if word in NUMBERS else word for word in shlex.split(command)]
    found = get_command(app)
    while hasattr(found, "commands"):
        found = found.commands[arguments.pop(0)]
    found.make_context(found.name, arguments)


def test_the_runbook_has_both_kinds():
    assert len(TYPED) >= 6
    assert len(INLINE) >= 6


@pytest.mark.parametrize("command", sorted({*TYPED, *INLINE}))
def test_each_is_complete(command):
    parse(command)


def test_a_missing_option_is_noticed():
    with pytest.raises(Exception, match="Missing parameter: why"):
        parse("stratawatch cycles reopen CYCLE")
