"""The dashboard's pages: rendered by the server, without script, every value escaped."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from hmac import compare_digest
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from jinja2 import ChoiceLoader, Environment, FileSystemLoader
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from stratawatch.engine.model.last_run import LastRun
from stratawatch.errors import NotFound, StratawatchError, Unreachable
from stratawatch.formatting import age_text
from stratawatch.report.budget_page import budget_page
from stratawatch.report.page import environment
from stratawatch.settings.roles import Role
from stratawatch.web.addresses import NUMBER
from stratawatch.web.dashboard import mosaic, panel_list, sparkline
from stratawatch.web.dashboard.incident_view import IncidentView
from stratawatch.web.dashboard.mistakes_view import SIDES
from stratawatch.web.dashboard.reader import Reader, shown_items
from stratawatch.web.dashboard.visitors import COOKIE, Person, Visitors
from stratawatch.web.forms import Refused, read_fields
from stratawatch.web.payload_view import plain_text, shown_payload

COOKIE_LIFE: Final = 30 * 24 * 3600
LONGEST_REASON: Final = 500
_MOST_SHOWN: Final = 60
_MOST_DIGITS: Final = 9
"""Of a number of labels in an address."""
SILENCES: Final = {
    "8h": ("8 hours", timedelta(hours=8)),
    "1d": ("a day", timedelta(days=1)),
    "2d": ("2 days", timedelta(days=2)),
    "7d": ("a week", timedelta(days=7)),
    "30d": ("30 days", timedelta(days=30)),
}
_HERE: Final = Path(__file__).parent.parent
_REPORT_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Of the report's page, which has its style inside."""
_WARNING: Final = timedelta(hours=1)
"""An advance that is older is warned of on every page; served flows make one every five minutes."""

Show = Callable[[Request, Person], dict[str, Any]]
Do = Callable[[Request, Person, dict[str, str]], str]


