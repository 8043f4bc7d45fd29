"""A million label events, brought in by hand, then counted by the next advance; and ten thousand through a folder.

`python -m benchmarks.label_flood` plays one week, and lets a thousand annotators answer all of its drawn items. The
events of an import are one transaction; the advance then judges the window again from all of them. In another
installation 10,000 items go out through the folder, and 10,000 labels come into the store, as in an advance.
"""

import argparse
import json
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.shape import Options, Result, Row, Verdict, main
from benchmarks.years_store import START, WEEK, found_installation, new_installation, opened
from stratawatch.engine.cycle.advance import STEPS, advance, ids_due
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.labels.collect_labels import Collected, collect_labels
from stratawatch.engine.labels.import_labels import HandLabel, import_labels
from stratawatch.engine.model.label_events import LabelValue
from stratawatch.engine.ports import Ports

MOST_SECONDS, MOST_MEMORY = 300.0, 4.0
"""CPU seconds of each step with a million events, and gigabytes at the peak of them all."""
THROUGH_FOLDER, MOST_SECONDS_OF_FOLDER = 10_000, 3.0
"""So many items go out through a folder, and so many labels come in, in so many seconds each; in a short run too."""
TRIES = 3
"""The quickest counts: others may use the machine."""


def run(options: Options) -> Result:
    """Import, import the same again, advance, advance; publish and collect through the folder."""
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
        through_folder = _through_folder(Path(scratch) / "folder", THROUGH_FOLDER)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    verdicts = [
        Verdict("events kept, each once", "must", float(kept == number), 1, ">="),
        Verdict("revisions of the window", "must", newest.number if newest else 0, 2, ">="),
        *(
            Verdict(f"CPU seconds: {row['what']}", "must", float(str(row["cpu_seconds"])), MOST_SECONDS, "<=")
            for row in rows
        ),
        Verdict("gigabytes at the peak", "must", peak, MOST_MEMORY, "<="),
        *(
            Verdict(f"seconds: {row['what']}", "must", float(str(row["seconds"])), MOST_SECONDS_OF_FOLDER, "<=")
            for row in through_folder
        ),
    ]
    return Result([*rows, *through_folder], verdicts)


def _through_folder(folder: Path, number: int) -> list[Row]:
    """Publish batches of so many items, and collect as many labels on them, as an advance does; the store is SQLite."""
    config, at = new_installation(folder, 3, 3 * number, 4 * number), START + WEEK + timedelta(hours=1)
    with opened(config, at) as installation:
        open_cycles(installation.ports, installation.panels)
        for step in ("freeze", "plan"):
            for cycle_id in ids_due(installation.ports, step, "spam"):
                STEPS[step](installation.ports, cycle_id)
    publishing, collecting = [], []
    for one in range(TRIES):
        copy = Path(shutil.copytree(folder, f"{folder}-{one}")) / config.name
        with opened(copy, at) as installation:
            publishing.append(_publish(installation.ports, number))
        _answer(copy.parent / "queue", at, number)
        with opened(copy, at + timedelta(hours=1)) as installation:
            begun = time.perf_counter()
            collected = collect_labels(installation.ports)
            collecting.append(time.perf_counter() - begun)
        if collected != Collected(new=number):
            raise RuntimeError(f"of {number} labels came in: {collected}")
    return [
        {"what": f"{number:,} items go out through a folder", "seconds": min(publishing)},
        {"what": f"{number:,} labels come in through a folder", "seconds": min(collecting)},
    ]


def _publish(ports: Ports, number: int) -> float:
    """The seconds in which batches of so many items go out."""
    due, left = [], number
    for batch_id in ids_due(ports, "dispatch", "spam"):
        with ports.store.begin() as tx:
            left -= len(tx.rounds.batch(batch_id).tasks)
        due.append(batch_id)
        if left <= 0:
            break
    if left > 0:
        raise RuntimeError(f"of {number} items {left} are not asked about")
    begun = time.perf_counter()
    for batch_id in due:
        STEPS["dispatch"](ports, batch_id)
    return time.perf_counter() - begun


def _answer(queue: Path, at: datetime, number: int) -> None:
    """Answer so many items that are out."""
    lines = (json.loads(line) for file in sorted((queue / "out").iterdir()) for line in file.read_text().splitlines())
    keys = islice((line["key"] for line in lines if "key" in line), number)
    said = ({"key": key, "value": "yes", "annotator": "ann", "at": at.isoformat()} for key in keys)
    (queue / "in" / "ann.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said))


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
