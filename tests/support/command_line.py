"""The command line in tests: commands are read from their functions once a process, not once a call."""

from functools import cache

import typer.testing

typer.testing._get_command = cache(typer.testing._get_command)

CliRunner = typer.testing.CliRunner
