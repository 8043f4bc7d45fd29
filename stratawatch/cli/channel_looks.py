"""How `check` and `doctor` see that whoever takes alerts is there."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from stratawatch.engine.ports import AlertChannel

ASK_SECONDS: Final = 15.0
"""For one channel, all of it."""


def ask_channel(channel: "AlertChannel") -> str:
    """What the receiver of a channel says of itself; empty where it cannot be asked. Nothing is sent.

    Raises StratawatchError where it is away or does not let us in.
    """
    from stratawatch.engine.alarms.send_deadline import call_within
    from stratawatch.engine.ports import AskableChannel

    if not isinstance(channel, AskableChannel):
        return ""
    return call_within(ASK_SECONDS, channel.ask, f"the receiver of the alert channel '{channel.name}'", hint="")