class Pages:
    """Pages by their addresses, each with the least role that may see it."""

    def __init__(self, reader: Reader, visitors: Visitors, *, secure: bool = False) -> None:
        self._reader, self._visitors, self._secure = reader, visitors, secure

    @property
    def routes(self) -> list[Route]:
        """What is served."""
        return [
            Route("/enter/{token}", self._enter),
            Route("/leave", self._leave, methods=["POST"]),
            Route("/style.css", self._style),
            *(Route(path, self._shown(role, template, show)) for path, role, template, show in self.shown),
            Route("/panels/{panel}/report", self._report),
            *(Route(path, self._done(role, do), methods=["POST"]) for path, role, do in self.done),
        ]

    @property
    def shown(self) -> list[tuple[str, Role, str, Show]]:
        """Address, least role and template of each page, and what it is filled in with."""
        return [
            ("/", "viewer", "panels.html", self._panels),
            ("/panels/{panel}", "viewer", "panel.html", self._panel),
            ("/panels/{panel}/mistakes", "viewer", "mistakes.html", self._mistakes),
            ("/panels/{panel}/plan", "viewer", "plan.html", self._plan),
            ("/panels/{panel}/classifiers/{classifier:path}", "viewer", "classifier.html", self._classifier),
            (f"/cycles/{NUMBER}", "viewer", "cycle.html", self._cycle),
            ("/incidents", "viewer", "incidents.html", self._incidents),
            (f"/incidents/{NUMBER}", "viewer", "incident.html", self._incident),
            ("/audit", "admin", "audit.html", self._audit),
        ]

    @property
    def done(self) -> list[tuple[str, Role, Do]]:
        """Address and least role of each form, and what it does; it returns the address to go on to."""
        return [
            (f"/incidents/{NUMBER}/acknowledge", "operator", self._acknowledge),
            (f"/incidents/{NUMBER}/silence", "operator", self._silence),
        ]

    # what pages are filled in with

    def _panels(self, _: Request, __: Person) -> dict[str, Any]:
        rows = self._reader.panels()
        ages = {row.view.panel: row.view.ended_ago for row in rows}
        silent = Counter(one.panel for one in self._reader.silences())
        return {
            "title": "Panels",
            "rows": rows,
            "ages": ages,
            "silent": silent,
            "counts": panel_list.counts_by_state(rows),
        }

    def _panel(self, request: Request, _: Person) -> dict[str, Any]:
        view = self._reader.panel(request.path_params["panel"])
        names = list(dict.fromkeys(score.classifier for score in view.scores))
        metrics = list(dict.fromkeys(score.metric for score in view.scores))
        by_place = {(score.classifier, score.metric): score for score in view.scores}
        under_way = [row for row in view.cycles if row.labels.open]
        return {
            "title": view.panel,
            "old": view.ended_ago,
            "silences": [one for one in self._reader.silences() if one.panel == view.panel],
            "view": view,
            "metrics": metrics,
            "rows": [(name, [by_place.get((name, metric)) for metric in metrics]) for name in names],
            "incidents": panel_list.open_incidents(view),
            "under_way": under_way,
        }

    def _classifier(self, request: Request, _: Person) -> dict[str, Any]:
        view, name = self._reader.panel(request.path_params["panel"]), request.path_params["classifier"]
        scores = [score for score in view.scores if score.classifier == name]
        if not scores:
            raise NotFound(f"panel '{view.panel}' has no classifier '{name}'")
        segments = [score for score in view.segments if score.classifier == name and score.estimate]
        trends = [trend for trend in view.trends if trend.classifier == name]
        incidents = [row for row in view.incidents if row.classifier == name]
        worst = panel_list.worst_score(scores)
        return {
            "title": f"{name} of {view.panel}",
            "view": view,
            "name": name,
            "worst": worst,
            "scores": scores,
            "segments": segments,
            "trends": trends,
            "incidents": incidents,
        }

    def _cycle(self, request: Request, _: Person) -> dict[str, Any]:
        number, classifier = request.path_params["number"], request.query_params.get("classifier", "")
        _require(classifier, self._reader.cycle(number).classifiers if classifier else (), "classifier")
        view = self._reader.cycle(number, classifier)
        drawn = Markup(mosaic.mosaic_svg(view.tiles, view.classifier))  # noqa: S704 - escaped
        return {"title": f"Cycle {number}", "view": view, "mosaic": drawn}

    def _incidents(self, _: Request, __: Person) -> dict[str, Any]:
        return {"title": "Incidents", "lines": self._reader.incidents()}

    def _incident(self, request: Request, person: Person) -> dict[str, Any]:
        view = self._reader.incident(request.path_params["number"])
        panel = view.incident.key.panel
        links = self._reader.panel(panel).leads if panel in self._reader.panel_names() else ()
        return {
            "title": f"Incident {view.incident.id}",
            "view": view,
            "leads": links,
            "silences": {key: words for key, (words, _) in SILENCES.items()},
            "note": _note(request.query_params.get("note", ""), view, person),
            "may_act": person.may("operator"),
        }

    def _mistakes(self, request: Request, person: Person) -> dict[str, Any]:
        asked, panel = request.query_params, request.path_params["panel"]
        plain = self._reader.mistakes(panel, "", "", "")
        chosen = [asked.get(name, "") for name in ("classifier", "side", "segment")]
        # Also so that nobody fills memory with views of names that are not there.
        for what, name, names in zip(
            ("classifier", "side", "segment"), chosen, (plain.classifiers, SIDES, plain.segments), strict=True
        ):
            _require(name, names, what)
        view = self._reader.mistakes(panel, *chosen)
        sees = person.may("annotator")
        items = [(one, shown_payload(one.item.payload)) for one in shown_items(view, with_payload=sees)]
        title = f"Mistakes of {view.classifier}"
        return {"title": title, "view": view, "items": items, "sees_payload": sees}

    def _plan(self, request: Request, _: Person) -> dict[str, Any]:
        found = self._reader.budgets(request.path_params["panel"])
        chosen = request.query_params.get("labels", "")[:_MOST_DIGITS]
        return {
            "title": f"Budgets of {request.path_params['panel']}",
            "panel": request.path_params["panel"],
            "plan": None if found is None else budget_page(found, int(chosen) if chosen.isdecimal() else 0),
        }

    def _audit(self, _: Request, __: Person) -> dict[str, Any]:
        return {"title": "Who did what", "actions": self._reader.actions()}

    # what forms do

    def _acknowledge(self, request: Request, person: Person, fields: dict[str, str]) -> str:
        self._reader.acknowledge(number := request.path_params["number"], person.name, _reason(fields))
        return f"/incidents/{number}?note=acknowledged"

    def _silence(self, request: Request, person: Person, fields: dict[str, str]) -> str:
        if fields.get("length") not in SILENCES:
            raise Refused(400, "For how long?", "A silence has one of the lengths of the form.")
        _, length = SILENCES[fields["length"]]
        why = _reason(fields)
        if not any(sign.isalnum() for sign in why):
            raise Refused(400, "Why?", "A silence needs a reason that tells others what is going on.")
        self._reader.silence(number := request.path_params["number"], person.name, length, why)
        return f"/incidents/{number}?note=silent"

    # how requests are answered

    def _shown(self, role: Role, template: str, show: Show) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            person = self._allowed(request, role)
            return await run_in_threadpool(self._page, request, person, template, lambda: show(request, person))

        return answer

    def _done(self, role: Role, do: Do) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            person = self._allowed(request, role)
            fields = await read_fields(request)
            self._require_own_form(person, fields)
            where = await run_in_threadpool(_tried, lambda: do(request, person, fields))
            return RedirectResponse(f"{_root(request)}{where}", 303)

        return answer

    async def _report(self, request: Request) -> Response:
        self._allowed(request, "viewer")
        page = await run_in_threadpool(_tried, lambda: self._reader.report(request.path_params["panel"]))
        return HTMLResponse(page, headers={"Content-Security-Policy": _REPORT_POLICY})

    async def _enter(self, request: Request) -> Response:
        token = request.path_params["token"]
        if self._visitors.by_token(token) is None:
            raise Refused(401, "Who are you?", "This link is nobody's. Ask for a new one: `stratawatch invite NAME`.")
        answer = RedirectResponse(f"{_root(request)}/", 303)
        answer.set_cookie(
            COOKIE, token, max_age=COOKIE_LIFE, httponly=True, samesite="lax", secure=self._secure, path=_root(request)
        )
        return answer

    async def _leave(self, request: Request) -> Response:
        person = self._allowed(request, "viewer")
        self._require_own_form(person, await read_fields(request))
        answer = RedirectResponse(f"{_root(request)}/", 303)
        answer.delete_cookie(COOKIE, path=_root(request))
        return answer

    async def _style(self, _: Request) -> Response:
        return Response(_sheet(), media_type="text/css")

    def _allowed(self, request: Request, role: Role) -> Person:
        person = self._visitors.of(request)
        if person is None:
            raise Refused(401, "Who are you?", "Open the link that you were given, or sign in at the proxy in front.")
        if not person.may(role):
            raise Refused(403, "Not for you", f"This takes the role {role}; you are {person.role}.")
        return person

    def _require_own_form(self, person: Person, fields: dict[str, str]) -> None:
        if not compare_digest(fields.get("form_key", "").encode(), self._visitors.form_key(person).encode()):
            raise Refused(403, "This form is not from here", "Go back, load the page again, and send it once more.")

    def _page(self, request: Request, person: Person, template: str, facts: Callable[[], dict[str, Any]]) -> Response:
        mine = {"root": _root(request), "person": person, "form_key": self._visitors.form_key(person)}

        def filled_in() -> tuple[str, str]:
            found = facts()
            return str(found["title"]), _filled(template, **mine, **found)

        def made() -> str:
            # Whoever has the same role sees the same, but for the keys of forms.
            asked = tuple(request.query_params.get(name, "")[:_LONGEST_ASKED] for name in _ASKED)
            key = (request.url.path, asked, person.role, "" if template not in _FORMS else person.name)
            title, main = self._reader.page(key, filled_in)
            advance = self._reader.heading().advance
            shown = {"title": title, "main": Markup(main)}  # noqa: S704 - filled in with everything escaped
            return _filled("shell.html", **mine, **shown, advance=advance, late=_late(advance))

        return HTMLResponse(_tried(made))


