"""Forms that people send, and how one is refused."""

from typing import Final
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request

LARGEST_FORM: Final = 8192
"""Bytes of what a browser sends."""


class Refused(Exception):  # noqa: N818 - what is answered, not what went wrong
    """What a page answers instead of what was asked for."""

    def __init__(self, status: int, title: str, text: str) -> None:
        super().__init__(text)
        self.status, self.title, self.text = status, title, text


async def read_fields(request: Request) -> dict[str, str]:
    """The fields of a form, the first value of each. Raises Refused."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > LARGEST_FORM:
                raise Refused(413, "That is too long", "An answer is a few words.")
        return {name: values[0] for name, values in parse_qs(body.decode(), max_num_fields=10).items()}
    except (ValueError, ClientDisconnect):
        raise Refused(400, "That was no answer", "Go back, and press a button of the page.") from None
