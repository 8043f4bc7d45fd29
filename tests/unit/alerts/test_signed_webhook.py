"""Alerts by HTTP that are signed, as their receiver checks them."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.webhook_signatures import ID, SIGNATURE, TIMESTAMP, is_fresh, is_signed
from stratawatch.errors import ConfigError
from tests.contracts.alerts.conftest import WebhookBackend
from tests.support.label_services import OTHER_SEND, SEND, written
from tests.support.notices import notice


@pytest.fixture
def receiver():
    backend = WebhookBackend()
    yield backend
    backend.close()


@pytest.fixture
def build(receiver, tmp_path, monkeypatch):
    """A channel as a configuration says, whose keys come from the environment."""
    monkeypatch.setenv("HOOK_URL", receiver.url)
    monkeypatch.setenv("HOOK_KEY", written(SEND))
    monkeypatch.setenv("OTHER_KEY", written(OTHER_SEND))
    monkeypatch.setenv("NO_KEY", "s3cr3t")

    def build(**settings):
        table = {"kind": "webhook", "url": "${env:HOOK_URL}", **settings}
        return ChannelSettings.model_validate(table).build(BuildContext(tmp_path))

    return build


def is_from(receiver, *keys: bytes) -> bool:
    """Whether the newest post was signed by one of these keys, now."""
    (headers, _), body = receiver.requests[-1], receiver.bodies[-1]
    given = {name.lower(): value for name, value in headers.items()}
    assert given[ID] == headers["Idempotency-Key"]
    assert is_fresh(given[TIMESTAMP], datetime.now(UTC))
    return is_signed(keys, given[ID], given[TIMESTAMP], given[SIGNATURE], body)


def test_a_post_is_signed_by_the_key(receiver, build):
    build(secret="${env:HOOK_KEY}").send(notice(subject="Zürich \U0001f642"))
    assert is_from(receiver, SEND)
    assert not is_from(receiver, OTHER_SEND)


def test_while_keys_change_it_is_signed_by_both(receiver, build):
    build(secret="${env:OTHER_KEY}", second_secret="${env:HOOK_KEY}").send(notice())
    assert is_from(receiver, SEND)
    assert is_from(receiver, OTHER_SEND)


def test_without_a_key_it_is_not_signed(receiver, build):
    build().send(notice())
    ((headers, _),) = receiver.requests
    assert SIGNATURE not in {name.lower() for name in headers}


def test_each_attempt_has_its_own_time_and_the_same_id(receiver, build, monkeypatch):
    receiver.status = 503
    channel = build(secret="${env:HOOK_KEY}")
    with pytest.raises(Exception, match="HTTP 503"):
        channel.send(notice())
    receiver.status = 202
    channel.send(notice())
    assert channel.send(notice()).duplicate
    assert is_from(receiver, SEND)


def test_what_is_no_key_is_named_and_not_shown(build):
    with pytest.raises(ConfigError, match=r"`secret` of the alert channel 'webhook' is no key") as refused:
        build(secret="${env:NO_KEY}")
    assert "s3cr3t" not in str(refused.value)


def test_a_second_key_comes_beside_a_first_one(build):
    with pytest.raises(ValidationError, match="`second_secret` is for a change of keys"):
        build(second_secret="${env:HOOK_KEY}")
