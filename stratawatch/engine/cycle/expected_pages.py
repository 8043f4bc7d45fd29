"""In how many windows a fall beyond each limit would be paged, with the labels of a plan."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.alarms.evidence.time_to_page import PageRule, PlannedWindow, windows_to_page
from stratawatch.core.alarms.judge import page_confidence
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.tuning import EVIDENCE
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.cycle.plan_preview import PlanPreview
from stratawatch.engine.evidence.limit_ends import limit_tests
from stratawatch.engine.evidence.panel_evidence import YEAR, panel_threshold
from stratawatch.engine.labels.labelled_cycle import design_of_cycle
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.panel_spec import PanelSpec

LOSSES: Final = (0.05, 0.1)
"""How far beyond its limit a metric falls, in what people are told."""


@dataclass(frozen=True)
class ExpectedPage:
    """How many windows it takes on average until a fall beyond a stream's limit is paged, by the fall.

    None where these labels do not page it within two years of weeks.
    """

    key: StreamKey
    windows: dict[float, float | None]


def expected_pages(spec: PanelSpec, preview: PlanPreview) -> tuple[ExpectedPage, ...]:
    """For each floor and ceiling; windows are taken to be like this one, with new labels each."""
    limits = watched_streams(spec)
    ends = limit_tests(limits)
    if spec.alarms != "evidence" or not ends or not preview.atoms:
        return ()
    cells = design_of_cycle(spec, preview.atoms, ()).cells
    rates = cells.imputed_scores if cells.prior_rate is None else cells.prior_rate
    planned = PlannedWindow(cells, preview.atoms, rates, np.array(preview.plan.totals, dtype=np.int64))
    alone = (1 - EVIDENCE.evidence_share) * spec.false_pages_per_year
    tests = sum(limit.tests for limit in limits.values())
    confidence = page_confidence(tests, YEAR / spec.windows.length, alone)
    rule = PageRule(panel_threshold(spec), normal_quantile(confidence))
    return tuple(
        ExpectedPage(
            watched.key,
            # The same draws for everybody: the same plan always says the same.
            {loss: windows_to_page(planned, test, loss, rule, np.random.default_rng(0)) for loss in LOSSES},
        )
        for watched, test in ends.items()
    )
