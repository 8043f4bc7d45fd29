"""The label page: one item at a time, with buttons that work without script and keys that work with it.

People come by a link with a token, which becomes a cookie. Nothing of scores, calls or strata is known here.
"""

import re
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stratawatch.adapters.queues.page_book import PageBook
from stratawatch.errors import Unreachable
from stratawatch.web.forms import Refused, read_fields
from stratawatch.web.payload_view import AllowedHosts, plain_text, shown_payload

COOKIE: Final = "stratawatch_annotator"
COOKIE_LIFE: Final = 30 * 24 * 3600
LONGEST_REASON: Final = 200
VALUES: Final = ("yes", "no", "skip")
_NUMBER: Final = re.compile("[0-9]{1,18}")
POLICY: Final = "Content-Security-Policy"
HEADERS: Final[Mapping[str, str]] = {
    POLICY: "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; img-src data:",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}
_HERE: Final = Path(__file__).parent
_PAGES: Final = Environment(
    loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)

Clock = Callable[[], datetime]


def label_page(
    book: PageBook,
    *,
    votes: int = 1,
    secure: bool = False,
    hosts: AllowedHosts | None = None,
    now: Clock | None = None,
) -> Starlette:
    """The page over a book. `secure` where it is reached by https; `votes` are the answers that each item gets.

    Addresses at `hosts` become links and images.
    """
    clock = now or (lambda: datetime.now(UTC))

    async def enter(request: Request) -> Response:
        token = request.path_params["token"]
        await run_in_threadpool(_known, book, token)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(COOKIE, token, max_age=COOKIE_LIFE, httponly=True, samesite="lax", secure=secure)
        return answer

    async def show(request: Request) -> Response:
        token, annotator = await _annotator(book, request)
        question = await run_in_threadpool(book.next_question, annotator, votes, clock())
        progress = await run_in_threadpool(book.progress, annotator, votes)
        facts = {
            "annotator": annotator,
            "progress": progress,
            "form_key": _form_key(token),
            "note": _note(request.query_params.get("note", "")),
            "plain_text": plain_text,
        }
        if question is None:
            return _page("done.html", 200, **facts)
        payload = shown_payload(question.payload, hosts)
        return _page("question.html", 200, question=question, payload=payload, **facts)

    async def answer(request: Request) -> Response:
        annotator, form = await _form(book, request)
        value, key, reason = form.get("value", ""), form.get("key", ""), form.get("reason", "")
        batch = form.get("batch", "")
        if value not in VALUES or not key or len(reason) > LONGEST_REASON or not _NUMBER.fullmatch(batch):
            raise Refused(400, "That was no answer", "An answer is yes, no or skip, to one item.")
        kept = await run_in_threadpool(
            lambda: book.answer(annotator, key, value, votes, clock(), uuid4().hex, reason.strip(), int(batch))
        )
        return RedirectResponse("/" if kept else "/?note=taken", 303)

    async def undo(request: Request) -> Response:
        annotator, _ = await _form(book, request)
        undone = await run_in_threadpool(book.undo, annotator, clock(), uuid4().hex)
        return RedirectResponse("/?note=undone" if undone else "/?note=nothing", 303)

    return Starlette(
        routes=[
            Route("/", show),
            Route("/answer", answer, methods=["POST"]),
            Route("/undo", undo, methods=["POST"]),
            Route("/enter/{token}", enter),
            Mount("/static", StaticFiles(directory=_HERE / "static")),
        ],
        exception_handlers={Refused: _refusal, Unreachable: _unreachable},
    )


def guarded(app: Starlette, images: Collection[str] = ()) -> ASGIApp:
    """The app, whose every answer carries HEADERS, or its own of a name; images come from the hosts that are named."""
    policy = " ".join([HEADERS[POLICY], *(f"https://{host}" for host in sorted(images))])
    fixed = [(name.lower().encode(), value.encode()) for name, value in {**HEADERS, POLICY: policy}.items()]

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = list(message.get("headers", []))
                said = {name.lower() for name, _ in own}
                message = {**message, "headers": [*own, *(pair for pair in fixed if pair[0] not in said)]}
            await send(message)

        await app(scope, receive, send_guarded)

    return serve


def _known(book: PageBook, token: str) -> str:
    """Whose token it is. Raises what is answered where it is nobody's, or was revoked."""
    found = book.who(token)
    if found is None:
        raise Refused(401, "Who are you?", "Open the link that you were given. If you did, ask for a new one.")
    if found[1]:
        raise Refused(403, "This link was closed", "What you answered counts. Ask for a new link to go on.")
    return found[0]


async def _annotator(book: PageBook, request: Request) -> tuple[str, str]:
    token = request.cookies.get(COOKIE, "")
    return token, await run_in_threadpool(_known, book, token)


async def _form(book: PageBook, request: Request) -> tuple[str, dict[str, str]]:
    """Who sent a form, and its fields. Raises what is answered where the form is not the page's own."""
    token, annotator = await _annotator(book, request)
    fields = await read_fields(request)
    if not compare_digest(fields.get("form_key", "").encode(), _form_key(token).encode()):
        raise Refused(403, "This form is not from here", "Go back to the page, and answer there.")
    return annotator, fields


def _form_key(token: str) -> str:
    """What only a page that this server showed to this annotator has in its forms."""
    return sha256(f"form\0{token}".encode()).hexdigest()


def _note(word: str) -> str:
    return {
        "taken": "That item needs no answer any more. Here is what comes next.",
        "undone": "Your last answer is taken back. Here is its item again.",
        "nothing": "There is no answer of yours to take back.",
    }.get(word, "")


def _page(template: str, status: int, **facts: Any) -> HTMLResponse:
    return HTMLResponse(_PAGES.get_template(template).render(facts), status)


async def _refusal(_: Request, refused: Exception) -> Response:
    assert isinstance(refused, Refused)  # noqa: S101 - registered for it alone
    return _page("refused.html", refused.status, title=refused.title, text=refused.text)


async def _unreachable(_: Request, __: Exception) -> Response:
    text = "Its file cannot be used at the moment. Try again soon."
    return _page("refused.html", 503, title="The page is away", text=text)
