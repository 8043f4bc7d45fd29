"""What a channel is trusted with stays with it: no address, login or key is in a log, an error or a file, nor are words."""

import logging
import traceback
from base64 import b64encode

import pytest

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import REGISTRY, ChannelSettings
from stratawatch.errors import StratawatchError
from tests.contracts.alerts.conftest import BACKENDS, OTHER_WAYS
from tests.support.alert_services import BOT, PASSWORD, ROUTING_KEY, MailBackend
from tests.support.label_services import SEND, written
from tests.support.notices import notice

WORDS = "c4nary-of-the-words"


def mail(backend):
    login = {
        "user": "watch",
        "password": "${env:CANARY}",
        "host": "127.0.0.1",
        "port": backend.port,
        "security": "none",
    }
    return {**login, "sender": "watch@example.com", "to": ["ops@example.org"]}, {"CANARY": PASSWORD}


def webhook(backend):
    settings = {
        "url": "${env:CANARY}",
        "headers": {"X-Token": "${env:CANARY_HEADER}"},
        "secret": "${env:CANARY_KEY}",
    }
    return settings, {"CANARY": backend.url, "CANARY_HEADER": "s3cr3t-header", "CANARY_KEY": written(SEND)}


TRUSTED = {
    "alertmanager": lambda backend: (
        {"url": backend.service.url, "user": "ann", "password": "${env:CANARY}"},
        {"CANARY": "s3cr3t-password"},
    ),
    "apprise": lambda backend: ({"url": "${env:CANARY}"}, {"CANARY": backend.url}),
    "console": lambda backend: ({}, {}),
    "mail": mail,
    "pagerduty": lambda backend: (
        {"routing_key": "${env:CANARY}", "url": f"{backend.service.url}/v2/enqueue"},
        {"CANARY": ROUTING_KEY},
    ),
    "prefect_event": lambda backend: (
        {"api_url": f"{backend.service.url}/api", "auth": "${env:CANARY}"},
        {"CANARY": "ann:s3cr3t-password"},
    ),
    "slack": lambda backend: (
        {"url": "${env:CANARY}"},
        {"CANARY": f"{backend.service.url}/services/T0/B0/s3cr3t-path"},
    ),
    "slack: bot": lambda backend: (
        {"token": "${env:CANARY}", "channel": "#alerts", "api": backend.service.url},
        {"CANARY": BOT},
    ),
    "webhook": webhook,
}
"""Settings of each kind with all the secrets that it takes, and these."""


def parts_of(secret: str) -> list[str]:
    """A secret, what is secret in an address, and what a header makes of it."""
    return [secret, *(part for part in secret.replace("?", "/").split("/") if "s3cr3t" in part), _basic(secret)]


def _basic(secret: str) -> str:
    return b64encode((secret if ":" in secret else f"ann:{secret}").encode()).decode()


def test_every_kind_is_tried_with_its_secrets():
    assert {kind.partition(":")[0] for kind in TRUSTED} == {*REGISTRY}


@pytest.fixture(params=sorted(TRUSTED))
def trusted(request, tmp_path, monkeypatch):
    """The other side of a channel, a channel as a configuration makes it, and its secrets."""
    kind = request.param
    place = tmp_path / "other side"
    place.mkdir()
    made = MailBackend(place, login=True) if kind == "mail" else (BACKENDS | OTHER_WAYS)[kind](place)
    settings, secrets = TRUSTED[kind](made)
    for name, secret in secrets.items():
        monkeypatch.setenv(name, secret)
    table = {"kind": kind.partition(":")[0], **settings}
    channel = ChannelSettings.model_validate(table).build(BuildContext(tmp_path))
    yield made, channel, secrets
    made.close()


@pytest.mark.filterwarnings("ignore:Requiring AUTH")
@pytest.mark.parametrize("trouble", ["none", "refused", "broken", "away"])
def test_nothing_of_them_is_in_a_log_an_error_a_receipt_or_a_file(trusted, trouble, tmp_path, caplog):
    backend, channel, secrets = trusted
    caplog.set_level(logging.DEBUG)
    if trouble == "away":
        backend.close()
        backend.close = lambda: None
    elif trouble in ("broken", "refused"):
        answer = (500, "broken") if trouble == "broken" else (400, "refused")
        vars(getattr(backend, "service", backend)).update(broken=answer, status=answer[0])
    page, said = notice(subject=WORDS, body=f"{WORDS}\nmore"), ""
    try:
        said = repr(channel.send(page))
    except StratawatchError:
        said = traceback.format_exc()
    kept = "".join(path.read_text() for path in (tmp_path / ".stratawatch").glob("*"))
    # What runs in this process on the other side may log what it gets.
    logs = "\n".join(record.getMessage() for record in caplog.records if record.name != "mail.log")
    shown = said + logs + kept + repr(channel)
    assert [part for secret in secrets.values() for part in parts_of(secret) if part in shown] == []
    assert WORDS not in logs + kept
