"""Signatures of Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over id, time and body."""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final

from pydantic import SecretStr

from stratawatch.errors import ConfigError

ID: Final = "webhook-id"
TIMESTAMP: Final = "webhook-timestamp"
SIGNATURE: Final = "webhook-signature"
TOLERANCE: Final = timedelta(minutes=5)
"""How far a message's time may be from the clock of its receiver."""
_PREFIX: Final = "whsec_"


def signing_key(secret: SecretStr, what: str, key_at: str = "") -> bytes:
    """The bytes of a key, which is written as base64 behind whsec_. `what` and `key_at` name it in errors."""
    text = secret.get_secret_value().removeprefix(_PREFIX)
    try:
        key = b64decode(text + "=" * (-len(text) % 4), validate=True)  # some write it without the padding
    except ValueError:
        key = b""
    if not 24 <= len(key) <= 64:
        raise ConfigError(
            f"{what} is no key of Standard Webhooks",
            expected=f"{_PREFIX} and 24 to 64 random bytes in base64",
            hint="the value is a secret and is not shown here",
            key=key_at,
        )
    return key


def signed_headers(keys: Sequence[bytes], message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The headers of a message that is sent at that time, with a signature by each key."""
    seconds = str(int(at.timestamp()))
    signatures = " ".join(_signature(key, message_id, seconds, body) for key in keys)
    return {ID: message_id, TIMESTAMP: seconds, SIGNATURE: signatures}


def is_signed(keys: Sequence[bytes], message_id: str, seconds: str, signatures: str, body: bytes) -> bool:
    """Whether one of the signatures is by one of the keys. All are compared, in a time that tells nothing."""
    expected = [_signature(key, message_id, seconds, body).encode() for key in keys]
    given = [one.encode(errors="replace") for one in signatures.split(" ")]
    return any([hmac.compare_digest(one, mine) for one in given for mine in expected])  # noqa: C419 - not the first alone


def is_fresh(seconds: str, now: datetime) -> bool:
    """Whether a message's time is within the tolerance."""
    if not (seconds.isascii() and seconds.isdigit() and len(seconds) <= 11):
        return False
    return abs(now - datetime.fromtimestamp(int(seconds), UTC)) <= TOLERANCE


def _signature(key: bytes, message_id: str, seconds: str, body: bytes) -> str:
    signed = hmac.new(key, f"{message_id}.{seconds}.".encode() + body, sha256).digest()
    return f"v1,{b64encode(signed).decode()}"
