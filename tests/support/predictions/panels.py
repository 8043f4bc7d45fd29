"""Panels for the tests of sources and checks."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns, PanelSpec, Window, WindowRule

START = datetime(2026, 1, 5, tzinfo=UTC)
WINDOW = Window(START, START + timedelta(days=7))
ONE = (ClassifierSpec("lr", "score", call="flag"),)


def panel(classifiers: Sequence[ClassifierSpec] = ONE, **changes: Any) -> PanelSpec:
    """A panel with columns `id` and `ts`."""
    columns = changes.pop("columns", Columns("id", "ts"))
    settings: dict[str, Any] = {
        "name": "posts",
        "question": "Is it?",
        "guideline": "Look.",
        "seed": "golden",
        "classifiers": tuple(classifiers),
        "columns": columns,
        "windows": WindowRule(START, timedelta(days=7)),
        "goals": (),
        "limits": (),
        "budget": 900,
        "deadline": timedelta(days=3),
    }
    return PanelSpec(**{**settings, **changes})
