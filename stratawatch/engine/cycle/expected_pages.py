"""In how many windows a fall beyond each limit would be paged, with the labels of a plan."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.alarms.evidence.drop_tests import DropTest
from stratawatch.core.alarms.evidence.time_to_page import PageRule, PlannedWindow, windows_to_page
from stratawatch.core.alarms.evidence.time_to_page_drop import PlannedBaseline, windows_to_page_drop
from stratawatch.core.alarms.judge import page_confidence
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.goals import LimitEnd
from stratawatch.core.tuning import EVIDENCE
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.baselines.current_baselines import current_baselines
from stratawatch.engine.cycle.plan_preview import PlanPreview
from stratawatch.engine.evidence.limit_ends import drop_test, limit_tests
from stratawatch.engine.evidence.panel_evidence import YEAR, panel_threshold
from stratawatch.engine.labels.labelled_cycle import design_of_cycle
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.stored_baseline import StoredBaseline
from stratawatch.engine.ports.transaction import Transaction

LOSSES: Final = (0.05, 0.1)
"""How far beyond its limit a metric falls, in what people are told."""


@dataclass(frozen=True)
class ExpectedPage:
    """How many windows it takes on average until a fall beyond one end of a stream's limit is paged, by the fall.

    None where these labels do not page it within two years of weeks. `unknown` says why nothing can be told of it.
    """

    key: StreamKey
    end: LimitEnd
    windows: Mapping[float, float | None]
    unknown: str = ""


def expected_pages(tx: Transaction, spec: PanelSpec, preview: PlanPreview, window: Window) -> tuple[ExpectedPage, ...]:
    """The expected page of each end of a limit, if all windows are like this one and have new labels."""
    limits = watched_streams(spec)
    if spec.alarms != "evidence" or not limits or not preview.atoms:
        return ()
    cells = design_of_cycle(spec, preview.atoms, ()).cells
    rates = cells.imputed_scores if cells.prior_rate is None else cells.prior_rate
    planned = PlannedWindow(cells, preview.atoms, rates, np.array(preview.plan.totals, dtype=np.int64))
    alone = (1 - EVIDENCE.evidence_share) * spec.false_pages_per_year
    tests = sum(limit.tests for limit in limits.values())
    confidence = page_confidence(tests, YEAR / spec.windows.length, alone)
    rule = PageRule(panel_threshold(spec), normal_quantile(confidence))
    found = [
        ExpectedPage(
            watched.key,
            watched.end,
            # The same draws for everybody: the same plan always says the same.
            {loss: windows_to_page(planned, test, loss, rule, np.random.default_rng(0)) for loss in LOSSES},
        )
        for watched, test in limit_tests(limits).items()
    ]
    kept = current_baselines(tx, spec, window.start)
    for key, limit in limits.items():
        if drop := drop_test(key, limit):
            found.append(_of_drop(spec, planned, drop, key, kept.get(key), window, rule))
    return tuple(found)


def _of_drop(
    spec: PanelSpec,
    planned: PlannedWindow,
    drop: DropTest,
    key: StreamKey,
    kept: StoredBaseline | None,
    window: Window,
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
        since=max((window.start - kept.valid_from) // spec.windows.length, 0),
    )
    seeds = {loss: np.random.default_rng(0) for loss in LOSSES}
    return ExpectedPage(
        key,
        "max_drop",
        {loss: windows_to_page_drop(planned, drop, baseline, loss, rule, rng) for loss, rng in seeds.items()},
    )
