"""Signatures of Standard Webhooks: the published example, rotation, and what is no key or no time."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from stratawatch.adapters.webhook_signatures import TOLERANCE, is_fresh, is_signed, signed_headers, signing_key
from stratawatch.errors import ConfigError

EXAMPLE = signing_key(SecretStr("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "the key")
OTHER = bytes(32)
ID, SECONDS, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
"""As the tests of the reference libraries have it."""


def test_the_published_example():
    headers = signed_headers([EXAMPLE], ID, datetime.fromtimestamp(int(SECONDS), UTC), BODY)
    assert headers == {"webhook-id": ID, "webhook-timestamp": SECONDS, "webhook-signature": SIGNATURE}
    assert is_signed([EXAMPLE], ID, SECONDS, SIGNATURE, BODY)


def test_a_key_may_lack_its_prefix_and_its_padding():
    assert signing_key(SecretStr("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "the key") == EXAMPLE
    assert signing_key(SecretStr("A" * 43), "the key") == signing_key(SecretStr("A" * 43 + "="), "the key") == OTHER


@pytest.mark.parametrize(
    ("message_id", "seconds", "signatures", "body"),
    [
        ("msg_another", SECONDS, SIGNATURE, BODY),
        (ID, "1614265331", SIGNATURE, BODY),
        (ID, SECONDS, SIGNATURE, BODY + b" "),
        (ID, SECONDS, SIGNATURE.replace("E=", "A="), BODY),
        (ID, SECONDS, SIGNATURE.removeprefix("v1,"), BODY),
        (ID, SECONDS, SIGNATURE.replace("v1,", "v2,"), BODY),
        (ID, SECONDS, SIGNATURE.replace("v1,", "v1a,"), BODY),
        (ID, SECONDS, "v1,", BODY),
        (ID, SECONDS, "v1,\u00e9", BODY),
        (ID, SECONDS, "", BODY),
    ],
)
def test_anything_else_is_not_signed(message_id, seconds, signatures, body):
    assert not is_signed([EXAMPLE], message_id, seconds, signatures, body)


def test_one_good_signature_among_others_is_enough():
    others = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="
    assert is_signed([EXAMPLE], ID, SECONDS, f"{others} v2,x {SIGNATURE} {others}", BODY)


def test_two_keys_sign_and_each_alone_is_accepted():
    at = datetime(2026, 1, 5, tzinfo=UTC)
    both = signed_headers([EXAMPLE, OTHER], ID, at, BODY)
    for key in (EXAMPLE, OTHER):
        assert is_signed([key], *both.values(), BODY)
        assert is_signed([EXAMPLE, OTHER], *signed_headers([key], ID, at, BODY).values(), BODY)
    assert not is_signed([OTHER], *signed_headers([EXAMPLE], ID, at, BODY).values(), BODY)


def test_a_time_counts_within_five_minutes_on_either_side():
    now = datetime(2026, 1, 5, tzinfo=UTC)
    for distance in (TOLERANCE, -TOLERANCE):
        assert is_fresh(str(int((now + distance).timestamp())), now)
        assert not is_fresh(str(int((now + distance * 1.01).timestamp())), now)
    assert timedelta(minutes=5) == TOLERANCE


@pytest.mark.parametrize("seconds", ["", "now", "-1", "1e9", "\u0661\u0662", "9" * 12, "9" * 10_000, " 1"])
def test_what_is_no_time_is_not_fresh(seconds):
    assert not is_fresh(seconds, datetime(2026, 1, 5, tzinfo=UTC))


@pytest.mark.parametrize(
    "text", ["whsec_", "whsec_c2hvcnQ=", "whsec_" + "A" * 92, "hunter2 hunter2!", "whsec_hunter2\u00e9"]
)
def test_what_is_no_key_is_refused_and_not_shown(text):
    with pytest.raises(ConfigError, match="the key is no key of Standard Webhooks") as refused:
        signing_key(SecretStr(text), "the key")
    assert "hunter2" not in str(refused.value)
