"""stratawatch alerts: what was sent to whom and what was not, send it again, try a channel."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ByOption, ConfigOption, JsonOption, ReasonOption, existing_name
from stratawatch.cli.output import print_json, print_line, time_text
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.engine.model.alarm_records import Notification

app = typer.Typer(
    help="""Alerts: what was sent to whom and what was not.

\b
Examples:
  stratawatch alerts list                  the newest 20
  stratawatch alerts list --undelivered
  stratawatch alerts test ops
  stratawatch alerts resend --failed
  stratawatch alerts replay spam --windows 8
""",
    no_args_is_help=True,
    rich_markup_mode=None,
)

STATES = {"pending": "waiting", "sent": "sent", "failed": "given up", "superseded": "over before it was taken"}


@app.command("list", short_help="List notifications.")
def list_notifications(
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    undelivered: Annotated[
        bool, typer.Option("--undelivered", help="Only those that wait or were given up, all of them.")
    ] = False,
    newest: Annotated[int, typer.Option("--newest", min=1, help="How many.", metavar="N")] = 20,
) -> None:
    """List notifications, oldest first: channel, state, attempts, next try, last error.

    \b
    Examples:
      stratawatch alerts list
      stratawatch alerts list --undelivered
    """
    from stratawatch.wiring import build

    with build(config, only_reading=True).ports.store.begin() as tx:
        found = tx.outbox.undelivered() if undelivered else tx.outbox.all(newest=newest)
    if json:
        print_json({"notifications": [_facts(one) for one in found]})
        return
    if not found:
        print_line("No notification waits." if undelivered else "Nothing was ever to be told.")
    for one in found:
        _show(one)


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


def _facts(one: "Notification") -> dict[str, Any]:
    return {
        "id": one.id,
        "created_at": one.created_at,
        "channel": one.channel,
        "severity": one.severity,
        "subject": one.subject,
        "state": one.state,
        "attempts": one.attempts,
        "next_at": one.next_at if one.state == "pending" else None,
        "sent_at": one.sent_at if one.state == "sent" else None,
        "last_error": one.last_error,
        "reference": one.reference,
        "dedup_key": one.dedup_key,
        "unconfirmed": one.unconfirmed,
    }


def _show(one: "Notification") -> None:
    words = [STATES[one.state]]
    if one.attempts:
        words.append(count_text(one.attempts, "failed attempt"))
    if one.state == "pending":
        words.append(f"next try {time_text(one.next_at)}" if one.next_at else "due now")
    print_line(f"{one.id}  {time_text(one.created_at)}  {one.severity} for '{one.channel}': {', '.join(words)}")
    print_line(one.subject, indent="    ")
    if one.last_error and one.state != "sent":
        print_line(one.last_error, indent="    ")
