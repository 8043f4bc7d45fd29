"""How addresses are read: numbers of as many digits as the store has, and each address to its last character."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import BaseRoute, Mount, Route


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


def exact_app(routes: Sequence[BaseRoute], handlers: Mapping[Any, Any] | None = None) -> Starlette:
    """An app whose addresses are those of its routes, to the last character, and that answers all others itself.

    It sends nobody to the address with or without its last slash: that would name the host of the request. A line
    break is a character as any other; Starlette takes an address without a last one for that with it, and does not
    hand one with another on to the app that is mounted there.
    """
    for route in routes:
        if isinstance(route, Route | Mount):
            route.path_regex = re.compile(route.path_regex.pattern.removesuffix("$") + r"\Z", re.DOTALL)
    app = Starlette(routes=list(routes), exception_handlers=dict(handlers or {}))
    app.router.redirect_slashes = False
    return app
