"""Alertmanager's alerts, on a server that keeps them as it does: by their labels, until they end."""

from base64 import b64encode
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr, ValidationError

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.alerts.alertmanager import AT_ONCE, AlertmanagerChannel
from stratawatch.engine.model.alarm_records import StandingAlert
from stratawatch.engine.ports import LevelChannel
from stratawatch.errors import ConfigError, StratawatchError, Unreachable
from tests.support.alertmanager_api import AlertmanagerBackend
from tests.support.notices import notice

BEGINNING = datetime(2026, 2, 23, 3, 0, tzinfo=UTC)
QUARTER = timedelta(minutes=15)


@pytest.fixture
def alertmanager(tmp_path):
    backend = AlertmanagerBackend(tmp_path)
    yield backend
    backend.close()


def standing(key="n1", **changes) -> StandingAlert:
    return StandingAlert(notice(key, **changes), BEGINNING)


def span(alert) -> timedelta:
    """How long it stands from now."""
    return alert["end"] - datetime.now(UTC)


class TestAnAlert:
    def test_has_the_facts_as_labels_and_the_words_as_annotations(self, alertmanager):
        facts = {"panel": "spam", "classifier": "lr", "metric": "recall", "segment": "country=DE", "cycle": 7}
        alertmanager.channel().send(notice(facts=facts))
        (alert,) = alertmanager.said
        key = alert["labels"].pop("key")
        assert len(key) == 64
        assert alert["labels"] == {
            "alertname": "Stratawatch",
            "panel": "spam",
            "classifier": "lr",
            "metric": "recall",
            "segment": "country=DE",
        }
        assert alert["annotations"]["summary"] == "BREACH: precision of lr (spam)"
        assert "proven below the floor" in alert["annotations"]["description"]
        assert alert["annotations"]["severity"] == "page"

    def test_is_one_from_its_beginning_to_its_end(self, alertmanager):
        channel = alertmanager.channel()
        channel.send(notice("a"))
        channel.assert_open([standing("a")], QUARTER)
        channel.send(notice("b", severity="resolved", subject="RESOLVED", body="inside"))
        assert len(alertmanager.alerts) == 1
        assert alertmanager.firing() == {}

    def test_stands_a_quarter_of_an_hour_as_a_page_and_an_hour_as_a_warning(self, alertmanager):
        channel = alertmanager.channel()
        channel.send(notice("a"))
        channel.send(notice("b", severity="warning", dedup_key="other"))
        shortest, longest = sorted(map(span, alertmanager.firing().values()))
        assert timedelta(minutes=14) < shortest <= QUARTER
        assert timedelta(minutes=59) < longest <= timedelta(hours=1)

    def test_has_no_empty_label_and_none_that_is_long(self, alertmanager):
        facts = {"panel": "p" * 3000, "segment": None, "classifier": ""}
        alertmanager.channel().send(notice(facts=facts, body="b\n" * 100_000, subject="s" * 3000))
        (alert,) = alertmanager.said
        assert alert["labels"].keys() == {"alertname", "panel", "key"}
        assert len(alert["labels"]["panel"]) == 200
        assert len(alert["annotations"]["summary"]) == 1000
        assert len(alert["annotations"]["description"]) == 8000


class TestAssertOpen:
    def test_brings_back_what_a_restart_lost_with_its_beginning(self, alertmanager):
        channel = alertmanager.channel()
        channel.assert_open([standing()], QUARTER)
        (before,) = alertmanager.firing().values()
        alertmanager.restart()
        assert alertmanager.firing() == {}
        channel.assert_open([standing()], QUARTER)
        (after,) = alertmanager.firing().values()
        assert before["start"] == after["start"] == BEGINNING

    def test_keeps_it_standing_for_as_long_as_it_is_told(self, alertmanager):
        alertmanager.channel().assert_open([standing()], timedelta(hours=3))
        (alert,) = alertmanager.firing().values()
        assert timedelta(hours=2.9) < span(alert) <= timedelta(hours=3)

    def test_keeps_it_standing_for_as_long_as_the_settings_say(self, alertmanager):
        alertmanager.channel(hold=timedelta(hours=6)).assert_open([standing()], QUARTER)
        (alert,) = alertmanager.firing().values()
        assert span(alert) > timedelta(hours=5.9)

    def test_of_many_is_said_in_parts(self, alertmanager):
        many = [standing(dedup_key=f"k{number}") for number in range(2 * AT_ONCE + 1)]
        alertmanager.channel().assert_open(many, QUARTER)
        assert len(alertmanager.firing()) == 2 * AT_ONCE + 1

    def test_of_what_begins_in_the_future_of_this_machine_is_not_refused(self, alertmanager):
        """As in a simulation."""
        later = StandingAlert(notice(created_at=datetime(2100, 1, 1, tzinfo=UTC)), datetime(2100, 1, 1, tzinfo=UTC))
        alertmanager.channel().assert_open([later], QUARTER)
        alertmanager.channel().send(later.newest)
        assert len(alertmanager.firing()) == 1

    def test_is_what_the_engine_looks_for(self, alertmanager):
        assert isinstance(alertmanager.channel(), LevelChannel)


