"""stratawatch alerts: incidents, what was sent to whom and what was not, send it again, try a channel."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.incidents import incident_facts, show_incident
from stratawatch.cli.options import DEFAULT_CONFIG, ByOption, ConfigOption, JsonOption, ReasonOption, existing_name
from stratawatch.cli.output import print_json, print_line, time_text
from stratawatch.cli.silences import show_silence, silence_facts
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.engine.model.alarm_records import Notification

app = typer.Typer(
    help="""Alerts: incidents, who looks after them, what was sent to whom and what was not.

\b
Examples:
  stratawatch alerts list                  the newest 20
  stratawatch alerts show 3
  stratawatch alerts ack 3 --why "rolling back"
  stratawatch alerts silence spam --for 2d --why "new model"
  stratawatch alerts list --undelivered
  stratawatch alerts test ops
  stratawatch alerts resend --failed
  stratawatch alerts replay spam --windows 8
""",
    no_args_is_help=True,
    rich_markup_mode=None,
)

STATES = {"pending": "waiting", "sent": "sent", "failed": "given up", "superseded": "over before it was taken"}


@app.command("list", short_help="List incidents and notifications.")
def list_notifications(
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    undelivered: Annotated[
        bool, typer.Option("--undelivered", help="Only those that wait or were given up, all of them.")
    ] = False,
    newest: Annotated[int, typer.Option("--newest", min=1, help="How many.", metavar="N")] = 20,
) -> None:
    """List incidents, with who looks after them and what is silent, and then notifications; both oldest first.

    Of incidents there are those that are open and the newest of the others, of notifications channel, state, attempts,
    next try and last error.

    \b
    Examples:
      stratawatch alerts list
      stratawatch alerts list --undelivered
    """
    from stratawatch.engine.alarms.silent_streams import silent_keys
    from stratawatch.wiring import build

    ports = build(config, only_reading=True).ports
    now = ports.clock.now()
    with ports.store.begin() as tx:
        found = tx.outbox.undelivered() if undelivered else tx.outbox.all(newest=newest)
        silent, silences = silent_keys(tx, now), tx.silences.active(now)
        several = () if undelivered else tx.alarms.incidents()
    notices = [_facts(one, is_silent=one.dedup_key in silent) for one in found]
    if undelivered:
        document: dict[str, Any] = {"notifications": notices}
    else:
        ended = [one for one in several if one.resolved_at is not None][-newest:]
        shown = [incident_facts(one, silences) for one in several if one.resolved_at is None or one in ended]
        quiet = [silence_facts(one, now) for one in silences]
        document = {"incidents": shown, "silences": quiet, "notifications": notices}
    if json:
        print_json(document)
        return
    for incident in document.get("incidents", ()):
        show_incident(incident)
    for silence in document.get("silences", ()):
        show_silence(silence)
    if not notices:
        print_line("No notification waits." if undelivered else "Nothing was ever to be told.")
    for notice in notices:
        _show(notice)


@app.command("resend", short_help="Send notifications again.")
def resend(
    notification: Annotated[
        int | None, typer.Argument(help="The notification's number, as in `alerts list`.", metavar="[ID]")
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="All that failed: those given up, and those that wait for their next try.")
    ] = False,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    by: ByOption = None,
    why: ReasonOption = "",
) -> None:
    """Make one notification, or all that failed, due at the next advance.

    A number may also be that of one that was sent: it goes out again under the same key. A receiver that dedupes on
    the key, as receivers should, tells nobody twice.

    \b
    Examples:
      stratawatch alerts resend 12
      stratawatch alerts resend --failed
    """
    from stratawatch.engine.alarms.alert_actions import resend_failed, resend_notification
    from stratawatch.wiring import build

    if (notification is None) != failed:
        raise StratawatchError("it is not clear what to send again", expected="either a number or --failed")
    ports = build(config, by=by).ports
    again = resend_failed(ports, why) if notification is None else (resend_notification(ports, notification, why),)
    if json:
        print_json({"notifications": [one.id for one in again]})
    else:
        print_line(f"{count_text(len(again), 'notification')} will be sent at the next advance")


@app.command("replay", short_help="Add past windows to the evidence.")
def replay(
    panel: Annotated[str, typer.Argument(help="The panel's name.", metavar="PANEL")],
    windows: Annotated[int, typer.Option("--windows", min=1, max=104, help="How many of the newest.", metavar="N")],
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    by: ByOption = None,
    why: ReasonOption = "",
) -> None:
    """Add windows that were judged before evidence was kept, as after an upgrade.

    Each is added as its first judgement would have done it. Nobody is paged by the command; what the windows add up to
    counts at the next judgement.

    \b
    Example:
      stratawatch alerts replay spam --windows 8
    """
    from stratawatch.engine.evidence.replay_evidence import replay_evidence
    from stratawatch.wiring import build

    added = replay_evidence(build(config, by=by).ports, panel, windows, why)
    if json:
        print_json({"panel": panel, "cycles": [cycle.id for cycle in added]})
    elif added:
        print_line(f"{count_text(len(added), 'window')} added, from {added[0].window} to {added[-1].window}")
    else:
        print_line("nothing to add: the newest windows have their evidence")


@app.command("test", short_help="Send a test through a channel.")
def send_test(
    channel: Annotated[str, typer.Argument(help="The channel's name.", metavar="CHANNEL")],
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
) -> None:
    """Send a warning that says it is a test through a channel, and then its end, now.

    \b
    Example:
      stratawatch alerts test ops
    """
    from stratawatch.engine.alarms.alert_actions import try_channel
    from stratawatch.wiring import build

    ports = build(config).ports
    existing_name(channel, list(ports.channels), "channel")
    receipts = try_channel(ports, channel)
    if json:
        print_json({"channel": channel, "receipts": [receipt.reference for receipt in receipts]})
    else:
        print_line(f"the channel '{channel}' took a warning and its end")


def _facts(one: "Notification", *, is_silent: bool) -> dict[str, Any]:
    return {
        "id": one.id,
        "created_at": one.created_at,
        "channel": one.channel,
        "severity": one.kind,
        "subject": one.subject,
        "state": one.state,
        "attempts": one.attempts,
        "next_at": one.next_at if one.state == "pending" else None,
        "sent_at": one.sent_at if one.state == "sent" else None,
        "last_error": one.last_error,
        "reference": one.reference,
        "dedup_key": one.dedup_key,
        "unconfirmed": one.unconfirmed,
        "silent": is_silent and one.state == "pending",
    }


def _show(row: dict[str, Any]) -> None:
    words = [STATES[row["state"]]]
    if row["attempts"]:
        words.append(count_text(row["attempts"], "failed attempt"))
    if row["silent"]:
        words.append("silent")
    elif row["state"] == "pending":
        words.append(f"next try {time_text(row['next_at'])}" if row["next_at"] else "due now")
    head = f"{row['severity']} for '{row['channel']}'"
    print_line(f"{row['id']}  {time_text(row['created_at'])}  {head}: {', '.join(words)}")
    print_line(row["subject"], indent="    ")
    if row["last_error"] and row["state"] != "sent":
        print_line(row["last_error"], indent="    ")
