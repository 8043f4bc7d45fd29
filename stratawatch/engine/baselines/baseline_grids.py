"""What the labels of a baseline say of each value that it may have had, so that falls from it add up over windows."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import numpy as np

from stratawatch.core.alarms.evidence.drop_tests import baseline_e_values, drop_points, share_log_b
from stratawatch.core.alarms.evidence.persistence import persisting_shares
from stratawatch.core.baselines.baseline import Baseline
from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.estimate import Undefined
from stratawatch.core.goals import Limit
from stratawatch.core.population import Floats
from stratawatch.core.tuning import EVIDENCE
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.baselines.baselines_from_windows import judged_windows
from stratawatch.engine.evidence.labelled_before import betting_labels
from stratawatch.engine.evidence.limit_ends import drop_test, grid_tests
from stratawatch.engine.evidence.window_rule import MOST_PERSISTING, earlier_items
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.evidence_records import BaselineGrid
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.stored_baseline import call_rule
from stratawatch.engine.ports.transaction import Transaction

Grids = Mapping[StreamKey, BaselineGrid]
NO_GRIDS: Final[Grids] = {}


def grids_from_windows(
    tx: Transaction, spec: PanelSpec, found: Mapping[StreamKey, Baseline], windows: int, by: datetime
) -> Grids:
    """Grids of the streams with a largest drop, from the newest windows that had been judged by a moment.

    A window counts whose labels bet (see `first_use`), and where hardly anything that the stream looks at was in an
    earlier one. Streams for which none does have no grid.
    """
    limits = _limits_of(spec, found)
    points = {key: drop_points(one.evidence) for key, one in found.items() if not isinstance(one.evidence, Undefined)}
    sums: dict[StreamKey, list[Floats]] = {key: [] for key in limits if key in points}
    if not sums:
        return NO_GRIDS
    present = {one.name: call_rule(one) for one in spec.classifiers}
    for cycle, _ in judged_windows(tx, spec.name, windows, by):
        past = tx.panels.get(cycle.panel_version)
        calls = {one.name: call_rule(one) for one in past.classifiers}
        labelled = load_labelled_cycle(tx, past, cycle.id)
        (design, drawn), before = betting_labels(tx, past, cycle, labelled), earlier_items(tx, past, cycle)
        for key, log_b in sums.items():
            drop = drop_test(key, limits[key])
            if drop is None or calls.get(key.classifier) != present[key.classifier]:
                continue
            tests = grid_tests(drop, points[key], -1)
            if persisting_shares(labelled.design, [tests[len(tests) // 2]], before)[0] > MOST_PERSISTING:
                continue
            if values := baseline_e_values(design, drawn, tests):
                table = np.zeros((len(EVIDENCE.baseline_losses), len(tests)))
                for one in values:
                    table[EVIDENCE.baseline_losses.index(one.loss), one.test] += one.log_e
                log_b.append(table)
    return {key: _grid(points[key], sum(log_b[1:], log_b[0]), len(log_b)) for key, log_b in sums.items() if log_b}


def grids_from_labels(spec: PanelSpec, found: Mapping[StreamKey, Baseline]) -> Grids:
    """Grids of the streams with a largest drop, from labels of predictions that were drawn at random."""
    grids = {}
    for key in _limits_of(spec, found):
        share = found[key].evidence
        if isinstance(share, BaselineShare):
            points = drop_points(share)
            grids[key] = _grid(points, share_log_b(key.metric, share, points), 0)
    return grids


def _limits_of(spec: PanelSpec, found: Mapping[StreamKey, Baseline]) -> dict[StreamKey, Limit]:
    return {key: limit for key, limit in watched_streams(spec).items() if key in found and limit.max_drop is not None}


def _grid(points: Sequence[float], log_b: Floats, windows: int) -> BaselineGrid:
    return BaselineGrid(tuple(points), EVIDENCE.baseline_losses, tuple(map(tuple, log_b.tolist())), windows)
