"""Secrets that this process looked up: texts that others wrote, such as a library's errors, are freed of them."""

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar
from urllib.parse import quote, quote_plus

P = ParamSpec("P")
R = TypeVar("R")

HIDDEN: Final = "***"
SHORTEST: Final = 6
"""Characters of a secret that is looked for: a shorter one stands in every text, and guards nothing."""

_spellings: set[str] = set()


def remember_secret(secret: str) -> None:
    """Hide a secret from now on, also as it is spelled in addresses and in Python's own notation."""
    if len(secret.strip()) >= SHORTEST:
        _spellings.update({secret, quote(secret, safe=""), quote_plus(secret), repr(secret)[1:-1]})


def without_secrets(text: str) -> str:
    """The text with three stars for each secret in it."""
    for secret in sorted(_spellings, key=len, reverse=True):  # one may hold another, as an address its password
        text = text.replace(secret, HIDDEN)
    return text


def hide_secrets(trouble: BaseException) -> None:
    """Take secrets out of an error's words, and of those of the errors behind it, before anybody logs them."""
    waiting, cleaned = [trouble], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in cleaned:
            continue
        cleaned.add(id(one))
        one.args = tuple(without_secrets(part) if isinstance(part, str) else part for part in one.args)
        for name, value in list(vars(one).items()):
            if isinstance(value, str) and without_secrets(value) != value:
                setattr(one, name, without_secrets(value))
        behind = (one.__cause__, one.__context__, *vars(one).values())
        waiting += [other for other in behind if isinstance(other, BaseException)]


def hiding_secrets(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with errors that show no secret: for what an orchestrator runs, which logs and keeps them."""

    @wraps(function)
    def hiding(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception as trouble:
            hide_secrets(trouble)
            raise

    return hiding
