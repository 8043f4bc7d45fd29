"""Decide what each window may ask of a budget that panels share, when its cycle is opened: before any of its labels.

What a span's open cycles may still ask for and what its ended ones did ask for is taken from the budget; the rest is
shared anew among all windows of the span that have no cycle yet, due or not. So an early window leaves the floor of a
late one alone, and what an ended cycle did not ask for goes on. Whoever decides holds the lease of the budget.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Final

from stratawatch.core.alarms.alarm_states import URGENCY, AlarmState
from stratawatch.core.cells import Cells
from stratawatch.core.designs import design_of
from stratawatch.core.planning.shared_budget import Claim, share_out
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.labels.second_votes import votes_asked
from stratawatch.engine.model.budget_ledger import ENDED, LEDGER, BudgetState, WindowShare, budget_states, cycles_of
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.engine.model.panel_spec import PanelSpec, Window, WindowRule
from stratawatch.engine.model.shared_budget import LEAST_BUDGET, SharedBudget, periods_ending_in
from stratawatch.engine.model.survey_of_panel import survey_of_panel
from stratawatch.engine.model.windows import window_of_period
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import PlanImpossible

BUDGET: Final = "shared budget"
"""The lease on deciding shares."""
SPANS_KEPT: Final = 12
"""Spans of which shares are kept for people to look at; a cycle's own share stays with its panel's specification."""
BEFORE: Final = "it was opened before the budget was shared"

_Key = tuple[str, int]
"""A window: its panel and its period; of a replaced cycle, the negative one."""


@dataclass(frozen=True)
class _Demand:
    """What a panel's windows claim, and why: `need` is None where no plan says it yet, `risk` says what is at risk."""

    windows: WindowRule
    need: int | None
    risk: str


@dataclass
class _Open:
    """A span while its shares are decided: what cycles hold of the budget, and the windows without a cycle.

    A cycle holds all that it may ask for, and once it ended what it did ask for.
    """

    span: Window
    held: int
    shares: dict[_Key, WindowShare]
    waiting: dict[_Key, Claim]


class BudgetShares:
    """The shares of one budget while its lease is held; what was read of a span is read once."""

    def __init__(self, ports: Ports, budget: SharedBudget, panels: Mapping[str, PanelSpec]) -> None:
        self._ports, self._budget, self._panels = ports, budget, panels
        self._demands: dict[str, _Demand] = {}
        self._spans: dict[Window, _Open] = {}

    def share(self, tx: Transaction, spec: PanelSpec, period: int) -> WindowShare:
        """What a window without a cycle, or with one that was refused, may ask for now."""
        found = self._span(tx, spec, period)
        key = spec.name, period
        found.waiting.setdefault(key, self._claim(tx, spec, period))
        return self._share(found, key, share_out(self._budget.labels - found.held, found.waiting.values()))

    def keep(self, tx: Transaction, spec: PanelSpec, period: int, share: WindowShare, cycle: int) -> None:
        """Note the share of a cycle that was opened, and what is reserved for windows that have none yet."""
        found, key = self._span(tx, spec, period), (spec.name, period)
        found.waiting.pop(key, None)
        found.held += share.share
        found.shares[key] = replace(share, cycle=cycle)
        reserved = share_out(self._budget.labels - found.held, found.waiting.values())
        windows = {**found.shares, **{other: self._share(found, other, reserved) for other in found.waiting}}
        ledger = dict(tx.labels.cursor(LEDGER))
        ledger[found.span.start.isoformat()] = {
            "end": found.span.end.isoformat(),
            "labels": self._budget.labels,
            "windows": [_document(windows[other]) for other in sorted(windows)],
        }
        newest = sorted(ledger)[-SPANS_KEPT:]
        tx.labels.save_cursor(LEDGER, {start: ledger[start] for start in newest}, self._ports.clock.now())

    def _span(self, tx: Transaction, spec: PanelSpec, period: int) -> _Open:
        span = self._budget.span_of(window_of_period(spec.windows, period).end)
        if span not in self._spans:
            self._spans[span] = self._read(tx, span)
        return self._spans[span]

    def _read(self, tx: Transaction, span: Window) -> _Open:
        """What the cycles of a span hold, those of panels that left included, and the windows to come."""
        before = {
            one["cycle"]: one["why"]
            for one in tx.labels.cursor(LEDGER).get(span.start.isoformat(), {"windows": []})["windows"]
        }
        found = _Open(span, 0, {}, {})
        for name, spec in {**tx.panels.latest(), **self._panels}.items():
            periods = periods_ending_in(spec.windows, span)
            cycles = tx.cycles.find(panel=name, before=periods.stop, newest=len(periods)) if periods else ()
            for cycle in (*cycles, *tx.cycles.find(panel=name, replaced=True)):  # what those asked stays spent
                if span.start <= cycle.window.end < span.end:
                    budget = tx.panels.get(cycle.panel_version).budget
                    found.held += _asked(tx, cycle.id) if cycle.state in ENDED else budget
                    found.shares[name, cycle.period] = WindowShare(
                        name, cycle.window.end.isoformat(), budget, before.get(cycle.id, BEFORE), cycle.id
                    )
            if name in self._panels and name not in self._ports.paused.panels:
                newest = tx.cycles.find(panel=name, newest=1)
                opened = newest[0].period if newest else -1
                for period in periods:
                    if period > opened:
                        found.waiting[name, period] = self._claim(tx, spec, period)
        return found

    def _claim(self, tx: Transaction, spec: PanelSpec, period: int) -> Claim:
        if spec.name not in self._demands:
            self._demands[spec.name] = _Demand(
                spec.windows, _labels_for_goals(tx, self._ports, spec), _risk(tx, self._ports, spec)
            )
        demand, name = self._demands[spec.name], spec.name
        need = spec.budget if demand.need is None else demand.need
        return Claim(
            f"{name} {period:09}",
            self._budget.floor(name),
            need,
            spec.budget,
            self._budget.priority(name),
            at_risk=bool(demand.risk),
        )

    def _share(self, found: _Open, key: _Key, shares: Mapping[str, int]) -> WindowShare:
        panel, period = key
        claim, demand = found.waiting[key], self._demands[panel]
        share = shares[claim.name]
        end = window_of_period(demand.windows, period).end
        return WindowShare(panel, end.isoformat(), share, _why(claim, demand, share))