def refusal_page(request: Request, refused: Refused) -> HTMLResponse:
    """The page of what was refused."""
    facts = {"title": refused.title, "text": refused.text, "root": _root(request)}
    return HTMLResponse(_filled("refused.html", **facts), refused.status)


_ASKED: Final = ("classifier", "side", "segment", "labels", "note")
"""What pages read of an address behind its question mark."""
_LONGEST_ASKED: Final = 300
_FORMS: Final = frozenset({"incident.html"})
"""Pages that have forms of their own, whose keys are each person's."""


def _note(word: str, view: IncidentView, person: Person) -> str:
    """What is said after a form was sent, where it is so."""
    by = view.incident.acknowledged_by
    if word == "acknowledged" and by == person.name:
        return "You look after it now. Nobody is reminded any more; channels hear of it at the next advance."
    if word == "acknowledged" and by:
        return f"{by} looks after it already: the first who does stays."
    if word == "silent" and view.silence is not None:
        return "Nobody is told of it until then. What is still open when the silence ends is told."
    return ""


def _tried(do: Callable[[], Any]) -> Any:
    """What it returns; an error of the store or of what was asked for, as a page says it."""
    try:
        return do()
    except NotFound as missing:
        raise Refused(404, "There is no such page", f"{missing.what[:1].upper()}{missing.what[1:]}.") from None
    except Unreachable:
        raise Refused(503, "The store is away", "It cannot be read at the moment. Try again soon.") from None
    except StratawatchError as trouble:
        raise Refused(409, "That could not be done", f"{trouble}.") from None


