"""The dashboard as an app: pages, and below /api numbers for programs."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount

from stratawatch.web.addresses import exact_app
from stratawatch.web.dashboard.api import api
from stratawatch.web.dashboard.pages import Pages, refusal_page
from stratawatch.web.dashboard.reader import Reader
from stratawatch.web.dashboard.visitors import Visitors
from stratawatch.web.forms import Refused


def dashboard(reader: Reader, visitors: Visitors, *, secure: bool = False) -> Starlette:
    """Pages and API over what the reader reads. `secure` where people come by https."""
    pages = Pages(reader, visitors, secure=secure)
    return exact_app(
        [Mount("/api", api(reader, visitors)), *pages.routes],
        {Refused: _refusal, 404: _nowhere},
    )


async def _refusal(request: Request, refused: Exception) -> Response:
    assert isinstance(refused, Refused)  # noqa: S101 - registered for it alone
    return refusal_page(request, refused)


async def _nowhere(request: Request, _: Exception) -> Response:
    return refusal_page(request, Refused(404, "There is no such page", "Begin at the panels."))
