"""What an item's payload looks like on the page: text, unless its address or its data may be a link or an image."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

LONGEST: Final = 100_000
"""Characters of a value that are shown."""
LARGEST_IMAGE: Final = 1_000_000
"""Characters of an image that comes as data."""
CUT: Final = " ... (cut off here)"
EMPTY: Final = "empty"
# Marks that turn the direction of text round, by which a value could look like another one.
_TURNS: Final = {ord(sign) for sign in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"}
# Marks that nobody sees. The joiners U+200C and U+200D are not among them: scripts and emoji are written with them.
_UNSEEN: Final = {*map(ord, "\u00ad\u180e\u200b\u2028\u2029\ufeff"), *range(0x2060, 0x2065), *range(0xE0000, 0xE0080)}
_KEPT: Final = {ord("\n"), ord("\t")}
_HIDDEN: Final = dict.fromkeys(
    ({*range(0x20), *range(0x7F, 0xA0), *_TURNS, *_UNSEEN} - _KEPT), "\N{REPLACEMENT CHARACTER}"
)


# Images that hold pixels alone: an SVG can name other addresses.
_IMAGE_DATA: Final = re.compile("data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}")


@dataclass(frozen=True)
class AllowedHosts:
    """Whose addresses become links, and whose become images, which are then loaded from there."""

    links: frozenset[str] = frozenset()
    images: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ShownValue:
    """One field of a payload: its name, its text, and the address that it is a link to or an image of, if it is one.

    It is empty where nothing of it could be seen: the predictions have no value there, or blanks.
    """

    name: str
    text: str
    is_empty: bool = False
    link: str = ""
    image: str = ""


def shown_payload(payload: Mapping[str, Any], hosts: AllowedHosts | None = None) -> list[ShownValue]:
    """The fields as people see them.

    >>> hosts = AllowedHosts(links=frozenset({"example.org"}))
    >>> fields = {"text": "hello", "page": "https://example.org/1", "other": "https://example.com/1"}
    >>> [(one.name, one.link) for one in shown_payload(fields, hosts)]
    [('text', ''), ('page', 'https://example.org/1'), ('other', '')]
    """
    return [_shown(name, value, hosts or AllowedHosts()) for name, value in payload.items()]


def _shown(name: str, value: Any, hosts: AllowedHosts) -> ShownValue:
    if value is None or (isinstance(value, str) and not value.strip()):
        return ShownValue(plain_text(name), EMPTY, is_empty=True)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    if len(text) <= LARGEST_IMAGE and _IMAGE_DATA.fullmatch(text):
        return ShownValue(plain_text(name), "", image=text)
    shown = plain_text(text[:LONGEST]) + (CUT if len(text) > LONGEST else "")
    scheme, host = _address(text) if isinstance(value, str) else ("", "")
    return ShownValue(
        plain_text(name),
        shown,
        link=text if host in hosts.links else "",
        image=text if scheme == "https" and host in hosts.images else "",
    )


def plain_text(text: str) -> str:
    """Text without signs that are not shown, or that turn the direction of what follows."""
    return text.replace("\r\n", "\n").translate(_HIDDEN)


def _address(text: str) -> tuple[str, str]:
    """Scheme and host of a text that is nothing but an address on the web; nothing of any other."""
    if len(text) > 2000 or plain_text(text) != text or any(sign.isspace() for sign in text):
        return "", ""
    try:
        parts = urlsplit(text)
        is_plain = parts.scheme in {"http", "https"} and "@" not in parts.netloc and parts.port is None
    except ValueError:
        return "", ""
    return (parts.scheme, parts.hostname or "") if is_plain else ("", "")
