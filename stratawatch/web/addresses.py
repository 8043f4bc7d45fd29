"""How addresses are read: numbers of as many digits as the store has, and no answer for those with another slash."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import BaseRoute


class NumberConvertor(Convertor[int]):
    """Up to nine digits. Others are no address of ours: Python itself refuses to read thousands of them."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Its digits."""
        return str(value)


register_url_convertor("number", NumberConvertor())
NUMBER: Final = "{number:number}"
"""Such a number as a part of an address."""


def without_slashes(routes: Sequence[BaseRoute], handlers: Mapping[Any, Any] | None = None) -> Starlette:
    """An app that sends nobody to the address with or without its last slash: it would name the host of the request."""
    app = Starlette(routes=list(routes), exception_handlers=dict(handlers or {}))
    app.router.redirect_slashes = False
    return app
