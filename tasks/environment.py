"""The environment variables that Prefect reads when it is imported. Those that are set already are kept."""

import os
import sys
from typing import Final

from stratawatch.extras import MissingExtra, require

RETENTION_PERIOD: Final = "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD"
"""For how many seconds a server keeps runs that ended."""
DEFAULTS: Final = {
    # Nothing is reported to anyone.
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    # A server on a small or busy machine needs longer than Prefect's 20 seconds.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    # Results live in the store, not in Prefect.
    "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",
    # A server of ours forgets old runs with their logs too, not only events. How old: [schedule] keep_runs.
    "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "events,flow_runs",
    RETENTION_PERIOD: str(30 * 86_400),
}

FILLED: Final[set[str]] = set()
"""The variables that `prepare` has set in this process: a value from the configuration may replace theirs."""


def prepare() -> None:
    """Set what is not set yet; to be called before Prefect is imported, which must be installed."""
    try:
        require("prefect")
    except MissingExtra as missing:
        if sys.argv[0] == "-m":  # Python is looking for the module of `python -m flows...`: nobody else will catch it
            raise SystemExit(f"stratawatch: {missing}") from None
        raise
    for name, value in DEFAULTS.items():
        if name not in os.environ:
            os.environ[name] = value
            FILLED.add(name)
