"""The demo's prediction files: one Parquet file a week, without the truth."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import numpy as np

from stratawatch.demo.messages import REGIONS
from stratawatch.demo.models import CLASSIFIERS, SCORED_CLASSIFIERS
from stratawatch.demo.world import SimulatedWeek

PANEL: Final = "scam"
START: Final = datetime(2026, 1, 5, tzinfo=UTC)
BUDGET: Final = 900
WEEK: Final = timedelta(days=7)

_TEXT = re.compile(r"message (\d+) of week (\d+)")

_WEEK_SQL: Final = """
COPY (
    SELECT printf('w%02d-%06d', $week, number) AS item,
           $start::TIMESTAMP + to_microseconds(number * $step) AS sent_at,
           printf('message %06d of week %02d', number, $week) AS text,
           * EXCLUDE (number)
    FROM frame ORDER BY number
) TO '{path}' (FORMAT parquet)
"""


def week_start(number: int) -> datetime:
    """When week 1, 2, ... begins."""
    return START + (number - 1) * WEEK


def parse_message(text: str) -> tuple[int, int]:
    """Week and number of the message with this text.

    >>> parse_message("message 000017 of week 03")
    (3, 17)
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return int(found[2]), int(found[1])


def write_week(week: SimulatedWeek, folder: Path) -> Path:
    """Write a week's predictions into the folder as production would have logged them; returns the file's path."""
    import duckdb
    import pandas as pd

    size = len(week.truth)
    frame = pd.DataFrame({"number": range(size), "region": np.array(REGIONS)[week.region]})
    for column, name in enumerate(SCORED_CLASSIFIERS):
        frame[f"score_{name}"] = week.scores[:, column]
    for column, name in enumerate(CLASSIFIERS):
        frame[f"says_{name}"] = week.calls[:, column]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"week-{week.number:02d}.parquet"
    draft = path.with_suffix(".tmp")
    facts = {
        "week": week.number,
        "start": week_start(week.number).replace(tzinfo=None),
        "step": WEEK // timedelta(microseconds=1) // size,
    }
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute(_WEEK_SQL.format(path=str(draft).replace("'", "''")), facts)
    draft.replace(path)
    return path
