"""A cycle by commands, whose people label at a service."""

import json
from datetime import UTC, datetime

import duckdb
import httpx

from stratawatch.adapters.webhook_signatures import signed_headers
from tests.live.webhook.conftest import killed
from tests.support.label_services import OTHER_SEND, RECEIVE, given
from tests.unit.cli.conftest import CONFIG, NOW, ROWS


def said(process, status=0):
    text = process.communicate(timeout=120)[0]
    assert process.returncode == status, text
    return text


def asked(sides):
    """The items of all batches that the service has, each with how often it is there."""
    return [task["key"] for body in sides.messages().values() for task in json.loads(body)["data"].get("tasks", ())]


def test_batches_go_out_and_labels_count_once_whoever_was_killed(sides):
    sides.configure(panel=CONFIG)
    (sides.folder / "predictions").mkdir()
    duckdb.sql(ROWS).write_parquet(str(sides.folder / "predictions" / "week.parquet"))
    for command in (("init",), ("open", "--now", NOW)):
        said(sides.command(*command))
    service = sides.service(OTHER_SEND)
    refused = sides.command("advance", "--now", NOW).communicate(timeout=120)[0]
    assert "the labelling service refused batch" in refused
    assert "see that both sides have the same key" in refused
    killed(service)
    sides.service()
    said(sides.command("advance", "--now", NOW))
    assert len(asked(sides)) == len(set(asked(sides))) > 0

    web = sides.web()
    body = given(*({"key": key, "value": "yes", "annotator": "kim", "at": NOW} for key in asked(sides)))
    for _ in range(2):
        headers = {"content-type": "application/json"} | signed_headers([RECEIVE], "first", datetime.now(UTC), body)
        assert httpx.post(sides.address, content=body, headers=headers).status_code == 200
        killed(web)  # after the answer nothing may be lost
        web = sides.web()
    later = "2026-01-12T08:00:00+00:00"
    assert f"labels: {len(asked(sides))} new" in said(sides.command("advance", "--now", later))
    assert "labels: 0 new" in said(sides.command("advance", "--now", later))
