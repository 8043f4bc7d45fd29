"""Says which alert channels are gone that took the page of an open incident: they do not hear of its end."""

from collections import Counter
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from stratawatch.config.problems import Problem
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.engine.ports.transaction import Transaction


def left_channel_notices(tx: "Transaction", configured: Collection[str]) -> Iterator[Problem]:
    """A notice for each channel that is not configured any more and took what is open."""
    several = Counter(one.dedup_key for one in tx.alarms.incidents(only_open=True))
    incidents: Counter[str] = Counter()
    for row in tx.outbox.about(several):
        if row.is_opening and row.may_be_taken and row.channel not in configured:
            incidents[row.channel] += several[row.dedup_key]
    for channel, many in incidents.items():
        number = count_text(many, "open incident")
        what = f"the alert channel '{channel}' is not configured any more, and {number} that it took cannot end there"
        hint = "put it back until they are over, or close them at its receiver: `stratawatch alerts list`"
        yield Problem(("alerts",), what, hint=hint)
