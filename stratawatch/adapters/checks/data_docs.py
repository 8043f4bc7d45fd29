"""Data Docs of one check: the sections that Great Expectations renders, in a page that fetches nothing."""

import hashlib
import os
import re
import tempfile
from datetime import UTC
from pathlib import Path
from typing import Any, Final

from stratawatch.adapters.checks.rules import Suite
from stratawatch.adapters.checks.validation import Validated
from stratawatch.engine.records import PanelSpec, Window

PAGES: Final = (("The whole window", "profile.html"), ("The candidates", "candidates.html"))


def window_folder(panel: PanelSpec, window: Window) -> Path:
    """Where a window's pages lie, relative to the folder of all Data Docs."""
    return Path(_slug(panel.name), f"{window.start.astimezone(UTC):%Y%m%dT%H%M%SZ}")


def write_page(folder: Path, panel: PanelSpec, window: Window, suite: Suite, validated: Validated) -> Path:
    """Render a validation result and replace its page; returns the page's path inside `folder`."""
    from great_expectations.render import renderer, view

    rendering: Any = renderer
    viewing: Any = view
    html = viewing.DefaultJinjaPageView(custom_views_directory=str(Path(__file__).parent)).render(
        rendering.ValidationResultsPageRenderer().render(validated.result),
        template="check_page.j2",
        heading=f"{suite.title}: panel {panel.name}, {window}",
        passed=not any(rule.severity == "critical" for rule in validated.failed),
        sentences=[rule.sentence for rule in validated.failed],
        pages=PAGES,
    )
    page = window_folder(panel, window) / f"{suite.name}.html"
    _replace(folder / page, html)
    return page


def _slug(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")
    return plain if plain == name else f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}".lstrip("-")


def _replace(path: Path, html: str) -> None:
    """A reader sees the old page or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", errors="backslashreplace", dir=path.parent, prefix=".", delete=False
    ) as file:
        file.write(html)
    Path(file.name).chmod(0o644)
    os.replace(file.name, path)  # noqa: PTH105 - Path.replace is the same call; os.replace is what crash tests watch
