"""The command line as a whole: every command documented, errors as sentences, JSON and nothing else."""

import re
from pathlib import Path

import pytest
import typer

from stratawatch.cli import output
from stratawatch.cli.app import app
from stratawatch.cli.output import state_text
from stratawatch.cli.quick_commands import config_after_command
from stratawatch.cli.table_output import show_rows
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.errors import Unreachable
from tests.support.command_line import CliRunner

ROOT = Path(__file__).parents[3]
DOCS = (ROOT / "docs/cli.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "moved"),
    [
        ("--config f status", "status --config f"),
        ("-c f labels drawn --json", "labels drawn -c f --json"),
        ("labels --config=f drawn", "labels drawn --config=f"),
        ("--config f status --config g", "status --config f --config g"),
        ("--config f cycles --state open", "cycles --state open --config f"),
        ("status --config f", "status --config f"),
        ("labels erase --why --config", "labels erase --why --config"),
        ("--config f", ""),
        ("--config f --help", "--help"),
        ("-c f labels --help", "labels --help"),
        ("--config f status --help", "status --config f --help"),
        ("--config f cycles --help", "cycles --help --config f"),
        ("--version", "--version"),
    ],
)
def test_config_may_stand_before_the_command(words, moved):
    assert config_after_command(typer.main.get_command(app), words.split()) == moved.split()


def test_config_before_the_command_is_read(judged, tmp_path):
    environment = {"STRATAWATCH_CONFIG": str(tmp_path / "none.toml")}
    result = CliRunner().invoke(app, ["--config", str(judged.config), "status"], env=environment)
    assert (result.exit_code, "spam: 1 cycle" in result.stdout) == (0, True)


@pytest.mark.parametrize("words", ["--config f --help", "--config f --version", "-c f labels --help"])
def test_config_before_the_command_is_no_obstacle_to_help(words):
    assert CliRunner().invoke(app, words.split()).exit_code == 0


def commands(group=None, path=("stratawatch",)):
    """Every command with its words."""
    group = group or typer.main.get_command(app)
    for name, command in group.commands.items():
        yield (*path, name), command
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))


ALL = {" ".join(words): command for words, command in commands()}


def section(words: str) -> str:
    """What docs/cli.md says of a command."""
    found = re.search(rf"^#+ `{re.escape(words)}`\n(.*?)(?=^#+ |\Z)", DOCS, re.MULTILINE | re.DOTALL)
    assert found, f"docs/cli.md does not document `{words}`"
    return found[1]


class TestDocumentation:
    @pytest.mark.parametrize("words", ALL)
    def test_every_command_is_documented_with_every_option(self, words):
        text = section(words)
        options = [option for param in ALL[words].params for option in param.opts if option.startswith("--")]
        own = [option for option in options if option not in ("--config", "--json", "--help")]
        assert [option for option in own if f"`{option}" not in text] == []

    def test_nothing_is_documented_that_is_not_there(self):
        assert set(re.findall(r"^#+ `(stratawatch [^`]+)`$", DOCS, re.MULTILINE)) == set(ALL)

    @pytest.mark.parametrize("words", ALL)
    def test_help_teaches_with_an_example(self, words):
        if words.startswith("stratawatch cycles "):
            words = "stratawatch cycles"  # its examples stand together
        result = CliRunner().invoke(app, [*words.split()[1:], "--help"])
        assert result.exit_code == 0
        assert (
            re.search(r"Examples?( \(crontab\))?:\n +\S*.*stratawatch", result.stdout) or "Examples:" in result.stdout
        )

    @pytest.mark.parametrize("words", [words for words, command in ALL.items() if not hasattr(command, "commands")])
    def test_every_command_takes_config_and_json(self, words):
        options = {option for param in ALL[words].params for option in param.opts}
        assert {"--config", "--json"} <= options


