"""Who asks: by a token in a cookie or a header, or by the name that a trusted proxy gives."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest, new
from ipaddress import ip_address
from secrets import token_bytes, token_urlsafe
from typing import Final

from starlette.requests import Request

from stratawatch.settings.roles import Role, may

COOKIE: Final = "stratawatch_dashboard"
LONGEST_NAME: Final = 100


@dataclass(frozen=True)
class Person:
    """Somebody with a role."""

    name: str
    role: Role

    def may(self, needed: Role) -> bool:
        """Whether the role includes another one."""
        return may(self.role, needed)


@dataclass(frozen=True)
class TrustedProxy:
    """A proxy that says in a header who asks. `others` is the role of people whom the configuration does not name."""

    header: str
    addresses: frozenset[str]
    others: Role | None = None


class Visitors:
    """The people of the configuration, and how they are known again."""

    def __init__(
        self,
        tokens: Mapping[str, Person],
        named: Iterable[Person] = (),
        proxy: TrustedProxy | None = None,
    ) -> None:
        """`tokens` are people by the hash of their token, `named` those that the proxy may name."""
        self._tokens = dict(tokens)
        self._named = {one.name: one for one in named}
        self._proxy = proxy
        self._key = token_bytes(32)

    def of(self, request: Request) -> Person | None:
        """Who asks; None where nobody can tell."""
        if self._is_named_by_proxy(request):
            return self._by_proxy(request)
        sent = request.headers.get("authorization", "")
        if sent.startswith("Bearer "):
            return self.by_token(sent.removeprefix("Bearer "))
        return self.by_token(request.cookies.get(COOKIE, ""))

    def by_token(self, token: str) -> Person | None:
        """Whose token it is. All hashes are compared, so that time tells nothing."""
        hashed = token_hash(token)
        found = [person for known, person in self._tokens.items() if compare_digest(known, hashed)]
        return found[0] if found else None

    def form_key(self, person: Person) -> str:
        """What only forms have that this process showed to this person."""
        return new(self._key, person.name.encode(), sha256).hexdigest()

    def _is_named_by_proxy(self, request: Request) -> bool:
        """Whether the proxy says who asks: then nothing else does, such as the cookie of who sat there before."""
        proxy = self._proxy
        if proxy is None or request.client is None or plain_address(request.client.host) not in proxy.addresses:
            return False
        return proxy.header in request.headers

    def _by_proxy(self, request: Request) -> Person | None:
        proxy = self._proxy
        if proxy is None:
            return None
        # Of two headers one may be the visitor's own, which the proxy let through.
        names = request.headers.getlist(proxy.header)
        name = _as_utf8(names[0]).strip() if len(names) == 1 else ""
        if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
            return None
        if name in self._named:
            return self._named[name]
        return Person(name, proxy.others) if proxy.others else None


def plain_address(text: str) -> str:
    """A machine's address in one spelling; what is none stays as it is.

    >>> plain_address("2001:DB8::1"), plain_address("::ffff:10.0.0.5"), plain_address("testclient")
    ('2001:db8::1', '10.0.0.5', 'testclient')
    """
    try:
        found = ip_address(text)
    except ValueError:
        return text
    return str(getattr(found, "ipv4_mapped", None) or found)


def _as_utf8(header: str) -> str:
    """A header's value, which proxies write in UTF-8 and servers read in Latin-1."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header


def new_token() -> str:
    """A token that nobody guesses: 256 random bits."""
    return token_urlsafe(32)


def token_hash(token: str) -> str:
    """What is kept of a token. It is random and long, so that no salt is needed."""
    return sha256(token.encode()).hexdigest()
