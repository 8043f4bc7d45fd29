"""The reference pages are what docs/reference_pages.py writes today, and have every key and every command."""

import re
from pathlib import Path

import pytest
import typer

from docs.reference_pages import PAGES, Shown, shown_keys, tables
from stratawatch.cli.app import app
from stratawatch.config.settings import Settings

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_up_to_date(name):
    """Where it is not: `python docs/reference_pages.py`."""
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == PAGES[name]()


def test_every_table_has_its_keys_once():
    text = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert [one.heading for one in tables(Settings)] == list(sections)
    for one in tables(Settings):
        keys = re.findall(r"^\| `([^`]+)`", sections[one.heading], re.MULTILINE)
        assert len(keys) == len(set(keys)) > 0, one.heading
        assert set(keys) <= {field.alias or name for name, field in one.model.model_fields.items()}


def test_a_channel_that_calls_somebody_has_no_reports():
    """It refuses the key."""
    text = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    channels = re.findall(r'^## `\[\[alerts\]\]`, `kind = "(\w+)"`\n(.*?)(?=^## )', text, re.MULTILINE | re.DOTALL)
    assert {kind for kind, keys in channels if "| `reports` |" not in keys} == {"alertmanager", "pagerduty"}


def test_defaults_and_comments_are_those_of_the_program():
    text = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    assert "| `confidence` | `0.95` | `0.95` | of the intervals that are reported |" in text
    assert '| `label_validity` | `"90d"` | `"90d"` | how long a verdict serves later cycles |' in text
    assert "| `question` | *needed* |" in text


def test_a_comment_may_go_on_in_the_next_line():
    template = '# [panels.toxicity.auxiliary.judge]\n# score = "a#b"    # guides\n#' + " " * 30 + "# labels\n"
    key = ("panels.NAME.auxiliary.NAME", "", "score")
    assert shown_keys(template) == {key: Shown('"a#b"', "guides labels")}


def test_every_command_has_a_section():
    text = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^## stratawatch ?(.*)$", text, re.MULTILINE))
    groups = typer.main.get_command(app).commands
    below = {f"{name} {inner}" for name, one in groups.items() for inner in getattr(one, "commands", {})}
    assert headings == {"", *groups, *below}