class TestAsk:
    def test_says_version_and_cluster_and_sends_nothing(self, alertmanager):
        assert alertmanager.channel().ask() == "Alertmanager 0.27.0 answers (cluster: ready)"
        assert alertmanager.said == []

    @pytest.mark.parametrize(
        ("answer", "words"),
        [((401, "Unauthorized"), "HTTP 401: Unauthorized.*login"), ((200, "<html>"), "is no Alertmanager")],
    )
    def test_raises_where_nobody_is_let_in_or_it_is_another(self, alertmanager, answer, words):
        alertmanager.service.broken = answer
        with pytest.raises(StratawatchError, match=words) as trouble:
            alertmanager.channel().ask()
        assert trouble.value.key == "url"


class TestTrouble:
    def test_a_refusal_says_why(self, alertmanager):
        alertmanager.service.broken = 400, "start time must be before end time"
        with pytest.raises(StratawatchError, match=r"HTTP 400: start time must be before end time"):
            alertmanager.channel().assert_open([standing()], QUARTER)

    @pytest.mark.parametrize("status", [301, 429, 500, 503])
    def test_another_answer_is_tried_again(self, alertmanager, status):
        alertmanager.service.broken = status, "later"
        with pytest.raises(Unreachable, match=f"HTTP {status}"):
            alertmanager.channel().send(notice())
        alertmanager.service.broken = None
        assert not alertmanager.channel().send(notice()).duplicate

    def test_another_host_is_reached_encrypted_only(self):
        with pytest.raises(ConfigError, match="unencrypted"):
            AlertmanagerChannel("http://alertmanager.example.org:9093")


class TestLogin:
    @pytest.fixture(autouse=True)
    def _secrets(self, monkeypatch):
        monkeypatch.setenv("AM_PASSWORD", "hunter2")

    def built(self, tmp_path, alertmanager, **login):
        table = {"kind": "alertmanager", "url": alertmanager.service.url, **login}
        return ChannelSettings.model_validate(table).build(BuildContext(tmp_path))

    @pytest.mark.parametrize(
        ("login", "header"),
        [
            ({"token": "${env:AM_PASSWORD}"}, "Bearer hunter2"),
            ({"user": "ann", "password": "${env:AM_PASSWORD}"}, f"Basic {b64encode(b'ann:hunter2').decode()}"),
            ({}, None),
        ],
    )
    def test_goes_into_the_header(self, tmp_path, alertmanager, login, header):
        seen = []
        judge = alertmanager.service.judge
        alertmanager.service.judge = lambda path, headers, content: (
            seen.append(headers),
            judge(path, headers, content),
        )[1]
        self.built(tmp_path, alertmanager, **login).send(notice())
        assert seen[0].get("Authorization") == header

    @pytest.mark.parametrize(
        "login",
        [
            {"user": "ann"},
            {"password": "${env:AM_PASSWORD}"},
            {"user": "ann", "password": "${env:AM_PASSWORD}", "token": "${env:AM_PASSWORD}"},
        ],
    )
    def test_is_one_or_none(self, tmp_path, alertmanager, login):
        with pytest.raises(ValidationError, match="needs either `user` and `password`, or `token`"):
            self.built(tmp_path, alertmanager, **login)

    def test_is_not_shown(self, alertmanager):
        alertmanager.service.broken = 401, "Unauthorized"
        channel = alertmanager.channel(headers={"Authorization": SecretStr("Bearer hunter2")})
        with pytest.raises(StratawatchError, match="HTTP 401") as refused:
            channel.send(notice())
        assert "hunter2" not in str(refused.value)
