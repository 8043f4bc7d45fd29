"""Says from when on changed limits hold, while they are not judged by yet."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from stratawatch.config.problems import Problem

if TYPE_CHECKING:
    from stratawatch.core.goals import Limit
    from stratawatch.engine.model.panel_spec import PanelSpec
    from stratawatch.engine.ports.transaction import Transaction

MOST_SHOWN = 3


def limits_notice(tx: "Transaction", spec: "PanelSpec") -> Problem | None:
    """How the panel's limits differ from those that its newest cycle is judged by; None where they do not."""
    newest = tx.cycles.find(panel=spec.name, newest=1)
    if not newest:
        return None
    changes = [*_changes(tx.panels.get(newest[0].panel_version), spec)]
    if not changes:
        return None
    more = f" and {len(changes) - MOST_SHOWN} more" if len(changes) > MOST_SHOWN else ""
    what = (
        f"limits of panel '{spec.name}' changed ({'; '.join(changes[:MOST_SHOWN])}{more}): they hold from the next "
        "window that is opened, and earlier ones are judged by the limits that they were opened with"
    )
    return Problem(("panels", spec.name, "limits"), what)


def _changes(before: "PanelSpec", spec: "PanelSpec") -> Iterator[str]:
    """What changed for each classifier that both have; what becomes of another one is said of it."""
    both = {one.name for one in before.classifiers} & {one.name for one in spec.classifiers}
    old, new = _ends_by_subject(before, both), _ends_by_subject(spec, both)
    for subject in dict.fromkeys([*new, *old]):
        if new.get(subject) != old.get(subject):
            yield f"{subject}: {new.get(subject, 'none')}, was {old.get(subject, 'none')}"


def _ends_by_subject(spec: "PanelSpec", names: Collection[str]) -> dict[str, str]:
    """The ends of all limits in words, by metric, classifier and segment."""
    found: dict[str, list[str]] = defaultdict(list)
    for limit in spec.limits:
        for one in spec.classifiers:
            if one.name in names and (not limit.classifiers or one.name in limit.classifiers):
                where = f" in {limit.segment}" if limit.segment else ""
                found[f"{limit.metric} of {one.name}{where}"].append(_ends(limit))
    return {subject: ", ".join(ends) for subject, ends in found.items()}


def _ends(limit: "Limit") -> str:
    ends = {"floor": limit.floor, "ceiling": limit.ceiling, "max_drop": limit.max_drop}
    return ", ".join(f"{name} {end:g}" for name, end in ends.items() if end is not None)
