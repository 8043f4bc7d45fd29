"""A million label events: brought in by hand in one import, then counted by the next advance.

`python -m benchmarks.label_flood` plays one week, and lets a thousand annotators answer all of its drawn items. The
events of an import are one transaction; the advance then judges the window again from all of them.
"""

import argparse
import resource
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.shape import Options, Result, Row, Verdict, main
from benchmarks.years_store import START, WEEK, found_installation, opened
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.labels.import_labels import HandLabel, import_labels
from stratawatch.engine.model.label_events import LabelValue
from stratawatch.engine.ports import Ports

MOST_SECONDS, MOST_MEMORY = 300.0, 4.0
"""CPU seconds of each step with a million events, and gigabytes at the peak of them all."""


def run(options: Options) -> Result:
    """Import, import the same again, advance, advance."""
    number = 20_000 if options.quick else int(options.given.events)
    later = START + WEEK + timedelta(days=2)
    with TemporaryDirectory(prefix="stratawatch-flood-") as scratch:
        folder = Path(scratch) / "installation"
        config = found_installation(folder, 3, 60 if options.quick else 900, 3_000)
        with opened(config, later) as installation:
            ports = installation.ports
            with ports.store.begin() as tx:
                before, items = tx.labels.newest_event_id(), [item for item, _ in tx.rounds.ever_drawn("spam")]
            labels = list(islice(_labels(items), number))
            rows = [
                _timed("import", lambda: import_labels(ports, "spam", labels)),
                _timed("the same import again", lambda: import_labels(ports, "spam", labels)),
                _timed("advance", lambda: _advance(ports)),
                _timed("idle advance", lambda: _advance(ports)),
            ]
            with ports.store.begin() as tx:
                kept, newest = tx.labels.newest_event_id() - before, tx.estimates.latest(1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    verdicts = [
        Verdict("events kept, each once", "must", float(kept == number), 1, ">="),
        Verdict("revisions of the window", "must", newest.number if newest else 0, 2, ">="),
        *(
            Verdict(f"CPU seconds: {row['what']}", "must", float(str(row["cpu_seconds"])), MOST_SECONDS, "<=")
            for row in rows
        ),
        Verdict("gigabytes at the peak", "must", peak, MOST_MEMORY, "<="),
    ]
    return Result(rows, verdicts)


def _labels(items: list[str]) -> Iterator[HandLabel]:
    """Annotator after annotator answers every item; one of three says no."""
    at = START + WEEK + timedelta(days=1)
    annotator = 0
    while True:
        annotator += 1
        for position, item in enumerate(items):
            said: LabelValue = "no" if (annotator + position) % 3 == 0 else "yes"
            yield HandLabel(item, said, f"annotator {annotator}", at + timedelta(seconds=annotator))


def _advance(ports: Ports) -> None:
    troubles = advance(ports).troubles
    if troubles:
        raise RuntimeError("; ".join(troubles))


def _timed(what: str, work: Callable[[], object]) -> Row:
    before = time.process_time()
    work()
    return {"what": what, "cpu_seconds": time.process_time() - before}


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--events", type=int, default=1_000_000, help="label events of the import")


if __name__ == "__main__":
    sys.exit(main("label_flood", run, extra=_arguments))
