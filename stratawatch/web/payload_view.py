"""What an item's payload looks like on the page: texts, numbers and documents as text, addresses as links."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

LONGEST: Final = 100_000
"""Characters of a value that are shown."""
CUT: Final = " ... (cut off here)"
# Marks that turn the direction of text round, by which a value could look like another one.
_TURNS: Final = {ord(sign) for sign in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"}
_KEPT: Final = {ord("\n"), ord("\t")}
_HIDDEN: Final = dict.fromkeys(({*range(0x20), *range(0x7F, 0xA0), *_TURNS} - _KEPT), "\N{REPLACEMENT CHARACTER}")


@dataclass(frozen=True)
class ShownValue:
    """One field of a payload: its name, its text, and the address that it is a link to, if it is one."""

    name: str
    text: str
    link: str = ""


def shown_payload(payload: Mapping[str, Any]) -> list[ShownValue]:
    """The fields as people see them.

    >>> [(one.name, one.text, one.link) for one in shown_payload({"text": "hello", "page": "https://example.org/1"})]
    [('text', 'hello', ''), ('page', 'https://example.org/1', 'https://example.org/1')]
    """
    return [_shown(name, value) for name, value in payload.items()]


def _shown(name: str, value: Any) -> ShownValue:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    shown = plain_text(text[:LONGEST]) + (CUT if len(text) > LONGEST else "")
    return ShownValue(plain_text(name), shown, text if isinstance(value, str) and _is_link(text) else "")


def plain_text(text: str) -> str:
    """Text without signs that are not shown, or that turn the direction of what follows."""
    return text.replace("\r\n", "\n").translate(_HIDDEN)


def _is_link(text: str) -> bool:
    """Whether a text is nothing but an address on the web."""
    if len(text) > 2000 or plain_text(text) != text or any(sign.isspace() for sign in text):
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc
