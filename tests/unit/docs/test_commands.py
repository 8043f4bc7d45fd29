"""Every command that the documentation says to type exists, with the options it shows."""

import re
from pathlib import Path

import pytest
import typer

from stratawatch.cli.app import app

ROOT = Path(__file__).parents[3]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
COMMANDS = typer.main.get_command(app)
CODE = re.compile(r"`([^`\n]+)`|^[$ *0-9/.]*(stratawatch .*)$", re.MULTILINE)
# Not: from stratawatch import ..., a service, a namespace.
CALL = re.compile(r"(?<!from )(?<!-n )\bstratawatch (?!stratawatch )([a-z][^&|;#`]*)")


def calls(text: str) -> list[list[str]]:
    """The words after `stratawatch` in code, console lines and crontabs."""
    spans = [one or line for one, line in CODE.findall(text)]
    spans += [line for block in re.findall(r"```[a-z]*\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    return [call.split() for span in spans for call in CALL.findall(span)]


def wrong(words: list[str]) -> str:
    """The first of these words that the command line would not know."""
    command = COMMANDS
    if words[0] not in command.commands:
        return words[0]
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    known = {option for parameter in command.params for option in parameter.opts} | {"--help", "--version"}
    return next((word for word in words if word.startswith("--") and word not in known), "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_and_options_exist(page):
    found = {" ".join(words): wrong(words) for words in calls(page.read_text(encoding="utf-8"))}
    assert {call: word for call, word in found.items() if word} == {}


def test_a_wrong_command_would_be_found():
    assert wrong(["advnace"]) == "advnace"
    assert wrong(["open", "--hurry"]) == "--hurry"
    assert wrong(["cycles", "reopen", "ID", "--why", '"x"']) == ""


def test_the_pages_do_say_what_to_type():
    assert len([call for page in PAGES for call in calls(page.read_text(encoding="utf-8"))]) > 20
