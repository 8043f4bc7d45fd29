"""The answers that cycles wait for when an advance ends, in the words of `status`."""

from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import Any

from stratawatch.cli.status_document import cycle_row
from stratawatch.engine.model.states import CycleState


def outstanding_answers(config: Path, now: datetime, panels: Collection[str]) -> list[dict[str, Any]]:
    """The cycles of these panels that wait for people, and for what."""
    from stratawatch.adapters.status_queries import read_status
    from stratawatch.config.store_address import read_store_address

    url = read_store_address(config)
    if url is None:
        return []
    rows = (cycle_row(row, now) for row in read_status(url)["cycles"] if row["state"] == CycleState.LABELLING)
    return [
        {"cycle": row["id"], "panel": row["panel"], "sentence": f"cycle {row['id']} waits for {row['waits_for']}"}
        for row in rows
        if row["panel"] in panels
    ]
