"""What the next labels follow: the stream whose limit the evidence speaks against most, once it is enough to look."""

from stratawatch.core.alarms.evidence.suspicion import evidence_needed
from stratawatch.core.goals import Focus
from stratawatch.core.metrics import metric_named
from stratawatch.engine.evidence.panel_evidence import panel_evidence
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction


def focus_of_panel(tx: Transaction, ports: Ports, spec: PanelSpec) -> Focus | None:
    """The most suspect classifier and metric, if there is evidence enough and the panel lets labels follow it.

    A bet is valid for every allocation that is older than its labels, so that this breaks no promise.
    """
    if not spec.focus or spec.alarms != "evidence":
        return None
    evidence = panel_evidence(tx, ports, spec)
    ends = evidence.ends
    needed = evidence_needed([end.key.metric for end in ends], evidence.threshold)
    parts = [end.value / enough for end, enough in zip(ends, needed, strict=True)]
    if not parts or max(parts) < 1:
        return None
    leader = ends[parts.index(max(parts))].key
    return Focus(leader.classifier, leader.metric)


def focus_text(focus: Focus) -> str:
    """What labels follow, in words.

    >>> focus_text(Focus("lr", "false_omission_rate"))
    'more labels for the false-omission rate of lr, whose limit looks broken'
    """
    title = metric_named(focus.metric).title
    return f"more labels for the {title} of {focus.classifier}, whose limit looks broken"
