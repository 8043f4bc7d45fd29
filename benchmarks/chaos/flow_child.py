"""A process that runs the real flows, moment after moment, until somebody kills it. Orders come on standard input."""

import json
import sys
from datetime import datetime
from pathlib import Path

from benchmarks.chaos.fuse import Fuse, Orders, install
from benchmarks.chaos.local_bucket import keep_buckets_in_folders
from stratawatch.errors import StratawatchError

ADVANCES = 2


def main() -> None:
    """Read an order a line, run its flows, say done."""
    # The flows may print; the parent reads our words on what was standard output.
    words, sys.stdout = sys.stdout, sys.stderr
    fuse = Fuse(Path("/dev/null"))

    def current() -> Fuse:
        return fuse

    install(current)
    keep_buckets_in_folders()
    from flows.advance_cycles import advance_cycles
    from flows.open_cycles import open_cycles

    print("ready", file=words, flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        fuse = Fuse(Path(order["log"]), Orders(frozenset(order["targets"]), order["point"], signal=order["signal"]))
        now = datetime.fromisoformat(order["at"])
        open_cycles(config=order["config"], now=now)
        for _ in range(ADVANCES):
            try:
                advance_cycles(config=order["config"], now=now)
            except StratawatchError as trouble:  # while the receiver is mute, a flow fails to say so
                failed = str(trouble).partition("failed: ")[2].split(" | ")
                if not all(step.startswith("notify: ") for step in failed):
                    raise
        print("done", file=words, flush=True)


if __name__ == "__main__":
    main()
