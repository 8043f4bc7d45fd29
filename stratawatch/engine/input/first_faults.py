"""What a cheap look at a window finds of what it would be refused for: columns that are missing, and no rows.

Everything else takes a scan of the window, which `check` makes and the freeze.
"""

from typing import Final

from stratawatch.engine.alarms.send_deadline import call_within
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.ports import Ports, PredictionSource
from stratawatch.errors import InputRefused

LONGEST_LOOKS: Final = 30.0
"""Seconds that looks at all windows together may take."""


def first_faults(ports: Ports, spec: PanelSpec, window: Window, seconds: float) -> tuple[str, ...]:
    """Sentences on what is wrong; none where nothing is, and where the source does not answer in so many seconds."""
    if seconds <= 0:
        return ()
    try:
        source = ports.sources[spec.name]
        return call_within(seconds, lambda: _faults(source, spec, window), f"the source of panel '{spec.name}'")
    except Exception:  # noqa: BLE001 - a source may raise anything; the window opens, and its freeze tells it
        return ()


def _faults(source: PredictionSource, spec: PanelSpec, window: Window) -> tuple[str, ...]:
    try:
        with source.reading(spec, window) as reading:
            return () if reading.rows(window) else ("it has no rows",)
    except InputRefused as refused:
        first = refused.what
    problems = source.describe(spec).problems  # the reading ended at the first one
    return tuple(one.error.what for one in problems) or (first,)
