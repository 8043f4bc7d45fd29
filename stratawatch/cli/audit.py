"""stratawatch audit: who did what by hand, when and why."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption
from stratawatch.cli.output import print_json, print_line, time_text
from stratawatch.cli.window_option import day_or_moment


def audit(
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    since: Annotated[
        str | None, typer.Option("--since", help="Only from this day or moment (UTC) on.", metavar="TIME")
    ] = None,
) -> None:
    """What people did by hand, oldest first: who, what, when by the machine's clock, and the reason.

    \b
    Examples:
      stratawatch audit
      stratawatch audit --since 2026-03-01 --json
    """
    from stratawatch.wiring import build

    begin: datetime | None = None if since is None else day_or_moment(since, "--since")
    with build(config, only_reading=True).ports.store.begin() as tx:
        entries = tx.audit.entries(begin)
    if json:
        print_json({"entries": [asdict(entry) for entry in entries]})
        return
    if not entries:
        print_line("Nothing was done by hand.")
    for entry in entries:
        print_line(f"{time_text(entry.at)}  {entry.by} {entry.action} {entry.subject}")
        if entry.why:
            print_line(entry.why, indent="    ")
