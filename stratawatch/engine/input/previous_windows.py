"""What the store and the source say about the windows before one that is being read."""

from collections.abc import Callable

from stratawatch.engine.input.window_drift import REMEMBERED, EarlierWindow
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports.transaction import Transaction


def earlier_judged_windows(tx: Transaction, panel: str, period: int) -> tuple[EarlierWindow, ...]:
    """The last judged windows before a period, newest last."""
    cycles = tx.cycles.find(panel=panel, states=[CycleState.JUDGED], before=period, newest=REMEMBERED)
    return tuple(
        EarlierWindow(tx.panels.get(one.panel_version), one.window, one.profile)
        for one in cycles
        if one.profile is not None
    )


def previous_cycle_to_recount(tx: Transaction, spec: PanelSpec, period: int) -> Cycle | None:
    """The cycle of the window before, if its rows were counted and rows may have been added to it since.

    Windows that are cut by the time of arrival get no more rows once they are over. Where the newest row of an id
    stands for all, fewer rows were counted than there are. A refused window is read anew once its rows are mended.
    """
    if spec.columns.ingested is not None or spec.drift.missed == "ignore" or spec.duplicates == "latest":
        return None
    for one in tx.cycles.find(panel=spec.name, before=period, newest=1):
        then = tx.panels.get(one.panel_version)
        alike = then.columns.ingested is None and _rows_of(then) == _rows_of(spec) and one.state != CycleState.REFUSED
        counted = one.profile is not None and one.profile.null_times is not None
        if alike and one.period == period - 1 and counted:
            return one
    return None


def missed_rows(count: Callable[[Window], int], before: Cycle | None) -> int | None:
    """Rows of the window before that came after it was read; None where that cannot be told.

    `count` reads only times. Fewer rows than were counted mean that the source forgets old ones.
    """
    if before is None or before.profile is None or before.profile.null_times is None:
        return None
    counted = before.profile.rows - before.profile.null_times
    now = count(before.window)
    return now - counted if now >= counted else None


def _rows_of(spec: PanelSpec) -> tuple[object, ...]:
    """What decides which rows of a window count; in a long table also the names whose rows are read."""
    columns = spec.columns
    rule = (spec.source, columns.time, spec.duplicates)
    if columns.classifier is None:
        return rule
    speakers = {one.called or one.name for one in spec.classifiers} | {one.called or one.name for one in spec.auxiliary}
    return (*rule, columns.classifier, columns.item, speakers)
