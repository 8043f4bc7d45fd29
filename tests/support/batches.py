"""Batches of labelling tasks."""

from stratawatch.adapters.queues.folder import FolderQueue
from stratawatch.engine.model.label_events import Batch, LabelTask
from stratawatch.engine.model.states import BatchState

KEY = "spam-p00000-r1-b1"


def batch(key=KEY, text="hello", count=3):
    tasks = tuple(LabelTask(f"{key}-{i}", {"text": text, "score_free": i}) for i in range(count))
    return Batch(7, 3, key, BatchState.PLANNED, 0, "Is it spam?", "Read the guideline.", tasks)


def marked_queue(root, **options):
    """A folder queue whose folder has its marker."""
    queue = FolderQueue(root, **options)
    queue.adopt(queue.identity() or "ours")
    return queue
