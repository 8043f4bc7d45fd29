"""What labellers see, and the rows of a source, are in no notification and in no log, whatever is to be told."""

import json
import logging
import re
from datetime import timedelta

from stratawatch.engine.alarms.open_incidents import standing_alerts
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.errors import Unreachable
from tests.support.deliveries import breach, connect, outbox
from tests.support.fakes import FakeLevelChannel, unusable
from tests.support.scenario import open_all, relabel

CANARY = re.compile(r"text of|w\d+-\d{5}|c4nary")
"""Payload, items of the fake source, and what a row that was set aside held."""


def told_words(*channels) -> str:
    return "\n".join(
        json.dumps([one.key, one.dedup_key, one.subject, one.body, dict(one.facts)])
        for channel in channels
        for one in channel.received
    )


def test_they_are_in_no_page_end_warning_or_log(breaching, caplog):
    caplog.set_level(logging.DEBUG)
    level = FakeLevelChannel("level")
    connect(breaching, breaching.channel, level)
    breaching.check.bad = (QuarantinedRow("prediction", "c4nary-item", "a score of 'c4nary'", {"text": "c4nary"}),)
    breach(breaching)
    advance(breaching.ports)
    standing = standing_alerts(breaching.ports, "level")
    relabel(breaching, "yes")
    breaching.produce(1)
    breaching.clock.advance(days=7)
    open_all(breaching)
    breaching.source.troubles = [unusable()]
    advance(breaching.ports)
    breaching.queue.troubles = [Unreachable("no queue") for _ in range(20)]
    breaching.produce(2)
    breaching.clock.moment += timedelta(days=7)
    open_all(breaching)
    for _ in range(10):
        breaching.clock.advance(hours=1)
        advance(breaching.ports)
    severities = {one.severity for one in outbox(breaching)}
    assert severities == {"page", "resolved", "warning"}
    assert len(standing) == 1
    words = told_words(breaching.channel, level) + standing[0].newest.body
    assert CANARY.findall(words) == []
    assert CANARY.findall(caplog.text) == []
    assert "precision of lr" in words
