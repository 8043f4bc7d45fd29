"""What a server of ours has beside its page: whether it runs and can work, numbers for Prometheus, the dashboard.

The numbers go to whoever has the token alone; without a token nobody is told that they could be had.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final

from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from stratawatch.engine.model.panel_links import DASHBOARD_PATH
from stratawatch.errors import StratawatchError, Unreachable
from stratawatch.web.addresses import exact_app

METRICS: Final = "/metrics"
TEXT_FORMAT: Final = "text/plain; version=0.0.4; charset=utf-8"
"""Prometheus' text format, whose version never changed."""


@dataclass(frozen=True)
class Numbers:
    """How numbers are read, anew at each scrape, and the token of those who may see them."""

    read: Callable[[], str]
    token: SecretStr


def served_together(
    app: ASGIApp | None,
    is_ready: Callable[[], bool],
    numbers: Numbers | None = None,
    dashboard: ASGIApp | None = None,
) -> Starlette:
    """The app with /healthz, /readyz and, where there are numbers, /metrics for whoever has their token.

    The dashboard has its own path; without an app the first page leads there.
    """

    async def to_dashboard(_: Request) -> Response:
        return RedirectResponse(f"{DASHBOARD_PATH}/", 303)

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("it runs\n")

    async def readyz(_: Request) -> Response:
        ready = await run_in_threadpool(_holds, is_ready)
        return PlainTextResponse("ready\n" if ready else "its file cannot be used\n", 200 if ready else 503)

    async def metrics(request: Request) -> Response:
        assert numbers is not None  # noqa: S101 - routed only where there are some
        sent = request.headers.get("authorization", "")
        if not compare_digest(sent.encode(), f"Bearer {numbers.token.get_secret_value()}".encode()):
            return PlainTextResponse("show the token\n", 401, {"WWW-Authenticate": "Bearer"})
        try:
            return Response(await run_in_threadpool(numbers.read), media_type=TEXT_FORMAT)
        except StratawatchError:
            return PlainTextResponse("the store cannot be read\n", 503)

    routes: list[BaseRoute] = [Route("/healthz", healthz), Route("/readyz", readyz)]
    if numbers is not None:
        routes.append(Route(METRICS, metrics))
    if dashboard is not None:
        routes += [Route(DASHBOARD_PATH, to_dashboard), Mount(DASHBOARD_PATH, dashboard)]
        if app is None:
            routes.append(Route("/", to_dashboard))
    return exact_app([*routes, Mount("/", app)] if app is not None else routes)


def _holds(is_ready: Callable[[], bool]) -> bool:
    try:
        return is_ready()
    except Unreachable:
        return False
