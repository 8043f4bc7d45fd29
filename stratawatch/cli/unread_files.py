"""What `advance` says of files that came to the label queue and are not read, as their names end otherwise."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text, shortened

if TYPE_CHECKING:
    from stratawatch.engine.ports import LabelQueue


def unread_files(queue: "LabelQueue") -> tuple[str, ...]:
    """Their names; none where the queue is no place of files, or is away, which the advance itself says."""
    from stratawatch.engine.ports import FileInbox

    try:
        return queue.unread_files() if isinstance(queue, FileInbox) else ()
    except StratawatchError:
        return ()


def unread_text(names: Sequence[str]) -> str:
    """How many there are, and the first.

    >>> unread_text(["labels.csv"])
    '1 file in in/ is not read, labels.csv: only names that end in .jsonl are'
    >>> unread_text(["a.JSONL", "labels.csv"])
    '2 files in in/ are not read, such as a.JSONL: only names that end in .jsonl are'
    """
    first = shortened(names[0], 60)
    many = count_text(len(names), "file")
    if len(names) == 1:
        return f"{many} in in/ is not read, {first}: only names that end in .jsonl are"
    return f"{many} in in/ are not read, such as {first}: only names that end in .jsonl are"
