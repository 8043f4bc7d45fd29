"""What labellers are shown of an item."""

from stratawatch.engine.model.cycle_facts import CandidateItem
from stratawatch.engine.model.erasure import is_erased
from stratawatch.engine.model.label_events import LabelTask
from stratawatch.engine.model.panel_spec import PanelSpec


def label_task(spec: PanelSpec, item: CandidateItem, key: str) -> LabelTask:
    """One line for a labeller: the columns of the panel's payload and nothing else."""
    allowed = set(spec.columns.payload)
    return LabelTask(key, {name: value for name, value in item.payload.items() if name in allowed})


def can_be_shown(item: CandidateItem) -> bool:
    """Whether there is anything to ask about: an item that was erased stays drawn, and its answer is missing."""
    return bool(item.payload) or not is_erased(item.item)