def _document(share: WindowShare) -> dict[str, object]:
    return {name: value for name, value in asdict(share).items() if name not in ("asked", "ended")}


def _why(claim: Claim, demand: _Demand, share: int) -> str:
    """Why a window got its share, in one sentence."""
    needs = f"its goals need {claim.need:,}" if demand.need is not None else "what its goals need is not known yet"
    if share < claim.floor:
        got = f"less than its floor of {claim.floor:,}, as more was given away before"
    elif share >= claim.most:
        got = "its own budget, the most it may have"
    elif share > claim.need and demand.need is not None:
        got = "more than it needs, from what was left over"
    elif share == claim.need and demand.need is not None:
        got = "what it needs"
    elif share > claim.floor:
        got = f"its floor of {claim.floor:,} and a part of what was left"
    else:
        got = f"its floor of {claim.floor:,}, others came first"
    ranks = [f"priority {claim.priority}"] if claim.priority else []
    ranks += [f"at risk, as {demand.risk}"] if demand.risk else []
    return "; ".join([f"{got} ({needs})", *ranks])


def _asked(tx: Transaction, cycle_id: int) -> int:
    first = sum(not draw.reused for draw in tx.rounds.draws(cycle_id))
    spec = tx.panels.get(tx.cycles.get(cycle_id).panel_version)
    votes = 0 if spec.second_votes is None else len(votes_asked(tx.rounds.batches(cycle_id=cycle_id)))
    rounds = tx.rounds.of(cycle_id) if spec.gold_share else ()
    return first + votes + sum(len(tx.gold.keys_of_round(one.id)) for one in rounds)


def _labels_for_goals(tx: Transaction, ports: Ports, spec: PanelSpec) -> int | None:
    """The labels at which the panel's goals hold, planned for its newest window that was counted; None without one.

    Nothing is read but what earlier cycles left.
    """
    commission = survey_of_panel(spec)
    survey = replace(commission, budget=None, stop_at_goals=True)
    if not commission.stop_at_goals:
        survey = survey.without_borrowing
    design = design_of(survey)
    if not design.plans_for_goals:
        return None
    for cycle in reversed(tx.cycles.find(panel=spec.name, newest=4)):
        atoms = tx.cycles.atoms(cycle.id)
        if atoms and tx.panels.get(cycle.panel_version).classifiers == spec.classifiers:
            cells = Cells.of_atoms(tuple(one.name for one in spec.classifiers), atoms)
            history = label_history(tx, spec, cycle.period + 1, ports.clock.now())
            try:
                return design.plan_all_rounds(cells, survey, history, metrics_shown(spec)).labels
            except PlanImpossible:
                return None
    return None


def _risk(tx: Transaction, ports: Ports, spec: PanelSpec) -> str:
    """The panel's most urgent limit whose last state is BREACH, BLIND or AT RISK, in words; empty without one."""
    limits = watched_streams(spec)
    last = [
        one
        for one in tx.alarms.current_states(spec.name)
        if one.key in limits
        and not ports.paused.cover(one.key)
        and (one.key.panel, one.key.classifier) not in ports.paused.shadows
        and one.state in (AlarmState.BREACH, AlarmState.BLIND, AlarmState.AT_RISK)
    ]
    if not last:
        return ""
    worst = min(last, key=lambda one: (URGENCY.index(one.state), str(one.key)))
    where = f" [{worst.key.segment}]" if worst.key.segment else ""
    return f"{worst.key.metric} of {worst.key.classifier}{where} is {worst.state.value}"


def shared_budget_states(tx: Transaction) -> tuple[BudgetState, ...]:
    """The spans of which shares are kept, with what was asked in each of their cycles."""
    ledger = tx.labels.cursor(LEDGER)
    asked = {number: (_asked(tx, number), tx.cycles.get(number).state in ENDED) for number in cycles_of(ledger)}
    return budget_states(ledger, asked)


def too_few(share: WindowShare) -> str:
    """Why a window is passed over that would get too few labels for a plan."""
    return f"the shared budget has {share.share} labels left for this window, and a cycle needs {LEAST_BUDGET}"
