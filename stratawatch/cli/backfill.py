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
from stratawatch.cli.window_option import window_holding
from stratawatch.errors import StratawatchError
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
    from stratawatch.engine.model.windows import newest_ended_period
    from stratawatch.wiring import build

    installation = build(config, moment(now), by=by)
    spec = installation.panels[existing_name(panel, list(installation.panels), "panel")]
    oldest, newest = window_holding(spec, first, "--from")[0], window_holding(spec, last, "--to")[0]
    if oldest > newest:
        raise StratawatchError("--from is after --to", got=f"--from {first} --to {last}", hint="swap them")
    opened, left = open_past(installation.ports, spec, oldest, newest, why)
    reason = None
    if not opened:
        is_over = oldest <= newest_ended_period(spec.windows, installation.ports.clock.now())
        reason = "every one that is over has a cycle" if is_over else "none of these windows is over yet"
        reason = "the panel has as many cycles under way as it may" if left else reason
    if json:
        print_json({"opened": list(opened), "left": left, "reason": reason})
        return
    print_line(f"opened {count_text(len(opened), 'cycle')} of {panel}" + (f": {reason}" if reason else ""))
    if left:
        print_line(f"{count_text(left, 'window')} left: say it again when cycles under way are judged")
