"""The flow that opens a cycle for every window that is over."""

from datetime import datetime

from prefect import flow

from stratawatch.settings.revealed_secrets import hiding_secrets
from stratawatch.wiring import build
from tasks.open_cycles import open_cycles as open_due
from tasks.policy import LONGEST_RUN, sealed


@flow(name="open-cycles", persist_result=False, timeout_seconds=LONGEST_RUN)
@hiding_secrets
def open_cycles(
    config: str = "stratawatch.toml", now: datetime | None = None, *, trust_clock: bool = False
) -> tuple[int, ...]:
    """Open what is due, oldest window first. `now` is for simulated time and backfills.

    `trust_clock` goes on where the machine's clock was doubted.
    """
    installation = build(config, now)
    return open_due(sealed(installation.ports), installation.panels, trusted=trust_clock)
