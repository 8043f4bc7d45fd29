"""What `status` says of batches in the label queue."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.adapters.status_queries import StatusRows


def batches_of(rows: "StatusRows") -> list[dict[str, Any]]:
    """Unanswered batches, since when they wait, and which of the sent ones the queue does not hold: lost, withdrawn."""
    record = rows["sent_again"][0]["position"] if rows["sent_again"] else {}
    away = {key: how for how in ("lost", "withdrawn") for key in record.get(how, ())}
    return [
        {
            **batch,
            "waiting_since": batch["moved_at"] or batch["planned_at"],
            "away": away.get(batch["key"]) if batch["state"] == "sent" else None,
        }
        for batch in rows["batches"]
    ]


def unplanned_batches(rows: "StatusRows") -> list[str]:
    """The keys of batches in the queue that were sent before a restore, and whose round is not planned again."""
    return list(rows["unplanned"][0]["position"]["keys"]) if rows["unplanned"] else []


def unplanned_text(keys: Sequence[str]) -> str:
    """What these batches are, and what becomes of their labels.

    >>> unplanned_text(["spam-p00012-r1-b2-130e6556"])[:60]
    '1 batch in the label queue, such as spam-p00012-r1-b2-130e65'
    """
    number = count_text(len(keys), "batch", "batches")
    return (
        f"{number} in the label queue, such as {keys[0]}, sent before a restore and not planned again yet: labels that "
        "come for them wait, and count once their items are drawn. `stratawatch open` and `advance` plan them; where a "
        "window was run again, do it once more"
    )
