"""By which rule a window is judged: with the windows before it, or by itself where its items were there before."""

from collections.abc import Mapping
from typing import Final

from stratawatch.core.alarms.evidence.persistence import persisting_shares
from stratawatch.core.goals import Limit
from stratawatch.engine.evidence.limit_ends import drop_test, limit_tests
from stratawatch.engine.labels.labelled_cycle import LabelledCycle
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.evidence_records import JudgementRule
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import percent

MOST_PERSISTING: Final = 0.05
"""The largest share of what an end of a limit looks at that may have been in a pool of an earlier window."""
LOOK_BACK: Final = 13
"""Windows whose pools count at least; an item that stays for longer is in those in between too."""

_SOMEWHERE: Final = 0.5
"""A baseline for weighing items by what a drop looks at, whatever the baseline is."""


def rule_of_window(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, labelled: LabelledCycle, limits: Mapping[StreamKey, Limit]
) -> JudgementRule:
    """The rule of a window, which its first judgement keeps.

    Where numbers are permanent, first uses speak of newcomers alone: an item that stayed and was not drawn has a number
    above its earlier cut. Where they are by window, items may stay.
    """
    if kept := tx.evidence.rule_of(cycle.id):
        return kept
    return tx.evidence.keep_rule(_rule(tx, spec, cycle, labelled, limits))


def earlier_items(tx: Transaction, spec: PanelSpec, cycle: Cycle) -> frozenset[str]:
    """The items of a window's pool that were in an earlier one's, where that matters: not where numbers are drawn anew.

    Where they are permanent, an item's earlier cut matters for longer than its label is valid.
    """
    if spec.draws_anew:
        return frozenset()
    back = max(spec.label_validity, LOOK_BACK * spec.windows.length)
    return tx.cycles.items_of_earlier_pools(cycle.id, cycle.window.start - back)


def rule_text(rule: JudgementRule | None) -> str:
    """By which rule a window was judged, in words.

    >>> rule_text(JudgementRule(7, "window", 0.31, "31% of it was there in an earlier window"))
    'by each window alone: 31% of it was there in an earlier window'
    """
    if rule is None or rule.rule == "evidence":
        return "by what all windows add up to, or by one window that is proven outside alone"
    return f"by each window alone: {rule.why}"


def _rule(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, labelled: LabelledCycle, limits: Mapping[StreamKey, Limit]
) -> JudgementRule:
    if spec.alarms == "window":
        return JudgementRule(cycle.id, "window", 0.0, 'the panel has alarms = "window"')
    tests = [(end.key, test) for end, test in limit_tests(limits).items()]
    tests += [(key, drop.falls_to(_SOMEWHERE)) for key, limit in limits.items() if (drop := drop_test(key, limit))]
    if not tests:
        return JudgementRule(cycle.id, "evidence", 0.0)
    shares = persisting_shares(labelled.design, [test for _, test in tests], earlier_items(tx, spec, cycle))
    if (largest := float(shares.max())) <= MOST_PERSISTING:
        return JudgementRule(cycle.id, "evidence", largest)
    key = tests[int(shares.argmax())][0]
    why = f"{percent(largest)} of what the limit of {key} looks at was there in an earlier window"
    return JudgementRule(cycle.id, "window", largest, why)
