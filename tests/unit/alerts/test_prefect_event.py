"""Events of Prefect, on a server that refuses what Prefect's schema refuses."""

from base64 import b64encode

import pytest
from pydantic import ValidationError

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.alerts.prefect_event import PrefectEventChannel
from stratawatch.errors import ConfigError, StratawatchError, Unreachable
from tests.support.event_services import PrefectEventBackend
from tests.support.notices import notice


@pytest.fixture
def prefect(tmp_path):
    backend = PrefectEventBackend(tmp_path)
    yield backend
    backend.close()


def test_beginning_and_end_are_events_of_one_resource(prefect):
    channel = prefect.channel()
    channel.send(notice("a", facts={"panel": "spam", "classifier": "lr", "metric": "precision", "segment": None}))
    channel.send(notice("b", severity="resolved"))
    begun, ended = prefect.events.values()
    assert (begun["event"], ended["event"]) == ("stratawatch.page", "stratawatch.resolved")
    assert begun["resource"]["prefect.resource.id"] == ended["resource"]["prefect.resource.id"]
    assert begun["resource"]["stratawatch.classifier"] == "lr"
    assert "stratawatch.segment" not in begun["resource"]
    assert begun["occurred"] == "2026-02-23T03:00:00+00:00"
    assert begun["payload"]["subject"] == "BREACH: precision of lr (spam)"


def test_a_report_is_no_incident(prefect):
    prefect.channel().send(notice(severity="update", facts={"panel": "spam", "update": "report"}))
    (event,) = prefect.events.values()
    assert event["event"] == "stratawatch.report"
    assert event["resource"]["prefect.resource.id"].startswith("stratawatch.report.")


def test_one_that_comes_twice_has_one_id(prefect, tmp_path):
    """A process that died before it kept what it sent."""
    prefect.channel().send(notice())
    (tmp_path / ".stratawatch" / "sent-prefect").unlink()
    prefect.channel().send(notice())
    assert len(prefect.events) == 1


def test_a_refusal_says_why(prefect):
    prefect.service.broken = 422, {"exception_message": "Invalid request received."}
    with pytest.raises(StratawatchError, match=r"HTTP 422.*Invalid request received.*PREFECT_API_URL"):
        prefect.channel().send(notice())


def test_a_server_that_is_away_is_asked_again(prefect):
    prefect.service.broken = 503, "later"
    with pytest.raises(Unreachable, match="HTTP 503"):
        prefect.channel().send(notice())
    prefect.service.broken = None
    assert not prefect.channel().send(notice()).duplicate


def test_another_host_is_reached_encrypted_only():
    with pytest.raises(ConfigError, match="unencrypted"):
        PrefectEventChannel("http://prefect.example.org/api")


class TestLogin:
    @pytest.fixture(autouse=True)
    def _secrets(self, monkeypatch):
        monkeypatch.setenv("PREFECT_SECRET", "ann:hunter2")

    def built(self, tmp_path, **settings):
        table = {"kind": "prefect_event", **settings}
        return ChannelSettings.model_validate(table).build(BuildContext(tmp_path))

    @pytest.mark.parametrize(
        ("login", "header"),
        [
            ({"api_key": "${env:PREFECT_SECRET}"}, "Bearer ann:hunter2"),
            ({"auth": "${env:PREFECT_SECRET}"}, f"Basic {b64encode(b'ann:hunter2').decode()}"),
            ({}, None),
        ],
    )
    def test_goes_into_the_header(self, tmp_path, prefect, login, header):
        seen = []
        judge = prefect.service.judge
        prefect.service.judge = lambda path, headers, content: (seen.append(headers), judge(path, headers, content))[1]
        self.built(tmp_path, api_url=f"{prefect.service.url}/api", **login).send(notice())
        assert seen[0].get("Authorization") == header

    def test_is_one_or_none(self, tmp_path):
        with pytest.raises(ValidationError, match="needs either `api_key` of Prefect Cloud or `auth` of a server"):
            self.built(tmp_path, api_key="${env:PREFECT_SECRET}", auth="${env:PREFECT_SECRET}")
