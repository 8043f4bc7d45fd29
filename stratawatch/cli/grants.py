"""The rights that each user of PostgreSQL needs, as SQL."""

from importlib import import_module
from pathlib import Path
from typing import Annotated, Literal

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption
from stratawatch.cli.output import print_json
from stratawatch.errors import StratawatchError

Right = Literal["owner", "writer", "reader", "source"]
LONGEST_NAME = 63
"""Bytes of a name in PostgreSQL."""


def grants(
    right: Annotated[Right, typer.Argument(help="What the user does: see above.", show_default=False)],
    user: Annotated[str, typer.Argument(metavar="USER", help="The user, as PostgreSQL knows it.")],
    *,
    schema: Annotated[str, typer.Option(help="The schema of the tables.")] = "public",
    table: Annotated[str | None, typer.Option(help="The table of predictions, for `source`.")] = None,
    config: ConfigOption = DEFAULT_CONFIG,  # noqa: ARG001 - every command takes it; the rights are the same in all
    json: JsonOption = False,
) -> None:
    """Print the GRANTs that a user of PostgreSQL needs; nothing is run.

    \b
    owner   makes and upgrades the store's tables
    writer  opens and advances cycles, as the flows do
    reader  looks: status, estimates, report, dashboards
    source  reads one table of predictions

    \b
    Examples:
      stratawatch grants writer watch | psql -d stratawatch
      stratawatch grants source watch --table predictions | psql -d warehouse
    """
    if (table is None) == (right == "source"):
        raise StratawatchError(
            "--table names the predictions of `source`, and belongs to no other right",
            hint="stratawatch grants source USER --table predictions",
        )
    sql = statements(right, user=user, schema=schema, table=table or "")
    if json:
        print_json({"sql": sql})
    else:
        typer.echo(sql, nl=False)


def statements(right: Right, **names: str) -> str:
    """The SQL, each name quoted."""
    text = (Path(str(import_module("stratawatch.sql").__file__)).parent / "grants" / f"{right}.sql").read_text()
    return text.format(**{what: _quoted(name) for what, name in names.items()})


def _quoted(name: str) -> str:
    if "\0" in name or len(name.encode()) > LONGEST_NAME:
        raise StratawatchError("this is no name in PostgreSQL", expected="at most 63 bytes", got=repr(name[:80]))
    return '"' + name.replace('"', '""') + '"'
