"""The newest window that has rows, where the newest one of all has none."""

from collections.abc import Callable

from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.windows import window_of_period
from stratawatch.engine.ports import PredictionSource


def newest_period_with_rows(source: PredictionSource, spec: PanelSpec, newest: int) -> int | None:
    """The newest period up to this one with rows dated in it; None where no window so far has any.

    Only times are read, about twice the logarithm of the number of windows to go back.
    """
    end = window_of_period(spec.windows, newest).end
    with source.reading(spec, Window(window_of_period(spec.windows, 0).start, end)) as reading:

        def has_rows(first: int) -> bool:
            return bool(reading.rows(Window(window_of_period(spec.windows, first).start, end)))

        return _last(has_rows, newest)


def _last(holds: Callable[[int], bool], newest: int) -> int | None:
    """The largest number from 0 to `newest` for which it holds; it holds for all smaller ones, too.

    >>> [_last(lambda first: first <= 37, newest) for newest in (30, 37, 38, 500)], _last(lambda _: False, 500)
    ([30, 37, 37, 37], None)
    """
    back = 1
    while newest - back + 1 > 0 and not holds(newest - back + 1):
        back *= 2
    low, high = max(newest - back + 1, 0), newest - back // 2
    if not holds(low):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