def _require(name: str, names: Iterable[str], what: str) -> None:
    if name and name not in names:
        raise NotFound(f"there is no {what} '{plain_text(name)[:_MOST_SHOWN]}' here")


def _reason(fields: dict[str, str]) -> str:
    reason = plain_text(fields.get("why", "")).strip()
    if len(reason) > LONGEST_REASON:
        raise Refused(413, "That is too long", f"A reason has at most {LONGEST_REASON} characters.")
    return reason


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", ""))


def _filled(template: str, **facts: Any) -> str:
    return _environment().get_template(f"dashboard/{template}").render(facts)


def _late(advance: LastRun | None) -> str:
    """How old the last advance is, where that is worth a warning."""
    if advance is None:
        return ""
    age = datetime.now(UTC) - advance.finished_at
    return age_text(age) if age > _WARNING else ""


@cache
def _sheet() -> bytes:
    """The report's style and the dashboard's own."""
    report = files("stratawatch.report").joinpath("page.css").read_bytes()
    return report + (_HERE / "static" / "dashboard.css").read_bytes()


@cache
def _environment() -> Environment:
    ours = environment()
    assert ours.loader is not None  # noqa: S101 - it has the report's templates
    loader = ChoiceLoader([FileSystemLoader(_HERE / "templates"), ours.loader])
    made = ours.overlay(loader=loader)
    made.globals = {**ours.globals, "sparkline": lambda trend: Markup(sparkline.sparkline_svg(trend))}  # noqa: S704
    made.filters = {**ours.filters, "plain": plain_text, "isoday": lambda at: f"{at:%Y-%m-%d}"}
    return made