class TestErrors:
    def test_a_users_mistake_is_one_sentence_on_standard_error(self, tmp_path):
        result = CliRunner().invoke(app, ["estimates", "--config", str(tmp_path / "x.toml"), "--json"])
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("stratawatch: there is no configuration x.toml")
        assert result.stderr.count("\n") == 1

    def test_a_fault_of_the_program_is_not_hidden(self, monkeypatch, fresh):
        def broken(*_, **__):
            raise RuntimeError("a bug")

        monkeypatch.setattr("stratawatch.wiring.build", broken)
        result = CliRunner().invoke(app, ["estimates", "--config", str(fresh.config)])
        assert isinstance(result.exception, RuntimeError)

    def test_what_is_not_reachable_is_a_sentence_too(self, monkeypatch, fresh):
        def away(*_, **__):
            raise Unreachable("the store did not answer", hint="try again")

        monkeypatch.setattr("stratawatch.wiring.build", away)
        result = CliRunner().invoke(app, ["estimates", "--config", str(fresh.config)])
        assert (result.exit_code, result.stderr) == (2, "stratawatch: the store did not answer; try again\n")

    def test_control_characters_cannot_repaint_the_terminal(self, capsys):
        output.print_error("\033[2J\x07gone")
        assert capsys.readouterr().err == " [2J gone\n"

    def test_no_arguments_show_the_first_steps(self):
        result = CliRunner().invoke(app, [])
        assert result.exit_code == 0
        assert "First steps:" in result.stdout

    def test_the_version_is_told(self):
        from stratawatch import __version__

        assert CliRunner().invoke(app, ["--version"]).stdout == f"stratawatch {__version__}\n"


class TestHelp:
    @pytest.mark.parametrize("words", ["stratawatch", *ALL])
    def test_it_fits_a_terminal_of_80_columns(self, words, monkeypatch):
        monkeypatch.setenv("COLUMNS", "80")
        lines = CliRunner().invoke(app, [*words.split()[1:], "--help"]).stdout.splitlines()
        assert [line for line in lines if len(line) > 80] == []


class TestListing:
    ROWS = ({"name": "a", "state": "✖ BREACH", "n": "12"}, {"name": "much longer", "state": "", "n": "3"})

    def test_wide_terminals_get_a_table(self, capsys, monkeypatch):
        monkeypatch.setenv("COLUMNS", "80")
        show_rows(self.ROWS, how_to_read="a is in breach, from 12", numbers=("n",))
        *lines, told = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
        assert lines == ["name         state      n", "a            ✖ BREACH  12", "much longer             3"]
        assert told == "Read a row as: a is in breach, from 12."

    def test_narrow_ones_get_a_block_a_row_and_lose_nothing(self, capsys, monkeypatch):
        monkeypatch.setenv("COLUMNS", "20")
        show_rows(self.ROWS, how_to_read="a is in breach")
        told = "Read a row as: a is\nin breach.\n"
        assert capsys.readouterr().out == f"a\n  state: ✖ BREACH\n  n: 12\nmuch longer\n  n: 3\n{told}"

    def test_where_there_is_nothing_there_is_nothing_to_read(self, capsys):
        show_rows([], how_to_read="")
        assert capsys.readouterr().out == ""

    def test_a_column_without_values_is_left_out(self, capsys, monkeypatch):
        monkeypatch.setenv("COLUMNS", "80")
        show_rows([{"name": "a", "remark": ""}], how_to_read="a is there")
        assert "remark" not in capsys.readouterr().out

    @pytest.mark.parametrize("state", AlarmState)
    def test_every_alarm_state_has_a_sign_beside_its_word(self, state):
        assert re.fullmatch(rf"\S {state}", state_text(state.value))

    def test_pipes_get_no_colours(self, capsys, monkeypatch):
        monkeypatch.setenv("COLUMNS", "80")
        show_rows(self.ROWS, how_to_read="a is in breach")
        assert "\033" not in capsys.readouterr().out
