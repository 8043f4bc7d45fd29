"""How long do census and candidates take, against the time that it takes to read the same columns?

Populations are made in --scratch (or where temporary files go) and deleted at the end. Every pass runs in a process of
its own, so that its memory is its own, and the passes of all populations take turns, so that a busy minute is nobody's
advantage:

    python -m benchmarks.scan --rows 10000000 --classifiers 4 --json scan.json
    python -m benchmarks.scan --rows 10000000 100000000 --classifiers 4 20 --scratch DIR

`--engine postgres` starts a server and fills it, `--engine spark` starts a master and two workers, which read the
parts; both are stopped afterwards. Memory and processor time are then those of the client, not of the server. Bounds
on time and memory are DuckDB's alone; every engine must count every row and draw every candidate.

More than one number: every number of rows with the first number of classifiers, and the first number of rows with the
others. A hundred million rows of four classifiers take 6 GB of the disk.
"""

import argparse
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Final

from benchmarks.apart import apart
from benchmarks.scan.passes import ENGINES, engine_of
from benchmarks.scan.population import FAMILIES, Size, write
from benchmarks.scan.rounds import Timed, one_round
from benchmarks.scan.servers import Server, of_the_client, server_of, serving
from benchmarks.scan.verdicts import verdicts
from benchmarks.shape import Options, Result, Row, main
from stratawatch.errors import StratawatchError

_QUICK_ROWS: Final = 200_000


def run(options: Options) -> Result:
    """Make every population, time every pass, delete what was made."""
    given = options.given
    engine_of(given.engine)
    server = server_of(given.engine)  # one that cannot be started is told before anything is made
    sizes = sizes_of([_QUICK_ROWS] if options.quick else given.rows, given.classifiers, given.segments, given.families)
    _room(sizes, given.scratch or Path(gettempdir()), server)
    rows: list[Row] = []
    timed: list[Timed] = []
    with TemporaryDirectory(prefix="scan-", dir=given.scratch) as scratch:
        folders = {size: Path(scratch) / str(number) for number, size in enumerate(sizes)}
        for size, folder in folders.items():
            made = apart(write, folder, size, options.seed)
            rows.append(
                {"population": str(size), "GB": made.value / 1e9, "make_s": made.seconds, "peak_mb": made.peak_mb}
            )
        with serving(server, folders, Path(scratch)) as loaded:
            rows += loaded
            for _ in range(1 if options.quick else given.rounds):
                timed += [
                    one_round(given.engine, size, folder, latest=given.latest) for size, folder in folders.items()
                ]
    found, passes = verdicts(given.engine, timed), [row for one in timed for row in one.rows()]
    if server is not None:
        passes = [of_the_client(row) for row in passes]
    if options.quick:  # a small population fits into every bound, or starting up weighs more than reading
        found = [replace(verdict, kind="aim") for verdict in found]
    return Result([*rows, *passes], found)


def sizes_of(rows: Sequence[int], classifiers: Sequence[int], segments: int, families: int = FAMILIES) -> list[Size]:
    """All rows with the first number of classifiers, then the first rows with the others."""
    sizes = [Size(number, classifiers[0], segments, families) for number in rows]
    return sizes + [Size(rows[0], number, segments, families) for number in classifiers[1:]]


def _room(sizes: Sequence[Size], scratch: Path, server: Server | None) -> None:
    beside = 0 if server is None else sum(server.room(size) for size in sizes)
    needed, free = beside + sum(size.bytes for size in sizes), shutil.disk_usage(scratch).free
    if needed > free:
        raise StratawatchError(
            f"'{scratch}' has no room for the populations",
            expected=f"{needed / 1e9:.1f} GB",
            got=f"{free / 1e9:.1f} GB",
            hint="name another folder with --scratch, or fewer rows",
        )


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000_000], help="rows of the population")
    parser.add_argument("--classifiers", type=int, nargs="+", default=[4], help="classifiers of the panel")
    parser.add_argument("--segments", type=int, default=0, help="segment columns that are counted too")
    parser.add_argument(
        "--families",
        type=int,
        default=FAMILIES,
        help=f"groups of classifiers that say nearly the same; with more than {FAMILIES} there are more patterns",
    )
    parser.add_argument("--engine", choices=ENGINES, default="duckdb", help="who reads")
    parser.add_argument("--latest", action="store_true", help="time the census of duplicates = 'latest' too")
    parser.add_argument("--rounds", type=int, default=3, help="how often every pass is timed")
    parser.add_argument("--scratch", type=Path, help="an existing folder for the populations")


def scan(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status."""
    return main("scan", run, argv, _arguments)


if __name__ == "__main__":
    sys.exit(scan())
