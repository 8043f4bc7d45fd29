"""stratawatch backfill: open past windows that have no cycle."""

from typing import Annotated

import typer

from stratawatch.cli.options import (
    DEFAULT_CONFIG,
    ByOption,
    ConfigOption,
    JsonOption,
    NowOption,
    existing_name,
    moment,
)
from stratawatch.cli.output import print_json, print_line
from stratawatch.cli.windows import window_holding
from stratawatch.formatting import count_text


def backfill(
    panel: Annotated[str, typer.Option("--panel", "-p", help="The panel.", metavar="NAME")],
    first: Annotated[str, typer.Option("--from", help="The first window is the one that holds this.", metavar="TIME")],
    last: Annotated[str, typer.Option("--to", help="The last window is the one that holds this.", metavar="TIME")],
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    now: NowOption = None,
    by: ByOption = None,
    why: Annotated[str, typer.Option("--why", help="The reason, for the audit log.", metavar="TEXT")] = "",
) -> None:
    """Open past windows that have no cycle, in whatever order you ask for them. `open` goes on after the newest one.

    Where later windows were opened before, nobody is paged about these: a breach in one of them is a warning.

    \b
    Examples:
      stratawatch backfill --panel spam --from 2026-01-05 --to 2026-02-23
    """
    from stratawatch.engine.cycle.backfill import backfill as open_past
    from stratawatch.wiring import build

    installation = build(config, moment(now), by=by)
    spec = installation.panels[existing_name(panel, list(installation.panels), "panel")]
    oldest, newest = window_holding(spec, first, "--from")[0], window_holding(spec, last, "--to")[0]
    opened, left = open_past(installation.ports, spec, oldest, newest, why)
    if json:
        print_json({"opened": list(opened), "left": left})
        return
    print_line(f"opened {count_text(len(opened), 'cycle')} of {panel}")
    if left:
        print_line(f"{count_text(left, 'window')} left: say it again when these are judged")
