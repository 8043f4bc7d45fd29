"""Rules about who may look at the dashboard."""

from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

from stratawatch.config.problems import Problem
from stratawatch.config.settings import Settings


def people_are_known(settings: Settings, _folder: Path) -> Iterator[Problem]:
    """Everybody is named once, and can be told from others: by a token of his own, or by the proxy."""
    names, hashes = set[str](), set[str]()
    for number, one in enumerate(settings.web.people):
        place = ("web", "people", number)
        if one.name in names:
            yield Problem((*place, "name"), f"'{one.name}' is named twice", expected="one [[web.people]] for each")
        if one.token_hash in hashes:
            yield Problem((*place, "token_hash"), f"'{one.name}' has the token of somebody else")
        if not one.name.isprintable() or one.name != one.name.strip():
            yield Problem((*place, "name"), "that is no name for a person", expected="characters that can be shown")
        if one.token_hash is None and settings.web.proxy_header is None:
            hint = f"`stratawatch invite {one.name}` prints a token_hash; or name the proxy's header in `proxy_header`"
            yield Problem(place, f"nobody can tell who '{one.name}' is", hint=hint)
        names.add(one.name)
        hashes |= {one.token_hash} if one.token_hash else set()


def proxy_is_there(settings: Settings, _folder: Path) -> Iterator[Problem]:
    """A role that a proxy gives needs the proxy; its addresses are those of machines."""
    web = settings.web
    if web.proxy_header is None and web.proxy_role is not None:
        yield Problem(("web", "proxy_role"), "`proxy_role` is about people whom a proxy names", hint="add proxy_header")
    if web.proxy_header is not None and not (web.people or web.proxy_role):
        hint = "name people in [[web.people]], or give a role to everybody whom it lets in with proxy_role"
        yield Problem(("web", "proxy_header"), "nobody whom the proxy names may look", hint=hint)
    if web.proxy_header is not None and not web.proxy_addresses:
        yield Problem(("web", "proxy_addresses"), "a proxy that asks from nowhere is never believed")
    for number, address in enumerate(web.proxy_addresses):
        try:
            ip_address(address)
        except ValueError:
            expected = 'an address such as "10.0.0.5"'
            yield Problem(("web", "proxy_addresses", number), "that is no address of a machine", expected=expected)
