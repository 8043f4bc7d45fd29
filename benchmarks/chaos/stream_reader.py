"""The labelling tool's reader of Redis' streams: what was asked leaves a stream when its batch ends."""

import sys
import time
from collections import defaultdict
from contextlib import suppress
from typing import Any, Final

TASKS: Final = "-tasks"
_PAUSE: Final = 0.01


def keep_entries(redis: Any, run: str, after: str = "-") -> str:
    """Keep the entries that an installation's stream of tasks has after one of them; the last that there is."""
    for entry, fields in redis.xrange(f"{run}{TASKS}", min=after):
        redis.hsetnx(f"{run}-seen", entry, fields[b"id"] + b" " + fields[b"body"])
        after = f"({entry.decode()}"
    return after


def kept_entries(redis: Any, run: str) -> dict[bytes, bytes]:
    """The id and the body of all that were kept, by their number."""
    found: dict[bytes, bytes] = redis.hgetall(f"{run}-seen")
    return found


def main(url: str) -> None:
    """Read as long as the server is there."""
    from redis import ConnectionError as Gone
    from redis import Redis

    redis, read = Redis.from_url(url), defaultdict[str, str](lambda: "-")
    with suppress(Gone):
        while True:
            for name in redis.scan_iter(f"*{TASKS}", _type="stream"):
                run = name.decode().removesuffix(TASKS)
                read[run] = keep_entries(redis, run, read[run])
            time.sleep(_PAUSE)


if __name__ == "__main__":
    main(sys.argv[1])
