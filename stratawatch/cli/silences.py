"""stratawatch alerts silence, silences and unsilence: nobody is told for a while, with an end and a reason."""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ByOption, ConfigOption, JsonOption, ReasonOption
from stratawatch.cli.output import print_json, print_line, time_text
from stratawatch.errors import StratawatchError

if TYPE_CHECKING:
    from stratawatch.engine.model.alarm_records import Silence


def silence(
    panel: Annotated[str, typer.Argument(help="The panel.", metavar="PANEL")],
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    by: ByOption = None,
    length: Annotated[
        str | None, typer.Option("--for", help="For how long: 8h, 2d, at most 30d. Required.", metavar="TIME")
    ] = None,
    why: Annotated[str, typer.Option("--why", help="The reason, for everybody. Required.", metavar="TEXT")] = "",
    classifier: Annotated[str | None, typer.Option("--classifier", help="Only of this one.", metavar="NAME")] = None,
    metric: Annotated[str | None, typer.Option("--metric", help="Only of this metric.", metavar="NAME")] = None,
    segment: Annotated[
        str | None, typer.Option("--segment", help="Only of this segment, as country=de.", metavar="COLUMN=VALUE")
    ] = None,
) -> None:
    """Tell nobody of a panel's incidents for a while. Windows are judged and incidents opened all the same.

    What is still open when it ends is told then. What stops the whole installation is never silent.

    \b
    Examples:
      stratawatch alerts silence spam --for 2d --why "moving to the new model"
      stratawatch alerts silence spam --metric recall --for 8h --why "known"
    """
    from stratawatch.engine.alarms.silences import LONGEST_SILENCE, silence_alerts
    from stratawatch.engine.model.alarm_records import Silence
    from stratawatch.wiring import build

    if length is None:
        most = f"--for with a length of time, {LONGEST_SILENCE.days} days at most, as in --for 2d"
        raise StratawatchError("a silence needs an end", expected=most)
    ports = build(config, by=by).ports
    now = ports.clock.now()
    made = silence_alerts(ports, Silence(panel, now + _length(length), why, ports.by, now, classifier, metric, segment))
    if json:
        print_json(silence_facts(made, now))
    else:
        print_line(f"{made.id}  {made.scope} is silent until {time_text(made.until)}")


def list_silences(
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    over: Annotated[bool, typer.Option("--all", help="Those that are over, too.")] = False,
) -> None:
    """List what is silent, until when, by whom and why.

    \b
    Examples:
      stratawatch alerts silences
      stratawatch alerts silences --all
    """
    from stratawatch.wiring import build

    ports = build(config, only_reading=True).ports
    now = ports.clock.now()
    with ports.store.begin() as tx:
        found = tx.silences.all() if over else tx.silences.active(now)
    rows = [silence_facts(one, now) for one in found]
    if json:
        print_json({"silences": rows})
        return
    if not rows:
        print_line("There was never a silence." if over else "Nothing is silent.")
    for row in rows:
        show_silence(row)


def unsilence(
    number: Annotated[int, typer.Argument(help="The silence's number, as in `alerts silences`.", metavar="ID")],
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    by: ByOption = None,
    why: ReasonOption = "",
) -> None:
    """End a silence now; people are told of what is open at the next advance.

    \b
    Example:
      stratawatch alerts unsilence 2
    """
    from stratawatch.engine.alarms.silences import end_silence
    from stratawatch.wiring import build

    ports = build(config, by=by).ports
    ended = end_silence(ports, number, why)
    if json:
        print_json(silence_facts(ended, ports.clock.now()))
    else:
        print_line(f"{ended.scope} is not silent since {time_text(ended.over_at)}")


def silence_facts(one: "Silence", now: datetime) -> dict[str, Any]:
    """A silence for programs, with what it covers in words."""
    return {**asdict(one), "scope": one.scope, "over": one.over_at <= now}


def show_silence(row: dict[str, Any]) -> None:
    """Print what is silent, until when and why."""
    end = row["until"] if row["ended_at"] is None else row["ended_at"]
    head = "was silent until" if row["over"] else "silent until"
    print_line(f"silence {row['id']}  {row['scope']}: {head} {time_text(end)}, by {row['by']}: {row['reason']}")


def _length(text: str) -> timedelta:
    from stratawatch.settings.durations import parse_duration

    try:
        return parse_duration(text)
    except ValueError as wrong:
        raise StratawatchError(f"--for {wrong}", got=text) from None
