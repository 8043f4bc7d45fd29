"""Data Docs of one check: the sections that Great Expectations renders, in a page that fetches nothing."""

from datetime import UTC
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

import numpy as np

from stratawatch.adapters.checks.gx_runner import Validated
from stratawatch.adapters.checks.input_rules import Suite
from stratawatch.atomic_files import PRIVATE, replace_text
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.folder_names import slug
from stratawatch.formatting import shortened

PAGES: Final = (("The whole window", "profile.html"), ("The candidates", "candidates.html"))

# What a result says of single values.
_OF_ROWS: Final = ("unexpected_count", "partial_unexpected_list", "partial_unexpected_counts")
_SHOWN: Final = 200  # characters of an observed value


def window_folder(panel: PanelSpec, window: Window) -> Path:
    """Where a window's pages lie, relative to the folder of all Data Docs."""
    return Path(slug(panel.name), f"{window.start.astimezone(UTC):%Y%m%dT%H%M%SZ}")


def write_page(folder: Path, panel: PanelSpec, window: Window, suite: Suite, validated: Validated) -> Path:
    """Render a validation result and replace its page; returns the page's path inside `folder`."""
    place = window_folder(panel, window)
    passed = not any(rule.severity == "critical" for rule in validated.failed)
    if suite.name == "profile" and not passed:
        # The candidates are not looked at then; a page of an earlier attempt would speak of other data.
        (folder / place / "candidates.html").unlink(missing_ok=True)
    html = _render(
        validated,
        heading=f"{suite.title}: panel {panel.name}, {window}",
        passed=passed,
        sentences=[rule.sentence for rule in sorted(validated.failed, key=lambda rule: rule.severity != "critical")],
        pages=PAGES if passed or suite.name != "profile" else PAGES[:1],
        facts=suite.facts,
    )
    page = place / f"{suite.name}.html"
    replace_text(folder / page, html, mode=PRIVATE)
    return page


def _render(validated: Validated, **ours: Any) -> str:
    from great_expectations.render import renderer

    rendering: Any = renderer
    for one in validated.result.results:
        one.result = _harmless(one.result)
        if "unexpected_percent" not in one.result:  # of these it has no words, only what was observed
            for key in _OF_ROWS:
                one.result.pop(key, None)
    document = rendering.ValidationResultsPageRenderer(run_info_at_end=True).render(validated.result)
    # The overview links to pages of a whole site, which is not built; our own head says the same.
    document.sections = document.sections[1:-1]
    return str(_view().render(document, template="check_page.j2", **ours))


@cache
def _view() -> Any:
    """The library's templates with our page, which are compiled once: that takes longer than to fill them."""
    from great_expectations.render import view

    viewing: Any = view
    return viewing.DefaultJinjaPageView(custom_views_directory=str(Path(__file__).parent))


def _harmless(value: Any) -> Any:
    """Observed values as the page may show them: the library puts them into its tables as they are.

    It cannot write numbers of NumPy's, which sums, means and quantiles are.
    """
    if isinstance(value, dict):
        return {key: _harmless(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_harmless(one) for one in value]
    if isinstance(value, str):
        return escape(shortened(value, _SHOWN))
    return value.item() if isinstance(value, np.generic) else value
