"""Alerts as events at a real Prefect server, which keeps one that came twice once."""

import time
from datetime import UTC, datetime

import httpx
import pytest

from stratawatch.adapters.alerts.prefect_event import PrefectEventChannel
from tests.support.notices import notice

PATIENCE = 60.0


@pytest.fixture
def api_url():
    from prefect.settings import PREFECT_API_URL

    return PREFECT_API_URL.value()


def events(api_url: str, key: str, number: int) -> list[dict]:
    """The events about an incident, once there are so many: the server writes them a moment later."""
    about = {"filter": {"event": {"prefix": ["stratawatch."]}}, "limit": 50}
    over = time.monotonic() + PATIENCE
    while True:
        answer = httpx.post(f"{api_url}/events/filter", json=about, timeout=PATIENCE, trust_env=False)
        found = [one for one in answer.raise_for_status().json()["events"] if one["payload"]["dedup_key"] == key]
        if len(found) >= number:
            return sorted(found, key=lambda one: one["event"])
        assert time.monotonic() < over
        time.sleep(0.2)


def test_beginning_and_end_of_an_incident_are_kept_once(api_url):
    facts = {"panel": "spam", "classifier": "lr", "metric": "precision", "segment": "country=DE"}
    page = notice("a", created_at=datetime.now(UTC), dedup_key="k1", facts=facts)
    PrefectEventChannel(api_url).send(page)
    PrefectEventChannel(api_url).send(page)  # by a process that does not know what another has sent
    PrefectEventChannel(api_url).send(
        notice("b", created_at=datetime.now(UTC), dedup_key="k1", severity="resolved", facts=facts)
    )
    begun, ended = events(api_url, "k1", 2)
    assert (begun["event"], ended["event"]) == ("stratawatch.page", "stratawatch.resolved")
    assert begun["resource"]["prefect.resource.id"] == ended["resource"]["prefect.resource.id"]
    assert begun["resource"]["stratawatch.segment"] == "country=DE"


def test_texts_of_3000_characters_are_taken(api_url):
    long = "wörd \N{SLIGHTLY SMILING FACE} " * 400
    facts = dict.fromkeys(("panel", "classifier", "metric", "segment"), long)
    PrefectEventChannel(api_url).send(
        notice("c", created_at=datetime.now(UTC), dedup_key="k2", subject=long, body=long, facts=facts)
    )
    (kept,) = events(api_url, "k2", 1)
    assert kept["payload"]["body"].startswith("wörd")
