"""Numbers for programs: JSON that is only read, with its description in OpenAPI."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stratawatch.errors import NotFound, StratawatchError
from stratawatch.web.addresses import NUMBER, exact_app
from stratawatch.web.dashboard.openapi import DESCRIPTION
from stratawatch.web.dashboard.panel_list import PanelRow, open_incidents
from stratawatch.web.dashboard.reader import Reader
from stratawatch.web.dashboard.visitors import Visitors

_ESTIMATE: Final = (
    "panel",
    "classifier",
    "metric",
    "segment",
    "value",
    "low",
    "high",
    "n_eff",
    "confidence",
    "labels_used",
    "state",
    "window_end",
    "estimated_at",
)

Answer = Callable[[Request], Any]


def api(reader: Reader, visitors: Visitors) -> Starlette:
    """The API. Whoever may look at the dashboard may ask."""

    def panels(_: Request) -> Any:
        return {"panels": [_panel(row) for row in reader.panels()]}

    def estimates(request: Request) -> Any:
        asked = {name: request.query_params[name] for name in ("panel", "classifier") if name in request.query_params}
        rows = [{name: _plain(row[name]) for name in _ESTIMATE} for row in reader.document()["estimates"]]
        known = {"panel": reader.panel_names(), "classifier": {row["classifier"] for row in rows}}
        for name, value in asked.items():
            if value not in known[name]:
                raise NotFound(f"there is no {name} of this name")
        return {"estimates": [row for row in rows if all(row[name] == value for name, value in asked.items())]}

    def incidents(_: Request) -> Any:
        return {"incidents": [_incident(line.incident, line.silent_until) for line in reader.incidents()]}

    def incident(request: Request) -> Any:
        view = reader.incident(request.path_params["number"])
        silent_until = view.silence.over_at if view.silence else None
        history = [{"at": one.at.isoformat(), "what": one.what, "text": one.text} for one in view.history]
        return {**_incident(view.incident, silent_until), "history": history}

    def openapi(_: Request) -> Any:
        return DESCRIPTION

    asked: dict[str, Answer] = {
        "/panels": panels,
        "/estimates": estimates,
        "/incidents": incidents,
        f"/incidents/{NUMBER}": incident,
        "/openapi.json": openapi,
    }
    return exact_app(
        [Route(path, _answered(visitors, answer)) for path, answer in asked.items()],
        {404: _nowhere, 405: _not_so},
    )


def _answered(visitors: Visitors, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        if visitors.of(request) is None:
            return _error(401, "show your token, as Authorization: Bearer", {"WWW-Authenticate": "Bearer"})
        try:
            return JSONResponse(await run_in_threadpool(answer, request))
        except NotFound as missing:
            return _error(404, missing.what)
        except StratawatchError:
            return _error(503, "the store cannot be read")

    return respond


def _error(status: int, what: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": what}, status, headers)


async def _nowhere(_: Request, __: Exception) -> Response:
    return _error(404, "there is nothing at this address")


async def _not_so(_: Request, __: Exception) -> Response:
    return _error(405, "it is only read", {"Allow": "GET"})


def _panel(row: PanelRow) -> dict[str, Any]:
    view = row.view
    return {
        "panel": view.panel,
        "state": view.headline.state.value if view.headline.state else None,
        "sentence": view.headline.sentence,
        "harm": list(view.headline.harm),
        "more_wrong": view.headline.more_wrong,
        "since": _plain(row.since),
        "open_incidents": [one.id for one in open_incidents(view)],
        "window_start": _plain(view.window.start if view.window else None),
        "window_end": _plain(view.window.end if view.window else None),
    }


def _incident(one: Any, silent_until: datetime | None) -> dict[str, Any]:
    return {
        "id": one.id,
        "panel": one.key.panel,
        "classifier": one.key.classifier,
        "metric": one.key.metric,
        "segment": one.key.segment,
        "kind": one.kind.value,
        "opened_at": _plain(one.opened_at),
        "resolved_at": _plain(one.resolved_at),
        "since": _plain(one.since),
        "acknowledged_at": _plain(one.acknowledged_at),
        "acknowledged_by": one.acknowledged_by or None,
        "silent_until": _plain(silent_until),
    }


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
