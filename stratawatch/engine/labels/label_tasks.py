"""What labellers are shown of an item."""

from stratawatch.engine.model.cycle_facts import CandidateItem
from stratawatch.engine.model.label_events import LabelTask
from stratawatch.engine.model.panel_spec import PanelSpec


def label_task(spec: PanelSpec, item: CandidateItem, key: str) -> LabelTask:
    """One line for a labeller: the columns of the panel's payload and nothing else."""
    allowed = set(spec.columns.payload)
    return LabelTask(key, {name: value for name, value in item.payload.items() if name in allowed})
