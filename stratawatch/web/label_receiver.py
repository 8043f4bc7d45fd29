"""Takes labels by signed POST. What is not signed is not parsed, and who gets 2xx can forget what was sent."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stratawatch.adapters.queues.label_line import LONGEST_WORD
from stratawatch.adapters.queues.label_message import LARGEST, labels_in
from stratawatch.adapters.queues.label_values import InvalidError
from stratawatch.adapters.queues.webhook import NAME
from stratawatch.adapters.queues.webhook_book import WebhookBook
from stratawatch.adapters.webhook_signatures import ID, SIGNATURE, TIMESTAMP, is_fresh, is_signed
from stratawatch.errors import Unreachable

PATH: Final = f"/labels/{NAME}"
PATIENCE: Final = timedelta(seconds=30)
"""For all of a delivery to arrive."""


class _Refused(Exception):  # noqa: N818 - what is answered, not what went wrong
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def label_receiver(
    book: WebhookBook,
    keys: Sequence[bytes],
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    patience: timedelta = PATIENCE,
) -> Starlette:
    """The receiver over a book, for a service that signs with one of these keys."""

    async def take(request: Request) -> Response:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise _Refused(415, "send application/json")
        if "content-encoding" in request.headers:
            raise _Refused(415, "send it as it is, without content-encoding")
        delivery, seconds, signatures = (_header(request, name) for name in (ID, TIMESTAMP, SIGNATURE))
        body = await _body(request, patience)
        if not is_signed(keys, delivery, seconds, signatures, body):
            raise _Refused(401, "no signature is by a key that is known here")
        if not is_fresh(seconds, now()):
            raise _Refused(403, "its time is more than five minutes from ours; sign it anew at each attempt")
        try:
            labels = labels_in(body, delivery)
        except InvalidError as reason:
            raise _Refused(400, str(reason)) from None
        if not await run_in_threadpool(book.receive, delivery, body, labels, now()):
            raise _Refused(409, f"this {ID} came before with another body")
        return JSONResponse({"labels": len(labels)})

    return Starlette(
        routes=[Route(PATH, take, methods=["POST"])],
        exception_handlers={_Refused: _refusal, Unreachable: _unreachable},
    )


def _header(request: Request, name: str) -> str:
    found = request.headers.getlist(name)
    if len(found) != 1 or not found[0]:
        raise _Refused(401, f"sign it as Standard Webhooks says: {name} must be there once")
    if name == ID and len(found[0]) > LONGEST_WORD:
        raise _Refused(401, f"{name} is longer than {LONGEST_WORD} characters")
    return found[0]


async def _body(request: Request, patience: timedelta) -> bytes:
    """Read the whole body. Raises what is answered where it is too large, too slow, or ends too early."""
    parts: list[bytes] = []
    left = LARGEST
    try:
        async with asyncio.timeout(patience.total_seconds()):
            async for part in request.stream():
                left -= len(part)
                if left < 0:
                    raise _Refused(413, f"send at most {LARGEST} bytes at once")
                parts.append(part)
    except TimeoutError:
        raise _Refused(408, "it did not arrive in time") from None
    except ClientDisconnect:
        raise _Refused(400, "it ended too early") from None
    return b"".join(parts)


async def _refusal(_: Request, refused: Exception) -> Response:
    assert isinstance(refused, _Refused)  # noqa: S101 - registered for it alone
    return JSONResponse({"reason": refused.reason}, refused.status)


async def _unreachable(_: Request, __: Exception) -> Response:
    return JSONResponse({"reason": "labels cannot be kept at the moment; send them again"}, 503)
