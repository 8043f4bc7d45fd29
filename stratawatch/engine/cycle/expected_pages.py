"""In how many windows a fall beyond each limit would be paged: with the labels of a plan, or of the newest window."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Final

import numpy as np

from stratawatch.core.alarms.alarm_states import AlarmRule
from stratawatch.core.alarms.evidence.drop_tests import DropTest
from stratawatch.core.alarms.evidence.time_to_page import PageRule, PlannedWindow, windows_to_page
from stratawatch.core.alarms.evidence.time_to_page_drop import PlannedBaseline, windows_to_page_drop
from stratawatch.core.alarms.judge import page_confidence
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.goals import Limit, LimitEnd
from stratawatch.core.population import Atom
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.baselines.current_baselines import current_baselines
from stratawatch.engine.evidence.limit_ends import WatchedEnd, drop_test, limit_tests
from stratawatch.engine.evidence.pages import share_of_window
from stratawatch.engine.evidence.panel_evidence import YEAR, panel_threshold
from stratawatch.engine.evidence.window_rule import MOST_PERSISTING
from stratawatch.engine.labels.labelled_cycle import design_of_cycle
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.model.stored_baseline import StoredBaseline, call_rule
from stratawatch.engine.ports.transaction import Transaction

LOSSES: Final = (0.05, 0.1)
"""How far beyond its limit a metric is, in what people are told; beyond a ceiling below the larger one see `losses`."""


@dataclass(frozen=True)
class ExpectedPage:
    """How many windows it takes on average until a fall beyond one end of a stream's limit is paged, by the fall.

    None where these labels do not page it within two years of weeks. `unknown` says why nothing can be told of it.
    """

    key: StreamKey
    end: LimitEnd
    windows: Mapping[float, float | None]
    unknown: str = ""


def planned_window(spec: PanelSpec, atoms: Sequence[Atom], totals: Sequence[int]) -> PlannedWindow:
    """A window of these atoms that gets so many new labels of each stratum."""
    cells = design_of_cycle(spec, atoms, ()).cells
    rates = cells.imputed_scores if cells.prior_rate is None else cells.prior_rate
    return PlannedWindow(cells, tuple(atoms), rates, np.array(totals, dtype=np.int64))


def pages_as_labelled(tx: Transaction, spec: PanelSpec, now: datetime) -> tuple[ExpectedPage, ...]:
    """For each end of a limit, if the labels that the newest judged window got come each time."""
    judged = tx.cycles.find(panel=spec.name, states=[CycleState.JUDGED], newest=1)
    rounds = tx.rounds.of(judged[0].id) if judged else ()
    if not rounds:
        return unknown_pages(spec, "no window has been judged")
    cycle, then = judged[0], tx.panels.get(judged[0].panel_version)
    planned = planned_window(then, tx.cycles.atoms(cycle.id), rounds[-1].plan.totals)
    calls = {one.name: call_rule(one) for one in then.classifiers}
    new = [one.name for one in spec.classifiers if calls.get(one.name) != call_rule(one)]
    return expected_pages(tx, spec, planned, max(now, cycle.window.end), without=new)


def unknown_pages(spec: PanelSpec, why: str) -> tuple[ExpectedPage, ...]:
    """That nothing can be told yet of any end of a limit."""
    return tuple(ExpectedPage(one.key, one.end, {}, why) for one in _ends(spec))


def expected_pages(
    tx: Transaction, spec: PanelSpec, planned: PlannedWindow, at: datetime, without: Collection[str] = ()
) -> tuple[ExpectedPage, ...]:
    """For each end of a limit; windows from a moment on are taken to be like this one, with new labels each.

    The window says nothing of the classifiers `without`, nor of those that it does not have.
    """
    limits = watched_streams(spec)
    tests = limit_tests(limits)
    if not limits or not planned.atoms:
        return ()
    rule, kept = _page_rule(tx, spec), current_baselines(tx, spec, at)
    found = []
    for one in _ends(spec):
        if one.key.classifier in without or one.key.classifier not in planned.cells.classifiers:
            found.append(ExpectedPage(one.key, one.end, {}, "no window with this classifier has been judged"))
        elif test := tests.get(one):
            # The same draws for everybody: the same plan always says the same.
            beyond = losses(limits[one.key], one.end)
            weeks = {loss: windows_to_page(planned, test, loss, rule, np.random.default_rng(0)) for loss in beyond}
            found.append(ExpectedPage(one.key, one.end, weeks))
        elif drop := drop_test(one.key, limits[one.key]):
            found.append(_of_drop(spec, planned, drop, one.key, kept.get(one.key), at, rule))
    return tuple(found)


def losses(limit: Limit, end: LimitEnd) -> tuple[float, float]:
    """How far beyond an end of a limit people are told of: 5 and 10 points, and of a low ceiling half of it and all.

    >>> losses(Limit("precision", floor=0.8), "floor"), losses(Limit("false_omission_rate", ceiling=0.02), "ceiling")
    ((0.05, 0.1), (0.01, 0.02))
    """
    is_low = end == "ceiling" and limit.ceiling is not None and limit.ceiling < max(LOSSES)
    return (limit.ceiling / 2, limit.ceiling) if is_low and limit.ceiling is not None else LOSSES


def _ends(spec: PanelSpec) -> list[WatchedEnd]:
    """The floors and ceilings, then the largest drops."""
    limits = watched_streams(spec)
    drops = [WatchedEnd(key, "max_drop") for key, limit in limits.items() if limit.max_drop is not None]
    return [*limit_tests(limits), *drops]


def _page_rule(tx: Transaction, spec: PanelSpec) -> PageRule:
    """By evidence and by one window, or by each window alone: as set, or as items of earlier windows come again."""
    newest = tx.evidence.rules(spec.name)[-1:]
    come_again = not spec.draws_anew and any(one.persisting > MOST_PERSISTING for one in newest)
    by: AlarmRule = "window" if spec.alarms == "window" or come_again else "evidence"
    tests = sum(limit.tests for limit in watched_streams(spec).values())
    share = share_of_window(spec, by) * spec.false_pages_per_year
    confidence = page_confidence(tests, YEAR / spec.windows.length, share)
    return PageRule(inf if by == "window" else panel_threshold(spec), normal_quantile(confidence))


def _of_drop(
    spec: PanelSpec,
    planned: PlannedWindow,
    drop: DropTest,
    key: StreamKey,
    kept: StoredBaseline | None,
    at: datetime,
    rule: PageRule,
) -> ExpectedPage:
    """The expected page of a largest drop, from the baseline in force as it will have grown."""
    if kept is None:
        return ExpectedPage(key, "max_drop", {}, "no baseline is in force")
    if kept.grid is None:
        return ExpectedPage(key, "max_drop", {}, "its baseline has no grid, so that each window is judged by itself")
    found = kept.estimate
    baseline = PlannedBaseline(
        value=found.value,
        standard_error=found.half_width / normal_quantile(kept.confidence),
        points=kept.grid.points,
        log_b=np.array(kept.grid.log_b),
        windows=kept.grid.windows,
        since=max((at - kept.valid_from) // spec.windows.length, 0),
    )
    seeds = {loss: np.random.default_rng(0) for loss in LOSSES}
    return ExpectedPage(
        key,
        "max_drop",
        {loss: windows_to_page_drop(planned, drop, baseline, loss, rule, rng) for loss, rng in seeds.items()},
    )
