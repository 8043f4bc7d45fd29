"""The browser of the label page's tests."""

from tests.live.page.conftest import browser

__all__ = ["browser"]
